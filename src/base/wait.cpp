// SPDX-License-Identifier: BSD-3-Clause
//
// See wait.hpp. Nothing here runs unless a wait outlasted its first checks. The constants are
// measured: docs/waiting.md.
#include "base/wait.hpp"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "base/futex.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kPausesWithCoreEach = kLongPauses + 100;  // 10 to 60 us
constexpr std::uint32_t kPausesWithProgress = 50;
constexpr std::uint32_t kYieldsWithCoreEach = 10000;      // 3 to 5 ms
constexpr std::uint32_t kYieldsWithProgress = 1'000'000;  // a second
constexpr std::uint32_t kYieldsOversubscribed = 200;
// So long: somebody else had the core. If none of our PEs was busy for most of it: a stranger.
constexpr std::uint64_t kSlowYieldNanoseconds = 500'000;
// So long nobody yields then; it doubles while every end finds a stranger again.
constexpr std::uint64_t kCrowdedNanosecondsMin = 2'000'000;
constexpr std::uint64_t kCrowdedNanosecondsMax = 100'000'000;
// Long waits nap longer: 64 PEs that look every millisecond keep a core busy.
constexpr std::int64_t kNapNanosecondsMax = 16'000'000;

std::atomic<std::uint64_t> private_crowded_until{0};
char* wait_label = nullptr;
std::uint32_t wait_label_bytes = 0;
Sleeper unknown_sleeper{};
Sleeper* my_sleeper = &unknown_sleeper;
Room unknown_room{};
Room* my_room = &unknown_room;
std::uint64_t my_room_bytes = 0;
std::atomic<HelpHook> help_hook{nullptr};
std::atomic<std::int64_t>* sleep_note = nullptr;
const char* sleep_origin = nullptr;
WaitTimes unknown_times{};
WaitTimes* my_times = &unknown_times;
auto& times_of_others = *new std::vector<const WaitTimes*>;

// RETURNS: whether there is anything to drive.
bool drive_progress_if_any() {
    ProgressHook hook = progress_hook.load(std::memory_order_acquire);
    if (hook != nullptr) hook();
    return hook != nullptr;
}

// Does what other PEs ask for. RETURNS when: there is nothing more, or `ready`; whether there was
// something.
template <class Ready>
bool help(std::uint64_t& now, Ready ready) {
    HelpHook hook = help_hook.load(std::memory_order_acquire);
    if (hook == nullptr || !hook()) return false;
    while (!ready() && hook()) {
    }
    now = now_ns();  // That was no stranger.
    return true;
}

// As futex_wait, with a note for those who want help.
void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t nanoseconds) {
    std::atomic<std::int64_t>* note = sleep_note;
    if (note == nullptr) return futex_wait(word, expected, nanoseconds);
    note->store(reinterpret_cast<const char*>(&word) - sleep_origin, std::memory_order_relaxed);
    futex_wait(word, expected, nanoseconds);
    note->store(0, std::memory_order_relaxed);
}

// Notes for others that this PE waits. The name is for oshrun: several threads of a PE may wait at
// once, so the bytes are atomic; what they spell is then the name of one of the waits, or of a
// mixture. Nothing is ordered.
class SlowWait {
  public:
    explicit SlowWait(const char* where) : now(now_ns()) {
        release_held();
        my_times->entered.store(now, std::memory_order_relaxed);
        if (wait_label == nullptr) return;
        for (std::uint32_t i = 0; i + 1 < wait_label_bytes; ++i) {
            __atomic_store_n(wait_label + i, where[i], __ATOMIC_RELAXED);
            if (where[i] == '\0') break;
        }
    }
    ~SlowWait() {
        my_times->left.store(now, std::memory_order_relaxed);
        if (wait_label != nullptr) __atomic_store_n(wait_label, '\0', __ATOMIC_RELAXED);
    }
    SlowWait(const SlowWait&) = delete;
    SlowWait& operator=(const SlowWait&) = delete;

    std::uint64_t now;  // when the waiter last knew the time: the clock costs as much as a check
};

// Whether one of our PEs may have had the core between two times: then sleeping would only delay
// the answer to it.
bool is_ours(std::uint64_t from, std::uint64_t to) {
    return std::ranges::any_of(times_of_others, [=](const WaitTimes* times) {
        return times->busy_between(from, to) >= (to - from) / 2;
    });
}

// After a slow yield that ended at `now`: nobody yields until the time that this returns. What one
// thread reads of another's numbers only changes how long that is.
std::uint64_t crowded_until(std::uint64_t now) {
    static std::atomic<std::uint64_t> length{kCrowdedNanosecondsMin};
    static std::atomic<std::uint64_t> until{0};
    std::uint64_t last = length.load(std::memory_order_relaxed);
    bool is_again = now < until.load(std::memory_order_relaxed) + 2 * last;
    std::uint64_t next =
        is_again ? std::min(2 * last, kCrowdedNanosecondsMax) : kCrowdedNanosecondsMin;
    length.store(next, std::memory_order_relaxed);
    until.store(now + next, std::memory_order_relaxed);
    return now + next;
}

// Yields between checks. RETURNS: whether ready() became true; false when patience has ended.
template <class Ready>
bool wait_yielding(SlowWait& wait, Ready ready) {
    if (wait.now < wait_policy.crowded_until_ns->load(std::memory_order_relaxed)) return ready();
    std::uint32_t yields = wait_policy.yields;
    for (std::uint32_t i = 0; i < yields; ++i) {
        if (ready()) return true;
        help(wait.now, ready);
        if (drive_progress_if_any()) {
            // With a core of one's own, other nodes are answered at once.
            if (yields >= kYieldsWithCoreEach) yields = kYieldsWithProgress;
            wait.now = now_ns();
        }
        ::sched_yield();
        const std::uint64_t before = wait.now;
        wait.now = now_ns();
        if (wait.now - before > kSlowYieldNanoseconds && !is_ours(before, wait.now)) {
            wait_policy.crowded_until_ns->store(crowded_until(wait.now), std::memory_order_relaxed);
            break;
        }
    }
    return ready();
}

}  // namespace

