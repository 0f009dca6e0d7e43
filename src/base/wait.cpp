// SPDX-License-Identifier: BSD-3-Clause
//
// See wait.hpp. Nothing here runs unless a wait outlasted its first checks. The constants are
// measured: docs/code/waiting.md.
#include "base/wait.hpp"

#include <sched.h>

#include <algorithm>

#include "base/cancellation.hpp"
#include "base/clock.hpp"
#include "base/failures.hpp"
#include "base/futex.hpp"
#include "base/no_wait.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kYieldsWithProgress = 1'000'000;  // a second
// So many of these looks at the network for a yield: a yield takes as long as a look.
constexpr std::uint32_t kLooksPerYield = 4;
// A yield of this length gave the core to another process. If none of the node's PEs was busy for
// most of that time, the process belongs to another job.
constexpr std::uint64_t kSlowYieldNanoseconds = 500'000;
// The node's PEs then do not yield for this time. It doubles while its end finds another job again.
constexpr std::uint64_t kOversubscribedNanosecondsMin = 2'000'000;
constexpr std::uint64_t kOversubscribedNanosecondsMax = 100'000'000;
// Long waits sleep longer: 64 PEs that check every millisecond keep a core busy.
constexpr std::int64_t kTimedSleepNanosecondsMax = 16'000'000;
constexpr std::int64_t kHangLookNanoseconds = 200'000'000;

// Does the work that other PEs ask for. RETURNS when: there is no more work, or `ready`; whether
// there was some.
template <class Ready>
bool help(std::uint64_t& now, Ready ready) {
    const WaitEnvironment::Help do_piece = wait_environment.help;
    if (do_piece == nullptr || !do_piece()) return false;
    while (!ready() && do_piece()) {
    }
    now = now_ns();  // The time until now was this PE's own work.
    return true;
}

// As futex_wait, with a note for PEs that want help.
void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t nanoseconds) {
    std::atomic<std::int64_t>* note = wait_environment.sleep_note;
    if (note == nullptr) return futex_wait(word, expected, nanoseconds);
    note->store(reinterpret_cast<const char*>(&word) - wait_environment.sleep_origin,
                std::memory_order_relaxed);
    futex_wait(word, expected, nanoseconds);
    note->store(0, std::memory_order_relaxed);
}

// Notes for others that this PE waits. The name is for oshrun: several threads of a PE may wait at
// once, so the bytes are atomic. They then spell the name of one of the waits, or a mixture.
// Nothing is ordered. The check of a wait may wait itself, for a moment; the notes are those of the
// outer wait again afterwards.
class SlowWait {
  public:
    SlowWait(const char* where, const WaitSubject& subject)
        : now(now_ns()), where_(where), subject_(subject), entered_(now), outer_(innermost) {
        check_may_wait(where);
        release_held();
        innermost = this;
        note();
    }
    ~SlowWait() {
        innermost = outer_;
        if (outer_ != nullptr) {
            outer_->note();
            return;
        }
        wait_environment.times->ended.store(now, std::memory_order_relaxed);
        const std::span<char> label = wait_environment.label;
        if (!label.empty()) __atomic_store_n(label.data(), '\0', __ATOMIC_RELAXED);
        if (wait_environment.note != nullptr) wait_environment.note->write({});
    }
    SlowWait(const SlowWait&) = delete;
    SlowWait& operator=(const SlowWait&) = delete;

    // A cancelled thread may end in a wait for words of the program, and in no other one.
    void offer_end() const {
        if (subject_.kind == WaitKind::kWords) cancellation_point();
    }
    // Called now and then by a wait that goes on.
    void look_for_hang() {
        const std::uint64_t limit = wait_environment.hang_nanoseconds;
        if (limit == 0 || is_reported_ || now - entered_ < limit) return;
        is_reported_ = true;
        wait_environment.report_hang();
    }

