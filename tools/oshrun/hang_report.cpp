// SPDX-License-Identifier: BSD-3-Clause
//
// See supervisor.hpp: starts osh_hang, which reads the PEs from outside. It is a program of its
// own, because reading debug information takes libraries and time that oshrun does without.
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/environment.hpp"
#include "installation.hpp"
#include "supervisor.hpp"

namespace tessera::oshrun {
namespace {

std::string reporter_path() {
    const std::string path = own_folder() / "osh_hang";
    return ::access(path.c_str(), X_OK) == 0 ? path : "osh_hang";
}

std::string end_text(int wait_status) {
    return WIFSIGNALED(wait_status)
               ? "been killed by " + signal_text(WTERMSIG(wait_status))
               : "exited with code " + std::to_string(WEXITSTATUS(wait_status));
}

}  // namespace

pid_t Supervisor::report_hang() {
    const auto running = std::ranges::find_if(job_.pes, &Pe::is_running);
    if (running == job_.pes.end()) return 0;
    std::vector<std::string> words{reporter_path(), std::to_string(running->pid)};
    for (int pe = 0; pe < job_.npes; ++pe) {
        const Pe& entry = job_.pes[static_cast<std::size_t>(pe)];
        if (entry.is_running) continue;
        words.push_back("--ended=" + std::to_string(pe) + ":" + end_text(entry.wait_status));
    }
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    job_.output->read_everything(Clock::now());
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    ::posix_spawnattr_setsigmask(&attributes, &job_.signals.mask_before);
    pid_t pid = 0;
    const int error = ::posix_spawnp(&pid, words[0].c_str(), nullptr, &attributes, arguments.data(),
                                     const_cast<char* const*>(environment_entries()));
    ::posix_spawnattr_destroy(&attributes);
    if (error == 0) return pid;
    message(
        "a report on what the PEs wait for needs osh_hang, which is neither beside oshrun nor in "
        "PATH");
    return 0;
}

bool Supervisor::wait_for_report(pid_t pid) {
    constexpr int kPatienceMs = 20'000;
    if (pid == 0) return false;
    const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    pollfd end{.fd = process.get(), .events = POLLIN, .revents = 0};
    if (!process || ::poll(&end, 1, kPatienceMs) != 1) return false;
    siginfo_t info{};
    // The supervisor's loop reaps the process.
    const bool has_ended =
        ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0;
    return has_ended && info.si_code == CLD_EXITED && info.si_status == 0;
}

}  // namespace tessera::oshrun
