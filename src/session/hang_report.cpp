// SPDX-License-Identifier: BSD-3-Clause
//
// See hang_report.hpp. The signal handler makes system calls only.
#include "session/hang_report.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "base/clock.hpp"
#include "session/reporter.hpp"
#include "settings/config.hpp"

namespace tessera {
namespace {

// A second PE of the node that finds the hang within this time of a report leaves it at that.
constexpr std::uint64_t kSameHangNanoseconds = 2'000'000'000;
// The limits of osh_hang: of its CPU time, because a report of 0.5 s takes 20 s and more on a busy
// host; and of all time, in case it hangs itself.
constexpr rlim_t kReporterCpuSeconds = 60;
constexpr unsigned kReporterSeconds = 180;

constinit std::atomic<std::atomic<std::uint64_t>*> report_word{nullptr};

// Whether this PE is the one that reports. Pairs with session/hang_report.cpp:set_hang_report_word.
bool claim_report() {
    std::atomic<std::uint64_t>* word = report_word.load(std::memory_order_acquire);
    if (word == nullptr) return true;
    const std::uint64_t now = now_ns();
    std::uint64_t last = word->load(std::memory_order_relaxed);
    if (last != 0 && now - last < kSameHangNanoseconds) return false;
    return word->compare_exchange_strong(last, now, std::memory_order_relaxed);
}

// In the child. RETURNS: if there is no such program.
void become_reporter(pid_t pe) {
    ::alarm(kReporterSeconds);
    const rlimit cpu_limit{.rlim_cur = kReporterCpuSeconds, .rlim_max = kReporterCpuSeconds};
    ::setrlimit(RLIMIT_CPU, &cpu_limit);  // if it fails, the host has a lower one
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    char pid_text[16];
    std::snprintf(pid_text, sizeof pid_text, "%d", static_cast<int>(pe));
    char name[] = "osh_hang";
    char option[] = "--asked-by";
    char* arguments[] = {name, option, pid_text, nullptr};
    for (const char* path : reporter_paths()) ::execv(path, arguments);
    ::execvp(kReporter, arguments);
}

// A process without the handlers of fork(), and without SIGCHLD at its end: the program must not
// notice it.
pid_t make_process() { return static_cast<pid_t>(::syscall(SYS_clone, 0, 0, 0, 0, 0)); }

void wait_for(pid_t child) {
    while (::waitpid(child, nullptr, __WALL) < 0 && errno == EINTR) {
    }
}

void on_signal(int) {
    const int error = errno;
    report_hang();
    errno = error;
}

// Handles SIGQUIT, unless the program does. RETURNS: whether on_signal() does.
bool handle_signal() {
    struct sigaction action {};
    if (::sigaction(SIGQUIT, nullptr, &action) != 0 || action.sa_handler != SIG_DFL)
        return action.sa_handler == on_signal;
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    return ::sigaction(SIGQUIT, &action, nullptr) == 0;
}

}  // namespace

InitWatch::InitWatch() {
    // Helpers of the launcher, and of the other PEs, may read this PE (kernel.yama.ptrace_scope).
    ::prctl(PR_SET_PTRACER, static_cast<unsigned long>(::getppid()), 0, 0, 0);
    const bool is_handled = handle_signal();
    const std::uint32_t seconds = config().hang_report.value;
    if (seconds == 0 || !is_handled) return;
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGQUIT;
    has_timer_ = ::timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0;
    if (!has_timer_) return;
    itimerspec once{};
    once.it_value.tv_sec = static_cast<time_t>(seconds);
    ::timer_settime(timer_, 0, &once, nullptr);
}

InitWatch::~InitWatch() {
    if (has_timer_) ::timer_delete(timer_);
}

std::uint64_t hang_report_nanoseconds() {
    return std::uint64_t{config().hang_report.value} * 1'000'000'000;
}

void report_hang() {
    if (!claim_report()) return;
    const pid_t pe = ::getpid();
    const pid_t child = make_process();
    if (child < 0) return;
    if (child > 0) return wait_for(child);
    // The grandchild belongs to init, and the PE need not wait for it.
    if (make_process() != 0) ::_exit(0);
    become_reporter(pe);
    constexpr char kMissing[] =
        "tessera: a report on the hang needs osh_hang, which is not in PATH\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kMissing, sizeof kMissing - 1);
    ::_exit(127);
}

void report_exit() {
    if (!claim_report()) return;
    const pid_t pe = ::getpid();
    const pid_t child = make_process();
    if (child > 0) return wait_for(child);
    if (child < 0) return;
    become_reporter(pe);
    ::_exit(127);  // The launcher's message has to do.
}

// Pairs with session/hang_report.cpp:claim_report.
void set_hang_report_word(std::atomic<std::uint64_t>* word) {
    report_word.store(word, std::memory_order_release);
}

}  // namespace tessera
