// SPDX-License-Identifier: BSD-3-Clause
//
// Starts the processes of a static data test as oshrun would (node file, TESSERA_JOB) or, with
// --pmix, as a foreign launcher would (PMIX_NAMESPACE and PMIX_RANK, nothing else), and ends with
// the worst exit code. Run by ctest:
//   static_launcher [option ...] N program [argument ...]
//   --no-aslr        the same addresses in every process; the heap follows directly after .bss
//   --unreadable     the program may be executed but not read: /proc/self/pagemap is closed to it
//   --slot-bytes B   size of a PE's slot in the node file
//   --deny WHAT      a system call fails (system_call_filter.hpp)
//   --repeat K       do it all K times
#include <fcntl.h>
#include <grp.h>
#include <linux/prctl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include "base/inherited.hpp"
#include "heap/node_file.hpp"
#include "meeting.hpp"
#include "system_call_filter.hpp"

extern char** environ;

namespace {

struct Options {
    bool pmix = false;
    bool no_aslr = false;
    bool unreadable = false;
    const char* denied = nullptr;
    int repetitions = 1;
    std::uint64_t slot_bytes = 0;
    int process_count = 0;
    char** command = nullptr;
};

Options parse(char** argument) {
    Options options;
    for (; *argument != nullptr && (*argument)[0] == '-'; ++argument) {
        std::string name = *argument;
        if (name == "--pmix") options.pmix = true;
        if (name == "--no-aslr") options.no_aslr = true;
        if (name == "--unreadable") options.unreadable = true;
        if (name == "--deny") options.denied = *++argument;
        if (name == "--repeat") options.repetitions = std::atoi(*++argument);
        if (name == "--slot-bytes") options.slot_bytes = std::strtoull(*++argument, nullptr, 0);
    }
    CHECK(argument[0] != nullptr && argument[1] != nullptr);
    options.process_count = std::atoi(argument[0]);
    options.command = argument + 1;
    CHECK(options.process_count >= 1 && options.process_count <= static_test::kProcessesMax);
    return options;
}

struct Descriptors {
    int meeting = -1;
    tessera::Inherited job;
};

Descriptors make_descriptors(const Options& options) {
    Descriptors made;
    made.meeting = memfd_create("meeting", 0);
    CHECK(ftruncate(made.meeting, sizeof(static_test::Meeting)) == 0);
    if (options.pmix) return made;
    tessera::heap::NodePlan plan;
    plan.npes = options.process_count;
    plan.heap_bytes = 1 << 20;
    std::string error;
    tessera::heap::NodeFiles files = tessera::heap::create_node_files(plan, error);
    CHECK(files.node);
    int control[2];
    int life[2];
    CHECK(pipe(control) == 0 && pipe(life) == 0);
    made.job.npes = options.process_count;
    made.job.launcher_pid = getpid();
    made.job.node_fd = files.node.release();
    made.job.heap_fd = files.heap.release();
    made.job.control_fd = control[1];
    made.job.life_fd = life[0];
    if (options.slot_bytes != 0) {
        tessera::heap::NodeHeader header{};
        CHECK(pread(made.job.node_fd, &header, sizeof header, 0) == sizeof header);
        header.static_slot_bytes = options.slot_bytes;
        CHECK(pwrite(made.job.node_fd, &header, sizeof header, 0) == sizeof header);
    }
    return made;
}

// A copy of the program without read permission, in memory; the caller loses root's right to read
// it nevertheless.
int unreadable_copy(const char* path) {
    int source = open(path, O_RDONLY | O_CLOEXEC);
    int copy = memfd_create("unreadable", MFD_CLOEXEC);
    struct stat status {};
    CHECK(source >= 0 && copy >= 0 && fstat(source, &status) == 0);
    for (off_t done = 0; done < status.st_size;)
        CHECK(sendfile(copy, source, &done, static_cast<std::size_t>(status.st_size - done)) > 0);
    CHECK(fchmod(copy, 0111) == 0);
    // A file open for writing cannot be executed.
    char reopened_path[32];
    std::snprintf(reopened_path, sizeof reopened_path, "/proc/self/fd/%d", copy);
    int reopened = open(reopened_path, O_PATH | O_CLOEXEC);
    CHECK(reopened >= 0);
    close(copy);
    close(source);
    constexpr uid_t kNobody = 65534;
    if (getuid() == 0)
        CHECK(setgroups(0, nullptr) == 0 && setgid(kNobody) == 0 && setuid(kNobody) == 0);
    return reopened;
}

[[noreturn]] void run(const Options& options, const Descriptors& descriptors, int pe) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::string number = std::to_string(pe);
    setenv(static_test::kMeetingVariable, std::to_string(descriptors.meeting).c_str(), 1);
    setenv("STATIC_TEST_PE", number.c_str(), 1);
    if (options.pmix) {
        unsetenv(tessera::kJobVariable);
        setenv("PMIX_NAMESPACE", "static_test", 1);
        setenv("PMIX_RANK", number.c_str(), 1);
    } else {
        tessera::Inherited job = descriptors.job;
        job.pe = pe;
        setenv(tessera::kJobVariable, tessera::job_variable_value(job).c_str(), 1);
    }
    if (options.no_aslr && personality(ADDR_NO_RANDOMIZE) == -1)
        std::perror("static_launcher: running with address randomization");
    if (options.denied != nullptr) static_test::deny(options.denied);
    if (options.unreadable) {
        int program = unreadable_copy(options.command[0]);
        execveat(program, "", options.command, environ, AT_EMPTY_PATH);
    } else {
        execvp(options.command[0], options.command);
    }
    std::perror(options.command[0]);
    _exit(127);
}

// Waits for all; after the first bad end the others are ended too, they would wait for it.
int wait_for_all(std::vector<pid_t> pids) {
    int worst = 0;
    while (!pids.empty()) {
        int status = 0;
        pid_t ended = waitpid(-1, &status, 0);
        CHECK(ended > 0);
        std::erase(pids, ended);
        int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        if (code != 0 && worst == 0) {
            std::fprintf(stderr, "static_launcher: pid %d ended with code %d\n", ended, code);
            for (pid_t pid : pids) kill(pid, SIGKILL);
        }
        if (code != 0 && worst == 0) worst = code;
    }
    return worst;
}

int run_once(const Options& options) {
    Descriptors descriptors = make_descriptors(options);
    static_test::Meeting& meeting = static_test::map_meeting(descriptors.meeting);
    meeting.process_count = options.process_count;
    std::vector<pid_t> pids;
    for (int pe = 0; pe < options.process_count; ++pe) {
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (pid == 0) run(options, descriptors, pe);
        pids.push_back(pid);
    }
    int worst = wait_for_all(pids);
    if (worst != 0 || !meeting.wants_destructions) return worst;
    for (int pe = 0; pe < options.process_count; ++pe) {
        CHECK(meeting.records[pe].destructions == 1);
        CHECK(meeting.records[pe].child_destructions == meeting.children_expected);
    }
    return 0;
}

}  // namespace

int main(int, char** arguments) {
    Options options = parse(arguments + 1);
    int worst = 0;
    for (int i = 0; i < options.repetitions && worst == 0; ++i) worst = run_once(options);
    return worst;
}