    // With a core of its own, a PE answers other nodes at once. RETURNS: whether something has come
    // from another node since the last call, so that polling is worth it.
    bool has_arrivals() {
        const std::atomic<std::uint32_t>* arrivals = wait_environment.arrivals;
        if (arrivals == nullptr || wait_policy.yields < kYieldsWithCoreEach) return false;
        const std::uint32_t before = arrivals_seen_;
        arrivals_seen_ = arrivals->load(std::memory_order_relaxed);
        return arrivals_seen_ != before;
    }

    std::uint64_t now;  // the waiter's last reading: the clock costs as much as a check

  private:
    void note() const {
        wait_environment.times->entered.store(entered_, std::memory_order_relaxed);
        const std::span<char> label = wait_environment.label;
        for (std::size_t i = 0; i + 1 < label.size(); ++i) {
            __atomic_store_n(&label[i], where_[i], __ATOMIC_RELAXED);
            if (where_[i] == '\0') break;
        }
        if (wait_environment.note != nullptr) wait_environment.note->write(subject_);
    }

    static constinit thread_local SlowWait* innermost;

    const char* where_;
    WaitSubject subject_;
    std::uint64_t entered_;
    SlowWait* outer_;
    bool is_reported_ = false;
    std::uint32_t arrivals_seen_ = 0;
};
constinit thread_local SlowWait* SlowWait::innermost = nullptr;

// Whether one of the node's PEs may have had the core between two times: then sleeping would only
// delay the answer to it.
bool is_ours(std::uint64_t from, std::uint64_t to) {
    return std::ranges::any_of(wait_environment.times_of_others, [=](const WaitTimes* times) {
        return times->busy_between(from, to) >= (to - from) / 2;
    });
}

// Called after a slow yield that ended at `now`. RETURNS: the time until which no PE of the node
// yields. Races with other threads' numbers only change the length of that time.
std::uint64_t oversubscribed_until(std::uint64_t now) {
    static std::atomic<std::uint64_t> length{kOversubscribedNanosecondsMin};
    static std::atomic<std::uint64_t> until{0};
    std::uint64_t last = length.load(std::memory_order_relaxed);
    bool is_again = now < until.load(std::memory_order_relaxed) + 2 * last;
    std::uint64_t next = is_again ? std::min(2 * last, kOversubscribedNanosecondsMax)
                                  : kOversubscribedNanosecondsMin;
    length.store(next, std::memory_order_relaxed);
    until.store(now + next, std::memory_order_relaxed);
    return now + next;
}

// Yields between checks. RETURNS: whether ready() became true; false when patience has ended.
template <class Ready>
bool wait_yielding(SlowWait& wait, Ready ready) {
    std::atomic<std::uint64_t>& no_yield_until = *wait_environment.oversubscribed_until_ns;
    if (wait.now < no_yield_until.load(std::memory_order_relaxed)) return ready();
    std::uint32_t yields = wait_policy.yields;
    for (std::uint32_t i = 0; i < yields; ++i) {
        if (ready()) return true;
        wait.offer_end();
        look_for_failures();
        help(wait.now, ready);
        if (drive_progress()) {
            if (yields >= kYieldsWithCoreEach) yields = kYieldsWithProgress;
            wait.now = now_ns();
            if (wait.has_arrivals()) {
                wait.look_for_hang();
                i = 0;
                continue;
            }
            if (yields == kYieldsWithProgress && i % kLooksPerYield != 0) continue;
        }
        ::sched_yield();
        const std::uint64_t before = wait.now;
        wait.now = now_ns();
        // It may have given the core to this PE's own thread.
        if (wait.now - before > kSlowYieldNanoseconds && !is_ours(before, wait.now) &&
            !wait.has_arrivals()) {
            no_yield_until.store(oversubscribed_until(wait.now), std::memory_order_relaxed);
            break;
        }
    }
    return ready();
}

}  // namespace

void Sleeper::wake() {
    sleeping_.store(0, std::memory_order_relaxed);
    futex_wake_all(sleeping_);
}

