// SPDX-License-Identifier: BSD-3-Clause
//
// See spawn.hpp. The child uses oshrun's memory until it executes the program (CLONE_VFORK):
// copying the page tables of a process with a PMIx server for every PE would cost more than
// everything else here. The child simply writes a failure into a variable. It makes system calls
// only.
#include "spawn.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "base/environment.hpp"
#include "base/fatal.hpp"

namespace tessera::oshrun {
namespace {

constexpr std::size_t kChildStackBytes = 64 * 1024;
constexpr const char* kDefaultPath = "/usr/local/bin:/usr/bin:/bin";
constexpr const char* kShell = "/bin/sh";

constexpr unsigned long kReadPersonality = 0xffffffff;

struct Child {
    const ProcessPlan* plan;
    char** arguments;
    char** shell_arguments;  // the same as a script for /bin/sh
    char** environment;
    const cpu_set_t* cpus;
    std::size_t cpus_bytes;
    pid_t parent;
    Started* result;
};

int fail(const Child& child, const char* step) {
    child.result->failed_step = step;
    child.result->error = errno;
    // Not _exit(): sanitizers would not find this stack.
    ::syscall(SYS_exit_group, 127);
    return 127;
}

void restore_signals(const ProcessPlan& plan) {
    if (!plan.ignore_sigpipe) {
        struct sigaction standard {};
        standard.sa_handler = SIG_DFL;
        ::sigaction(SIGPIPE, &standard, nullptr);
    }
    ::sigprocmask(SIG_SETMASK, &plan.signal_mask, nullptr);
}

bool stop_randomisation() {
    const int now = ::personality(kReadPersonality);
    return now >= 0 &&
           ::personality(static_cast<unsigned long>(now) | unsigned{ADDR_NO_RANDOMIZE}) >= 0;
}

// Runs in the new process, on a stack of its own, with oshrun's memory.
int run_child(void* argument) {
    const Child& child = *static_cast<const Child*>(argument);
    const ProcessPlan& plan = *child.plan;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != child.parent) ::syscall(SYS_exit_group, 127);  // oshrun died meanwhile.
    ::setpgid(0, 0);
    // osh_hang, which oshrun or a PE starts, may read the PE (kernel.yama.ptrace_scope).
    const auto tracer = static_cast<unsigned long>(child.parent);
    ::prctl(PR_SET_PTRACER, plan.is_debugged ? PR_SET_PTRACER_ANY : tracer, 0, 0, 0);
    for (int fd = 0; fd < 3; ++fd) {
        // A descriptor that is already in its place must only lose close-on-exec.
        int result = plan.standard_fds[fd] == fd ? ::fcntl(fd, F_SETFD, 0)
                                                 : ::dup2(plan.standard_fds[fd], fd);
        if (result < 0) return fail(child, "connecting its standard input and output");
    }
    for (int fd : plan.kept_fds) ::fcntl(fd, F_SETFD, 0);
    if (!plan.directory.empty() && ::chdir(plan.directory.c_str()) != 0)
        return fail(child, "changing to its working directory");
    if (child.cpus != nullptr && ::sched_setaffinity(0, child.cpus_bytes, child.cpus) != 0)
        return fail(child, "binding it to its cores (see --bind-to)");
    for (const SavedLimit& limit : plan.limits) {
        if (limit.is_changed) ::setrlimit(limit.resource, &limit.before);
    }
    if (plan.no_aslr && !stop_randomisation())
        return fail(child, "turning off the randomisation of addresses (--no-aslr)");
    restore_signals(plan);
    ::execve(plan.path.c_str(), child.arguments, child.environment);
    // Like execvp(): a text file without #! is a shell script.
    if (errno == ENOEXEC) ::execve(kShell, child.shell_arguments, child.environment);
    return fail(child, "running the program");
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> result;
    result.reserve(texts.size() + 2);
    // execve() takes pointers to char for historical reasons; it does not write.
    for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
    result.push_back(nullptr);
    return result;
}

std::vector<char*> shell_pointers(const ProcessPlan& plan, const std::vector<char*>& arguments) {
    std::vector<char*> result = {const_cast<char*>(kShell), const_cast<char*>(plan.path.c_str())};
    result.insert(result.end(), arguments.begin() + 1, arguments.end());
    return result;
}

std::vector<cpu_set_t> cpu_mask(const std::vector<std::uint32_t>& pus) {
    std::uint32_t last = 0;
    for (std::uint32_t pu : pus) last = pu > last ? pu : last;
    std::vector<cpu_set_t> mask(last / CPU_SETSIZE + 1);
    std::size_t bytes = mask.size() * sizeof(cpu_set_t);
    CPU_ZERO_S(bytes, mask.data());
    for (std::uint32_t pu : pus) CPU_SET_S(pu, bytes, mask.data());
    return mask;
}

char* child_stack() {
    // One is enough: the caller stands still while the child is on it.
    static void* stack = ::mmap(nullptr, kChildStackBytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) fatal("there is no memory left to start a process");
    return static_cast<char*>(stack) + kChildStackBytes;
}

int why_not_executable(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return errno;
    if (S_ISDIR(status.st_mode)) return EISDIR;
    return ::access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

}  // namespace

Program find_program(const std::string& name, const std::string& directory) {
    Program program;
    auto from_directory = [&](const std::string& path) {
        return path[0] == '/' || directory.empty() ? path : directory + "/" + path;
    };
    if (name.find('/') != std::string::npos) {
        program.error = why_not_executable(from_directory(name));
        if (program.error == 0) program.path = name;
        return program;
    }
    const char* search = environment("PATH");
    std::string_view rest = search != nullptr ? search : kDefaultPath;
    program.error = ENOENT;
    while (true) {
        std::size_t colon = rest.find(':');
        std::string part(rest.substr(0, colon));
        std::string path = (part.empty() ? "." : part) + "/" + name;
        int error = why_not_executable(from_directory(path));
        if (error == 0) return {.path = path, .error = 0};
        // "Permission denied" for a file of that name says more than "no such file".
        if (error == EACCES) program.error = error;
        if (colon == std::string_view::npos) return program;
        rest.remove_prefix(colon + 1);
    }
}

Started spawn(const ProcessPlan& plan) {
    std::vector<char*> arguments = pointers(plan.arguments);
    std::vector<char*> shell_arguments = shell_pointers(plan, arguments);
    std::vector<char*> environment = pointers(plan.environment);
    std::vector<cpu_set_t> cpus = cpu_mask(plan.pus);
    Started result;
    Child child{.plan = &plan,
                .arguments = arguments.data(),
                .shell_arguments = shell_arguments.data(),
                .environment = environment.data(),
                .cpus = plan.pus.empty() ? nullptr : cpus.data(),
                .cpus_bytes = cpus.size() * sizeof(cpu_set_t),
                .parent = ::getpid(),
                .result = &result};
    pid_t pid = ::clone(run_child, child_stack(), CLONE_VM | CLONE_VFORK | SIGCHLD, &child);
    if (pid < 0) return {.failed_step = "making a process", .error = errno};
    if (result.error != 0) {
        ::waitpid(pid, nullptr, 0);
        return result;
    }
    result.pid = pid;
    return result;
}

}  // namespace tessera::oshrun
