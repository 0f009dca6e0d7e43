// SPDX-License-Identifier: BSD-3-Clause
//
// See progress_thread.hpp.
#include "transports/ofi/progress_thread.hpp"

#include <pthread.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/library_thread.hpp"
#include "base/platform.hpp"

namespace tessera::ofi {
namespace {

void timed_sleep(long nanoseconds) {
    const timespec pause{.tv_sec = 0, .tv_nsec = nanoseconds};
    ::nanosleep(&pause, nullptr);
}

}  // namespace

ProgressThread::~ProgressThread() {
    must_stop_.store(true, std::memory_order_release);  // Pairs with progress_thread.cpp:run.
    fabric_.wake();
    if (thread_.joinable()) thread_.join();
}

void ProgressThread::start() {
    thread_ = start_library_thread([this] { run(); });
}

void ProgressThread::run() {
    ::pthread_setname_np(::pthread_self(), "tessera");
    ::prctl(PR_SET_TIMERSLACK, 1000);  // Timed sleeps are short.
    if (prepare_ != nullptr) prepare_();
    // Pairs with transports/ofi/progress_thread.cpp:~ProgressThread.
    while (!must_stop_.load(std::memory_order_acquire)) {
        watchdog_.check();
        const State next = look();
        if (run_background()) continue;
        switch (next) {
            case State::kPolling:
                if (!has_found_) pause_between_polls();
                break;
            case State::kBackedOff: back_off(); break;
            case State::kSleeping: sleep(); break;
        }
    }
}

void ProgressThread::wake() {
    queue_.leave_to_thread();
    fabric_.wake();
}

bool ProgressThread::run_background() {
    if (background_ == nullptr) return false;
    const std::uint32_t before = queue_.posts();
    background_();
    const std::uint32_t posted = queue_.posts() - before;
    if (posted == 0) return false;
    // They are no sign of a program that posts, or reads the queue.
    posts_seen_ += posted;
    queue_.leave_to_thread();
    return true;
}

ProgressThread::State ProgressThread::look() {
    // The program has read the queue so lately that the thread is not needed. A waiting PE that
    // sleeps by the clock reads it once a millisecond.
    constexpr std::uint64_t kPolledNs = 60'000;
    // A read of the queue that took longer was no short message: there is no stream of them.
    constexpr std::uint64_t kShortReadNs = 10'000;
    const std::uint64_t start = now_ns();
    const bool is_polled = start - queue_.polled_at_ns() < kPolledNs;
    // A program that posts hands something over, which for long vectors takes longer than that.
    const std::uint32_t posts = queue_.posts();
    const bool is_posting = posts != posts_seen_;
    posts_seen_ = posts;
    if (is_polled || is_posting || !queue_.try_read(has_found_)) return State::kBackedOff;
    back_offs_ = 0;
    if (has_found_) {
        idle_ = 0;
        stream_hits_ = 0;
        return State::kPolling;
    }
    ++idle_;
    const std::uint64_t now = now_ns();
    if (now - start > kShortReadNs) {
        stream_hits_ = 0;
        queue_.note_arrival();
    }
    // Without the linger each sender would have to wake this thread.
    return now - woken_at_ns_ < linger_ns_ ? State::kPolling : State::kSleeping;
}

// A sleep is not longer than about half of the time that the program has been reading the queue:
// when the program stops, other nodes wait for this thread. Nor much shorter: sleeps of 0.8 ms on a
// sender's core take 15 % off its long puts, sleeps of 6 ms nothing.
void ProgressThread::back_off() {
    constexpr std::uint64_t kFirstSleepNs = 100'000;
    constexpr int kDoublingsMax = 6;
    fabric_.sleep(kFirstSleepNs << std::min(back_offs_++ / 2, kDoublingsMax));
}

void ProgressThread::sleep() {
    const std::uint64_t before = now_ns();
    posts_seen_ += queue_.wait_for_events(kSleepMs, idle_, Fabric::Waiter::kThread);
    woken_at_ns_ = now_ns();
    linger_ns_ = woken_at_ns_ - before < kLingerNs ? kLingerNs : kLingerAloneNs;
}

// A request/reply peer sends again within a few microseconds, so the thread keeps polling. A
// streaming sender of short messages is slowed by a fast reader, so after kHitsOfStream messages
// that came within kAnswerNs the thread backs off for kStreamSleeps sleeps. A look reads one long
// message, so several looks follow a sleep while there is something to read.
void ProgressThread::pause_between_polls() {
    constexpr int kHitsOfStream = 6;
    constexpr int kStreamSleeps = 16;
    constexpr int kLooksPerSleep = 16;
    constexpr long kStreamSleepNs = 20'000;
    constexpr std::uint64_t kAnswerNs = 1'000;  // a peer that waits for an answer takes longer
    constexpr std::uint64_t kBetweenPollsNs = 4'000;
    if (stream_hits_ >= kHitsOfStream) {
        if (++stream_looks_ < kLooksPerSleep && fabric_.is_called()) return;
        stream_looks_ = 0;
        timed_sleep(kStreamSleepNs);
        if (++stream_hits_ == kHitsOfStream + kStreamSleeps) stream_hits_ = 0;
        return;
    }
    const std::uint64_t before = now_ns();
    while (now_ns() - before < kAnswerNs) cpu_pause();
    stream_hits_ = fabric_.is_called() ? stream_hits_ + 1 : 0;
    if (stream_hits_ > 0) return;
    while (now_ns() - before < kBetweenPollsNs) cpu_pause();
}

}  // namespace tessera::ofi
