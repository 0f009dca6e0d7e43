// SPDX-License-Identifier: BSD-3-Clause
//
// How a PE waits, decided in this one place. Hot path: the first checks are inline, everything
// slower is in wait.cpp. First pauses, then yields, then sleeps in the kernel (docs/waiting.md has
// the measurements: a wrong choice here costs 1000x). Two kinds of words:
//
// Gate: written only by post() (barriers): carries a "somebody sleeps" bit, so no wake is lost.
//
// Sleeper: one per PE, for words that anybody may change (user waits, locks): atomics and signals
// towards the PE wake it; a plain put does not, so its sleeps are short.
//
// Invariant: a waiter that sleeps is seen by the writer that ends its wait (Gate, atomics), or
// wakes by itself: first after a millisecond, later less often. Every slow wait drives progress and
// leaves its name for oshrun.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/platform.hpp"

namespace tessera {

struct WaitPolicy {
    std::uint32_t pauses = 0;    // checks with a pause between them
    std::uint32_t yields = 200;  // then checks with sched_yield between them
    // Until this time (CLOCK_MONOTONIC) nobody on the node yields: strangers use the cores, and a
    // yield would give them a whole time slice. A hint in shared memory, so all accesses are
    // relaxed.
    std::atomic<std::uint64_t>* crowded_until_ns = nullptr;
};

// Read by every wait, written once during init.
extern WaitPolicy wait_policy;
// While more checks than this are left, gates pause for a shorter time.
inline constexpr std::uint32_t kLongPauses = 1000;

// `npes_local` PEs share `usable_cores` cores.
void choose_wait_policy(int npes_local, std::uint32_t usable_cores,
                        std::atomic<std::uint64_t>* crowded_until_ns);

// Called now and then by every slow wait; a transport that needs the CPU sets it. May be nullptr.
using ProgressHook = void (*)();
void set_progress_hook(ProgressHook hook);
extern std::atomic<ProgressHook> progress_hook;  // of set_progress_hook
// For tests that a program may repeat until they succeed. COST: a load where no transport needs it.
TESSERA_INLINE void drive_progress() {
    ProgressHook hook = progress_hook.load(std::memory_order_acquire);
    if (hook != nullptr) [[unlikely]]
        hook();
}

// Called by every slow wait before it yields or sleeps, and by tests that fail: what the caller
// holds back must go out, the answer to it may be what is waited for. Set by the first session
// (api/contexts.cpp), nullptr before.
using ReleaseHook = void (*)();
extern std::atomic<ReleaseHook> release_hook;
inline void release_held() {
    ReleaseHook hook = release_hook.load(std::memory_order_acquire);
    if (hook != nullptr) [[unlikely]]
        hook();
}

// Called by slow waits between their checks: does a piece of what other PEs ask of this one.
// RETURNS: whether there was something to do. nullptr: nobody asks.
using HelpHook = bool (*)();
void set_help_hook(HelpHook hook);
// Where slow waits note the word on which they sleep, as its distance in bytes from `origin`, so
// that who wants help can wake them; 0: they do not sleep. A hint. nullptr: nowhere.
void set_sleep_note(std::atomic<std::int64_t>* note, const char* origin);

// When a PE last entered and last left a slow wait: nanoseconds of CLOCK_MONOTONIC, in shared
// memory for the other PEs of its node, 0 at first. Hints, so all accesses are relaxed.
struct WaitTimes {
    std::atomic<std::uint64_t> entered;
    std::atomic<std::uint64_t> left;
    // How much of [from, to) the PE spent in no slow wait, as far as these tell.
    std::uint64_t busy_between(std::uint64_t from, std::uint64_t to) const;
};
static_assert(sizeof(WaitTimes) == 16);
// Where this PE writes its own, and where the others of its node do. nullptr: nowhere.
void set_wait_times(WaitTimes* mine, std::vector<const WaitTimes*> others);

// Where slow waits write their name (PeRecord::waiting_in), and how many bytes fit.
void set_wait_label(char* label, std::uint32_t bytes);

// "This PE sleeps in a user wait": one word per PE in its internal segment.
class Sleeper {
  public:
    // For whoever changed a word of that PE. Exact after a seq_cst read-modify-write: it wrote the
    // word, then reads sleeping_; the waiter wrote sleeping_, then reads the word (sleep_unless).
    // After a plain or release store it may miss once in a while; the sleeper's nap then ends by
    // itself.
    // COST: a load of a line that is almost never written.
    TESSERA_INLINE bool is_sleeping() const {
        return sleeping_.load(std::memory_order_seq_cst) != 0;
    }
    TESSERA_COLD void wake();

