// SPDX-License-Identifier: BSD-3-Clause
//
// See debugger.hpp. A stopped shell stands for the program; gdb continues it and catches its exec.
// tmux runs as its own server, so it outlives its clients but not the job.
#include "debugger.hpp"

#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "base/environment.hpp"
#include "base/fatal.hpp"
#include "process_state.hpp"

namespace tessera::oshrun {
namespace {

using Words = std::vector<std::string>;

constexpr int kPanesMax = 16;
constexpr int kStopPatienceMs = 5000;
constexpr int kStopPollMs = 5;

std::string session_name() { return "oshrun-" + std::to_string(::getpid()); }

// RETURNS: the exit code; -1: it cannot be run.
int run(const Words& words) {
    std::vector<char*> arguments;
    // posix_spawnp() takes pointers to char for historical reasons; it does not write.
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_t pid = 0;
    sigset_t none;
    ::sigemptyset(&none);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    const int error = ::posix_spawnp(&pid, arguments[0], nullptr, &attributes, arguments.data(),
                                     const_cast<char* const*>(environment_entries()));
    ::posix_spawnattr_destroy(&attributes);
    if (error != 0) return -1;
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// A signal that reaches the shell before it has stopped would end it.
void wait_until_stopped(pid_t pid) {
    for (int waited_ms = 0; waited_ms < kStopPatienceMs; waited_ms += kStopPollMs) {
        if (process_state(pid) == 'T') return;
        ::poll(nullptr, 0, kStopPollMs);
    }
}

// gdb of one PE. The program stops in main(). SIGSTOP is the one that stopped the shell; a main()
// that is not there yet may come with the program that a script executes.
Words gdb_command(pid_t pid) {
    Words words = {"gdb", "-q", "-p", std::to_string(pid)};
    for (const char* command :
         {"set pagination off", "set confirm off", "set breakpoint pending on",
          "handle SIGSTOP nostop noprint nopass", "tcatch exec", "continue",
          "handle SIGSTOP stop print pass", "tbreak main", "set confirm on", "continue"}) {
        words.insert(words.end(), {"-ex", command});
    }
    return words;
}

// The pane of the first PE makes the session.
int open_pane(const Job& job, int pe, bool is_first) {
    const pid_t pid = job.pes[static_cast<std::size_t>(pe)].pid;
    wait_until_stopped(pid);
    Words words = {"tmux"};
    const Words open = is_first ? Words{"new-session", "-d", "-x",           "160", "-y",
                                        "50",          "-s", session_name(), "-n",  "PEs"}
                                : Words{"split-window", "-t", session_name()};
    words.insert(words.end(), open.begin(), open.end());
    const Words gdb = gdb_command(pid);
    words.insert(words.end(), gdb.begin(), gdb.end());
    const int code = run(words);
    if (code == 0) run({"tmux", "select-layout", "-t", session_name(), "tiled"});
    return code;
}

}  // namespace

void check_debugger(const Options& options, int npes) {
    for (const char* program : {"gdb", "tmux"}) {
        if (find_program(program, "").path.empty())
            fatal("--debug needs %s, which is not in PATH (Debian: package %s)", program, program);
    }
    const std::size_t panes =
        options.debugged_pes.empty() ? static_cast<std::size_t>(npes) : options.debugged_pes.size();
    if (panes <= kPanesMax) return;
    fatal("--debug shows %d PEs at most, not %zu; choose some, as in --debug=0,3", kPanesMax,
          panes);
}

bool is_debugged(const Options& options, int pe) {
    if (!options.debug) return false;
    const std::vector<int>& pes = options.debugged_pes;
    return pes.empty() || std::ranges::find(pes, pe) != pes.end();
}

void wait_for_debugger(ProcessPlan& plan) {
    Words words = {"sh", "-c", "kill -STOP $$; exec \"$@\"", "sh", plan.path};
    words.insert(words.end(), plan.arguments.begin() + 1, plan.arguments.end());
    plan.path = "/bin/sh";
    plan.arguments = std::move(words);
    plan.is_debugged = true;
}

void start_debuggers(Job& job) {
    bool is_first = true;
    for (int pe = 0; pe < job.npes; ++pe) {
        if (!is_debugged(job.options, pe)) continue;
        if (open_pane(job, pe, is_first) != 0) {
            job.output->message("oshrun: tmux could not start gdb for PE " + std::to_string(pe) +
                                "; attach by: gdb -p " +
                                std::to_string(job.pes[static_cast<std::size_t>(pe)].pid));
            continue;
        }
        is_first = false;
    }
    if (is_first) return;
    job.output->message("oshrun: gdb waits for you in another terminal: tmux attach -t " +
                        session_name());
}

void close_debuggers() { run({"tmux", "kill-session", "-t", session_name()}); }

}  // namespace tessera::oshrun