void Sleeper::sleep_unless(bool (*ready)(void*), void* state, std::int64_t nanoseconds) {
    InlineLimit& limit = *wait_environment.inline_limit;
    // The full fence stands between this PE's announcements and the loads of ready(). A writer
    // changes the word by seq_cst, then looks for the sleeper, or at the inline limit
    // (include/shmem/inline.h). Pairs with base/sleeper.hpp:is_sleeping.
    sleeping_.store(1, std::memory_order_seq_cst);
    // Release: a writer that finds the limit 0 clears the mark behind this store of it, and not
    // before. Pairs with include/shmem/inline.h:shmem_internal_wake_after_atomic.
    limit.bytes.store(0, std::memory_order_release);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!ready(state)) sleep_on(sleeping_, 1, nanoseconds);
    // Two threads of a PE may sleep here: one clears the mark of the other, which then wakes after
    // its timed sleep.
    sleeping_.store(0, std::memory_order_relaxed);
    limit.bytes.store(wait_environment.inline_limit_bytes, std::memory_order_relaxed);
}

void wait_slowly(bool (*ready)(void*), void* state, const char* where) {
    wait_slowly_for({}, ready, state, where);
}

void wait_slowly_for(const WaitSubject& subject, bool (*ready)(void*), void* state,
                     const char* where) {
    SlowWait wait(where, subject);
    if (wait_yielding(wait, [=] { return ready(state); })) return;
    for (std::int64_t sleep_ns = Sleeper::kTimedSleepNanoseconds; !ready(state);) {
        // A PE that drives progress for other PEs must look often.
        if (!drive_progress() && sleep_ns < kTimedSleepNanosecondsMax) sleep_ns *= 2;
        wait_environment.sleeper->sleep_unless(ready, state, sleep_ns);
        wait.now = now_ns();
        wait.offer_end();
        look_for_failures();
        wait.look_for_hang();
        // Another PE is likely to ask soon.
        const auto is_ready = [=] { return ready(state); };
        const bool is_asked = help(wait.now, is_ready) || wait.has_arrivals();
        if (is_asked && wait_yielding(wait, is_ready)) return;
    }
}

void Gate::wake() { futex_wake_all(word_); }

void Gate::wait_for_slowly(std::uint32_t number, const char* where) {
    wait_unless([](void*) { return false; }, nullptr, number, where);
}

void Gate::wait_unless(bool (*is_over)(void*), void* state, std::uint32_t number,
                       const char* where) {
    SlowWait wait(where, {.kind = WaitKind::kGate, .address = this, .value = number});
    if (wait_yielding(wait, [=, this] { return has_reached(number); })) return;
    for (;;) {
        look_for_failures();
        wait.look_for_hang();
        // A PE that drives progress for other PEs must not sleep without limit.
        std::int64_t limit = drive_progress()      ? Sleeper::kTimedSleepNanoseconds
                             : survives_failures() ? kFailureSleepNanoseconds
                             : wait_environment.hang_nanoseconds != 0 ? kHangLookNanoseconds
                                                                      : 0;
        // Pairs with base/gate.hpp:post_only.
        std::uint32_t seen = word_.load(std::memory_order_acquire);
        if (is_past(seen, number) || is_over(state)) return;
        // Relaxed: carries no data; post() sees the bit by the order of changes of this one word.
        if ((seen & kSleeping) != 0 ||
            word_.compare_exchange_strong(seen, seen | kSleeping, std::memory_order_relaxed)) {
            sleep_on(word_, seen | kSleeping, limit);  // Returns at once if post() came between.
            wait.now = now_ns();
            const auto is_ready = [=, this] { return has_reached(number); };
            const bool is_asked = help(wait.now, is_ready) || wait.has_arrivals();
            if (is_asked && wait_yielding(wait, is_ready)) return;
        }
    }
}

}  // namespace tessera
