// SPDX-License-Identifier: BSD-3-Clause
//
// See supervisor.hpp: the loop and its events. verdict.cpp judges the end of a PE, ending.cpp ends
// the job.
#include "supervisor.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace tessera::oshrun {
namespace {

constexpr auto kSignalGrace = std::chrono::seconds(1);
// The period of checks for facts of which oshrun gets no event.
constexpr int kPollMsMax = 1000;
// PEs that write line by line wake oshrun for each line while it sleeps. When little comes soon
// after the last text, oshrun lets lines gather for this time. A pipe holds what comes meanwhile.
constexpr auto kRest = std::chrono::milliseconds(1);
constexpr std::size_t kTrickleBytes = 2048;

struct Watch {
    std::vector<pollfd> polled;
    std::vector<Stream*> streams;  // streams of the last entries

    std::size_t add(int fd, short events = POLLIN) {
        polled.push_back({.fd = fd, .events = events, .revents = 0});
        return polled.size() - 1;
    }
    bool is_ready(std::size_t index) const { return polled[index].revents != 0; }
};

}  // namespace

Supervisor::Supervisor(Job& job) : job_(job) {
    if (job.options.timeout_seconds > 0) {
        timeout_at_ =
            job.started_at + std::chrono::duration_cast<Clock::duration>(
                                 std::chrono::duration<double>(job.options.timeout_seconds));
    }
}

int Supervisor::run() {
    while (running_count() > 0) {
        wait_for_events();
        handle_deadlines();
    }
    finish();
    return exit_code_;
}

void Supervisor::wait_for_events() {
    Watch watch;
    std::size_t signals = watch.add(job_.signals.fd.get());
    std::size_t control = watch.add(job_.control_read.get());
    std::size_t sinks = watch.add(job_.output->event_fd());
    // poll() ignores negative descriptors.
    std::size_t abort = watch.add(job_.has_pmix ? job_.pmix.event_fd() : -1);
    std::size_t terminal = watch.add(job_.input.wants_input() ? STDIN_FILENO : -1);
    std::size_t typed = watch.add(job_.input.fd_to_write(), POLLOUT);
    std::size_t first_stream = watch.polled.size();
    const bool is_resting = Clock::now() < rest_until_;
    for (Stream& stream : job_.output->streams()) {
        if (is_resting || !job_.output->wants_more(stream)) continue;
        watch.add(stream.pipe.get());
        watch.streams.push_back(&stream);
    }
    if (::poll(watch.polled.data(), watch.polled.size(), poll_timeout_ms()) <= 0) return;
    Clock::time_point now = Clock::now();
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < watch.streams.size(); ++i) {
        Stream& stream = *watch.streams[i];
        if (!watch.is_ready(first_stream + i) || !stream.pipe) continue;
        bytes += job_.output->read(stream, now);
    }
    if (bytes > 0 && bytes < kTrickleBytes && now - last_read_ < kRest) rest_until_ = now + kRest;
    if (bytes > 0) last_read_ = now;
    if (watch.is_ready(sinks)) job_.output->clear_event();
    if (watch.is_ready(terminal)) job_.input.read();
    if (watch.is_ready(typed)) job_.input.write();
    if (watch.is_ready(signals)) handle_signals();
    if (watch.is_ready(abort) || watch.is_ready(control)) look_at_pes();
}

int Supervisor::poll_timeout_ms() const {
    Clock::time_point next = job_.output->next_tick();
    if (kill_at_) next = std::min(next, *kill_at_);
    if (complaint_) next = std::min(next, complaint_->believed_at);
    if (timeout_at_ && ending_ == Ending::kNone) next = std::min(next, *timeout_at_);
    Clock::time_point now = Clock::now();
    if (rest_until_ > now) next = std::min(next, rest_until_);
    if (next <= now) return 0;
    if (next - now >= std::chrono::milliseconds(kPollMsMax)) return kPollMsMax;
    // Rounded up, or the last millisecond would be spent spinning.
    return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(next - now).count());
}

void Supervisor::handle_deadlines() {
    Clock::time_point now = Clock::now();
    job_.output->tick(now);
    if (timeout_at_ && now >= *timeout_at_ && ending_ == Ending::kNone) {
        report_timeout();
        begin_ending(Ending::kTimeout, kTimeoutExitCode);
    }
    if (kill_at_ && now >= *kill_at_) kill_all();
    believe_complaint();
    look_for_missing_pe();
}

void Supervisor::handle_signals() {
    signalfd_siginfo info;
    while (::read(job_.signals.fd.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info))
        handle_signal(static_cast<int>(info.ssi_signo));
    look_at_pes();
}

void Supervisor::handle_signal(int signal) {
    if (is_end_signal(signal)) {
        is_impatient_ = is_impatient_ || running_count() == 0;
        signal_all(signal);
        signal_all(SIGCONT);  // A stopped PE must wake up to notice.
        if (ending_ == Ending::kSignal) {
            is_impatient_ = true;
            kill_all();
        } else if (ending_ == Ending::kNone) {
            message("received " + signal_text(signal) + ", ending the job");
            begin_ending(Ending::kSignal, 128 + signal);
            kill_at_ = Clock::now() + kSignalGrace;
        } else {
            is_impatient_ = true;
        }
        return;
    }
    switch (signal) {
        case SIGUSR1:
        case SIGUSR2:
        case SIGCONT: signal_all(signal); break;
        case SIGTSTP: suspend(); break;
        case SIGQUIT: report_hang(); break;
        default: break;  // SIGCHLD: look_at_pes() follows. SIGTTOU: writing continues.
    }
}

void Supervisor::suspend() {
    Clock::time_point since = Clock::now();
    signal_all(SIGTSTP);
    ::kill(::getpid(), SIGSTOP);
    // Here again after SIGCONT, which arrives as a signal of its own and is forwarded.
    if (timeout_at_) *timeout_at_ += Clock::now() - since;
}

void Supervisor::signal_all(int signal) const {
    for (const Pe& pe : job_.pes) {
        if (pe.is_running) ::kill(-pe.pid, signal);
    }
}

void Supervisor::message(const std::string& text) { job_.output->message("oshrun: " + text); }

int Supervisor::running_count() const {
    return static_cast<int>(std::count_if(job_.pes.begin(), job_.pes.end(),
                                          [](const Pe& pe) { return pe.is_running; }));
}

}  // namespace tessera::oshrun
