// SPDX-License-Identifier: BSD-3-Clause
//
// How a PE waits, decided in this one place. Hot path: the first checks are inline, everything
// slower is in wait.cpp. Two kinds of waits:
//   wait_until   on a word that anybody may change by a plain store (user waits): nobody can wake us,
//                so pause, then yield, then (more PEs than cores) short sleeps that grow.
//   WakeWord     on a word whose writer goes through WakeWord::set (barriers, locks): pause, yield,
//                then (more PEs than cores) futex; the writer pays a system call only if somebody sleeps.
// More PEs than cores: spinning costs 1000x (docs/waiting.md has the measurements). The policy is the
// same for all PEs of a node, because writers and waiters must agree whether anybody may sleep.
// Every slow wait drives progress and leaves its name where oshrun can read it.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/platform.hpp"

namespace tessera {

struct WaitPolicy {
    std::uint32_t pauses = 50;   // checks with a pause between them
    std::uint32_t yields = 20;   // checks with sched_yield between them
    bool may_sleep = true;       // false: PEs fit the cores, yield for ever
};

// Read by every wait, written once during init before any other PE can wait for us.
extern WaitPolicy wait_policy;

// `npes_local` PEs share `usable_cores` cores.
void choose_wait_policy(int npes_local, std::uint32_t usable_cores);

// Called now and then by every slow wait; a transport that needs the CPU sets it. May be nullptr.
using ProgressHook = void (*)();
void set_progress_hook(ProgressHook hook);

// Where slow waits write their name (PeRecord::waiting_in), and how many bytes fit.
void set_wait_label(char* label, std::uint32_t bytes);

// The slow half of wait_until: yields, then sleeps, until `ready(state)`.
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

// A word in shared memory that one side sets and the other waits for.
//   +0 value      the writer's
//   +4 sleepers   processes inside futex_wait
struct WakeWord {
    std::atomic<std::uint32_t> value;
    std::atomic<std::uint32_t> sleepers;

    // Publishes everything written before and wakes sleepers.
    // Pairs with the acquire loads in wait_for; the seq_cst store and load pair with the seq_cst
    // increment and load in sleep_until_changed: one side always sees the other.
    // COST: a store; with more PEs than cores a locked store and a load.
    TESSERA_INLINE void set(std::uint32_t next) {
        if (!wait_policy.may_sleep) {
            value.store(next, std::memory_order_release);
            return;
        }
        value.store(next, std::memory_order_seq_cst);
        if (sleepers.load(std::memory_order_seq_cst) != 0) [[unlikely]] wake();
    }

    // Returns when value has reached `wanted`, counting modulo 2^32.
    TESSERA_INLINE void wait_for(std::uint32_t wanted, const char* where) {
        for (std::uint32_t i = wait_policy.pauses; i > 0; --i) {
            if (has_reached(wanted)) return;
            cpu_pause();
        }
        wait_for_slowly(wanted, where);
    }

    // Acquire: pairs with set().
    bool has_reached(std::uint32_t wanted) const {
        return static_cast<std::int32_t>(value.load(std::memory_order_acquire) - wanted) >= 0;
    }

    void wake();
    void wait_for_slowly(std::uint32_t wanted, const char* where);
    // Sleeps unless value differs from `seen`.
    void sleep_until_changed(std::uint32_t seen);
};
static_assert(sizeof(WakeWord) == 8);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace tessera
