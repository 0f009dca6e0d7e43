// SPDX-License-Identifier: BSD-3-Clause
//
// Gate: a number in shared memory that only grows and that other PEs wait for. Hot path. Only
// post() writes it, and it carries a bit "a waiter sleeps", so that no wake is lost.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/platform.hpp"
#include "base/wait_policy.hpp"

namespace tessera {

// The word is number * 2 | a waiter sleeps. Zero bytes are number 0. It wraps; at most 2^30 steps
// may lie between a writer and a waiter.
class Gate {
  public:
    // RETURNS when: waiters may see `number`, and with it everything before it in this PE.
    // One writer at a time. COST: an exchange.
    TESSERA_INLINE void post(std::uint32_t number) {
        // Bit and number share one word, so the order of this exchange and of the waiter's
        // compare_exchange alone decides: no fence, no lost wake.
        if (post_only(number)) [[unlikely]]
            wake();
    }
    // RETURNS: whether a PE sleeps on the gate; the caller must wake() it. Pairs with
    // base/gate.hpp:has_reached.
    TESSERA_INLINE bool post_only(std::uint32_t number) {
        return (word_.exchange(number * 2, std::memory_order_acq_rel) & kSleeping) != 0;
    }
    TESSERA_COLD void wake();

    // Pairs with base/gate.hpp:post_only.
    TESSERA_INLINE bool has_reached(std::uint32_t number) const {
        return is_past(word_.load(std::memory_order_acquire), number);
    }

    // RETURNS when: the gate has reached `number`.
    TESSERA_INLINE void wait_for(std::uint32_t number, const char* where) {
        if (!reaches_soon(number)) wait_for_slowly(number, where);
    }
    // Its two halves: the first checks, without a call; and the rest of the wait.
    TESSERA_INLINE bool reaches_soon(std::uint32_t number) const {
        for (std::uint32_t i = wait_policy.pauses; i > 0; --i) {
            if (has_reached(number)) return true;
            pause_before_check(i);
        }
        return false;
    }
    void wait_for_slowly(std::uint32_t number, const char* where);
    // The slow half of a wait that also ends when `is_over(state)`, which is called now and then,
    // at least every kFailureSleepNanoseconds (failures.hpp) if the job survives failures.
    void wait_unless(bool (*is_over)(void*), void* state, std::uint32_t number, const char* where);

    // REQUIRES: no PE posts or waits meanwhile. Orders nothing.
    void reset(std::uint32_t number) { word_.store(number * 2, std::memory_order_relaxed); }

    // The number now, modulo 2^31. Orders nothing.
    std::uint32_t number() const { return word_.load(std::memory_order_relaxed) / 2; }

  private:
    // `remaining` checks are to come. The processor's pause takes 11 to 60 ns, half of which a wait
    // would lose at its end; waits that end soon do without. (Not those for words that other PEs
    // write by plain stores: these arrive 10 ns later when the waiter looks so often.)
    static void pause_before_check(std::uint32_t remaining) {
        if (remaining <= kLongPauses) return cpu_pause();
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