std::atomic<ProgressHook> progress_hook{nullptr};
std::atomic<ReleaseHook> release_hook{nullptr};
WaitPolicy wait_policy{.crowded_until_ns = &private_crowded_until};

void choose_wait_policy(int npes_local, std::uint32_t usable_cores,
                        std::atomic<std::uint64_t>* crowded_until_ns) {
    bool core_each = static_cast<std::uint32_t>(npes_local) <= usable_cores;
    wait_policy = {.pauses = core_each ? kPausesWithCoreEach : 0,
                   .yields = core_each ? kYieldsWithCoreEach : kYieldsOversubscribed,
                   .crowded_until_ns =
                       crowded_until_ns != nullptr ? crowded_until_ns : &private_crowded_until};
}

void set_progress_hook(ProgressHook hook) {
    progress_hook.store(hook, std::memory_order_release);
    // Pauses drive no progress.
    if (hook != nullptr && wait_policy.pauses > kPausesWithProgress) {
        wait_policy.pauses = kPausesWithProgress;
    }
}

void set_help_hook(HelpHook hook) { help_hook.store(hook, std::memory_order_release); }

void set_sleep_note(std::atomic<std::int64_t>* note, const char* origin) {
    sleep_note = note;
    sleep_origin = origin;
}

std::uint64_t WaitTimes::busy_between(std::uint64_t from, std::uint64_t to) const {
    const std::uint64_t last_entered = entered.load(std::memory_order_relaxed);
    const std::uint64_t last_left = left.load(std::memory_order_relaxed);
    const std::uint64_t begin = std::max(from, last_left);
    const std::uint64_t end = last_entered > last_left ? std::min(to, last_entered) : to;
    return end > begin ? end - begin : 0;
}

void set_wait_times(WaitTimes* mine, std::vector<const WaitTimes*> others) {
    my_times = mine != nullptr ? mine : &unknown_times;
    times_of_others = std::move(others);
}

void set_wait_label(char* label, std::uint32_t bytes) {
    wait_label = label;
    wait_label_bytes = bytes;
}

void set_my_sleeper(Sleeper* sleeper, Room* room, std::uint64_t bytes) {
    my_sleeper = sleeper != nullptr ? sleeper : &unknown_sleeper;
    // Relaxed: others look at it only between meeting this PE at init and meeting it at finalize.
    my_room = room != nullptr ? room : &unknown_room;
    my_room_bytes = bytes;
    my_room->bytes.store(bytes, std::memory_order_relaxed);
}

void Sleeper::wake() {
    sleeping_.store(0, std::memory_order_relaxed);
    futex_wake_all(sleeping_);
}

void Sleeper::sleep_unless(bool (*ready)(void*), void* state, std::int64_t nanoseconds) {
    // The full fence stands between our announcements and the loads of ready(); pairs with the
    // seq_cst operation and load of whoever calls is_sleeping(), or looks at the room
    // (include/shmem/inline.h).
    sleeping_.store(1, std::memory_order_seq_cst);
    my_room->bytes.store(0, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!ready(state)) sleep_on(sleeping_, 1, nanoseconds);
    // Two threads of a PE may sleep here: one clears the other's mark, who then wakes after its
    // nap.
    sleeping_.store(0, std::memory_order_relaxed);
    my_room->bytes.store(my_room_bytes, std::memory_order_relaxed);
}

void wait_slowly(bool (*ready)(void*), void* state, const char* where) {
    SlowWait wait(where);
    if (wait_yielding(wait, [=] { return ready(state); })) return;
    for (std::int64_t nap = Sleeper::kNapNanoseconds; !ready(state);) {
        // Who drives progress for others must look often.
        if (!drive_progress_if_any() && nap < kNapNanosecondsMax) nap *= 2;
        my_sleeper->sleep_unless(ready, state, nap);
        wait.now = now_ns();
        // Another one is likely to ask soon.
        const auto is_ready = [=] { return ready(state); };
        if (help(wait.now, is_ready) && wait_yielding(wait, is_ready)) return;
    }
}

void Gate::wake() { futex_wake_all(word_); }

void Gate::wait_for_slowly(std::uint32_t number, const char* where) {
    SlowWait wait(where);
    if (wait_yielding(wait, [=, this] { return has_reached(number); })) return;
    for (;;) {
        // With somebody to drive progress for, nobody may sleep without limit.
        std::int64_t limit = drive_progress_if_any() ? Sleeper::kNapNanoseconds : 0;
        std::uint32_t seen = word_.load(std::memory_order_acquire);  // Pairs with post().
        if (is_past(seen, number)) return;
        // Relaxed: carries no data; post() sees the bit by the order of changes of this one word.
        if ((seen & kSleeping) != 0 ||
            word_.compare_exchange_strong(seen, seen | kSleeping, std::memory_order_relaxed)) {
            sleep_on(word_, seen | kSleeping, limit);  // Returns at once if post() came between.
            wait.now = now_ns();
            const auto is_ready = [=, this] { return has_reached(number); };
            if (help(wait.now, is_ready) && wait_yielding(wait, is_ready)) return;
        }
    }
}

}  // namespace tessera
