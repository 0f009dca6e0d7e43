// SPDX-License-Identifier: BSD-3-Clause
//
// See crash_report.hpp. The handler makes system calls only, but for the unwinder (call_place.cpp).
// It blocks the signals that it handles: a crash of the unwinder, on a stack that is overwritten,
// ends the process by its own signal at once.
#include "session/crash_report.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/clock.hpp"
#include "base/fatal.hpp"
#include "session/call_place.hpp"
#include "session/session.hpp"
#include "settings/config.hpp"

namespace tessera {
namespace {

struct Crash {
    int signal;
    const char* name;
    const char* meaning;
};
constexpr Crash kCrashes[] = {
    {SIGSEGV, "SIGSEGV", "invalid access to memory"},
    {SIGBUS, "SIGBUS", "access to memory that is not there"},
    {SIGFPE, "SIGFPE", "arithmetic error"},
    {SIGILL, "SIGILL", "illegal instruction"},
    {SIGABRT, "SIGABRT", "abort"},
};

constexpr std::size_t kStackBytes = std::size_t{64} << 10;
constexpr timespec kDebuggerPoll{.tv_sec = 0, .tv_nsec = 100'000'000};

std::atomic<bool> has_crashed{false};
char crash_calls[2048];  // not on the stack: that of the program may be small

const Crash& crash_of(int signal) {
    for (const Crash& crash : kCrashes) {
        if (crash.signal == signal) return crash;
    }
    return kCrashes[0];
}

// Whether a debugger traces this process: TracerPid in /proc/self/status.
bool is_traced() {
    char text[2048];
    const int file = ::open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const ssize_t bytes = ::read(file, text, sizeof text - 1);
    ::close(file);
    if (bytes <= 0) return false;
    text[bytes] = '\0';
    constexpr char kName[] = "TracerPid:\t";
    const char* found = std::strstr(text, kName);
    return found != nullptr && found[sizeof kName - 1] != '0';
}

void wait_for_debugger() {
    const std::uint64_t seconds = config().debugger_wait.value;
    if (seconds == 0) return;
    ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);  // kernel.yama.ptrace_scope
    warn("waits %llu s for a debugger: gdb -p %d", static_cast<unsigned long long>(seconds),
         static_cast<int>(::getpid()));
    const std::uint64_t end = now_ns() + seconds * 1'000'000'000;
    while (now_ns() < end && !is_traced()) ::nanosleep(&kDebuggerPoll, nullptr);
}

void tell(int signal, const siginfo_t& info, const void* context) {
    const Crash& crash = crash_of(signal);
    const bool has_address = info.si_code > 0 && (signal == SIGSEGV || signal == SIGBUS);
    find_interrupted_calls(context, has_address ? info.si_addr : nullptr, crash_calls);
    const char* calls = crash_calls;
    char place[40] = "";
    if (has_address) {
        std::snprintf(
            place, sizeof place, " at address 0x%llx",
            static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(info.si_addr)));
    }
    if (info.si_code == SI_USER && info.si_pid != ::getpid())
        std::snprintf(place, sizeof place, " (sent by process %d)", static_cast<int>(info.si_pid));
    if (signal == SIGBUS && has_address && session != nullptr && session->public_file != nullptr)
        session->public_file->explain_missing_memory(info.si_addr);
    warn("%s: %s%s%s%s", crash.name, crash.meaning, place, calls[0] != '\0' ? "\n" : "", calls);
}

// The process then dies as without this handler: an instruction fails again, and a signal that was
// sent comes again when the handler has returned.
void on_crash(int signal, siginfo_t* info, void* context) {
    const int error = errno;
    if (has_crashed.exchange(true, std::memory_order_relaxed)) {
        for (;;) ::pause();  // Another thread has crashed first.
    }
    tell(signal, *info, context);
    wait_for_debugger();
    for (const Crash& crash : kCrashes) {
        struct sigaction action {};
        if (::sigaction(crash.signal, nullptr, &action) != 0) continue;
        if ((action.sa_flags & SA_SIGINFO) == 0 || action.sa_sigaction != on_crash) continue;
        ::signal(crash.signal, SIG_DFL);
    }
    ::signal(signal, SIG_DFL);
    errno = error;
    const bool comes_again = info->si_code > 0;
    if (!comes_again) ::syscall(SYS_tgkill, ::getpid(), ::gettid(), signal);
}

void make_alternate_stack() {
    stack_t stack{};
    if (::sigaltstack(nullptr, &stack) != 0 || (stack.ss_flags & SS_DISABLE) == 0) return;
    void* bytes =
        ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED) return;
    stack = {.ss_sp = bytes, .ss_flags = 0, .ss_size = kStackBytes};
    if (::sigaltstack(&stack, nullptr) != 0) ::munmap(bytes, kStackBytes);
}

}  // namespace

void watch_for_crashes() {
    if (!config().backtrace) return;
    bool handles_any = false;
    for (const Crash& crash : kCrashes) {
        struct sigaction action {};
        if (::sigaction(crash.signal, nullptr, &action) != 0) continue;
        if ((action.sa_flags & SA_SIGINFO) != 0 || action.sa_handler != SIG_DFL) continue;
        action.sa_sigaction = on_crash;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        for (const Crash& other : kCrashes) ::sigaddset(&action.sa_mask, other.signal);
        handles_any = ::sigaction(crash.signal, &action, nullptr) == 0 || handles_any;
    }
    if (handles_any) make_alternate_stack();
}

}  // namespace tessera