    // Sleeps, at most `nanoseconds`, unless `ready(state)`.
    static constexpr std::int64_t kNapNanoseconds = 1'000'000;
    void sleep_unless(bool (*ready)(void*), void* state,
                      std::int64_t nanoseconds = kNapNanoseconds);

  private:
    std::atomic<std::uint32_t> sleeping_;
};
static_assert(sizeof(Sleeper) == 4);

// How far into a PE's heap others may reach without looking further: while it sleeps, not at all,
// because a store may have to wake it. A line of its own for each PE (heap/node_file.hpp), read by
// programs with SHMEM_INLINE (include/shmem/inline.h).
struct alignas(kFalseSharingBytes) Room {
    std::atomic<std::uint64_t> bytes;
};

// The sleeper of this PE; until init sets it, one that nobody wakes. Opens `room`, if any, for
// `bytes`.
void set_my_sleeper(Sleeper* sleeper, Room* room = nullptr, std::uint64_t bytes = 0);

// The slow half of wait_until: yields, then naps, until `ready(state)`.
void wait_slowly(bool (*ready)(void*), void* state, const char* where);

// Returns when `ready()` is true. `ready` reads with acquire (it pairs with the writer's release or
// with the fence of the operation that wrote). `where` names the routine.
template <class Ready>
TESSERA_INLINE void wait_until(Ready ready, const char* where) {
    for (std::uint32_t i = wait_policy.pauses; i > 0; --i) {
        if (ready()) return;
        cpu_pause();
    }
    wait_slowly([](void* state) { return (*static_cast<Ready*>(state))(); }, &ready, where);
}

// A number in shared memory that only grows and that others wait for: number * 2 | somebody sleeps.
// Zero bytes are number 0. It wraps; at most 2^30 steps may lie between a writer and a waiter.
class Gate {
  public:
    // RETURNS when: waiters may see `number`, and with it everything before it in this PE.
    // One writer at a time. COST: an exchange.
    TESSERA_INLINE void post(std::uint32_t number) {
        // Release pairs with has_reached(). Bit and number share one word, so the order of this
        // exchange and of the waiter's compare_exchange alone decides: no fence, no lost wake.
        if (post_only(number)) [[unlikely]]
            wake();
    }
    // RETURNS: whether a PE sleeps on the gate; the caller must wake() it.
    TESSERA_INLINE bool post_only(std::uint32_t number) {
        return (word_.exchange(number * 2, std::memory_order_acq_rel) & kSleeping) != 0;
    }
    TESSERA_COLD void wake();

    // Acquire: pairs with post().
    TESSERA_INLINE bool has_reached(std::uint32_t number) const {
        return is_past(word_.load(std::memory_order_acquire), number);
    }

    // RETURNS when: the gate has reached `number`.
    TESSERA_INLINE void wait_for(std::uint32_t number, const char* where) {
        if (!reaches_soon(number)) wait_for_slowly(number, where);
    }
    // Its two halves: the first checks, without a call; and what comes when they have failed.
    TESSERA_INLINE bool reaches_soon(std::uint32_t number) const {
        for (std::uint32_t i = wait_policy.pauses; i > 0; --i) {
            if (has_reached(number)) return true;
            pause_before_check(i);
        }
        return false;
    }
    void wait_for_slowly(std::uint32_t number, const char* where);

    // REQUIRES: nobody posts or waits meanwhile. Orders nothing.
    void reset(std::uint32_t number) { word_.store(number * 2, std::memory_order_relaxed); }

    // The number now, modulo 2^31. Orders nothing.
    std::uint32_t number() const { return word_.load(std::memory_order_relaxed) / 2; }

  private:
    // `left` checks are to come. The processor's pause takes 11 to 60 ns, half of which a wait
    // would lose at its end; waits that end soon do without. (Not those for words that others
    // write by plain stores: these arrive 10 ns later when the waiter looks so often.)
    static void pause_before_check(std::uint32_t left) {
        if (left <= kLongPauses) return cpu_pause();
        for (int i = 0; i < 8; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
    }

    static constexpr std::uint32_t kSleeping = 1;
    static bool is_past(std::uint32_t word, std::uint32_t number) {
        return static_cast<std::int32_t>((word & ~kSleeping) - number * 2) >= 0;
    }

    std::atomic<std::uint32_t> word_;
};
static_assert(sizeof(Gate) == 4);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace tessera
