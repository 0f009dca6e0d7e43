// SPDX-License-Identifier: BSD-3-Clause
//
// See signals.hpp.
#include "signals.hpp"

#include <sys/signalfd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "base/fatal.hpp"

namespace tessera::oshrun {
namespace {

constexpr int kSignals[] = {SIGCHLD, SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                            SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT, SIGTTOU};

}  // namespace

SignalState take_signals() {
    SignalState state;
    sigset_t handled;
    sigemptyset(&handled);
    for (int signal : kSignals) sigaddset(&handled, signal);
    ::sigprocmask(SIG_BLOCK, &handled, &state.mask_before);
    // A writer to a closed pipe gets an error instead.
    struct sigaction ignore {};
    struct sigaction before {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, &before);
    state.pipe_was_ignored = before.sa_handler == SIG_IGN;
    // An inherited "ignore" (nohup, background jobs of scripts) would hide the ends of children.
    ignore.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &ignore, nullptr);
    state.fd = Fd(::signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!state.fd) fatal("signalfd: %s", std::strerror(errno));
    return state;
}

bool is_end_signal(int signal) { return signal == SIGINT || signal == SIGTERM || signal == SIGHUP; }

bool end_signal_is_pending() {
    sigset_t pending;
    ::sigpending(&pending);
    return std::any_of(std::begin(kSignals), std::end(kSignals), [&](int signal) {
        return is_end_signal(signal) && sigismember(&pending, signal) == 1;
    });
}

std::string signal_text(int signal) {
    const char* name = ::sigabbrev_np(signal);
    const char* description = ::sigdescr_np(signal);
    if (name == nullptr) return "signal " + std::to_string(signal);
    std::string text = "signal " + std::to_string(signal) + " (SIG" + name;
    if (description != nullptr) text += std::string(", ") + description;
    return text + ")";
}

}  // namespace tessera::oshrun
