// SPDX-License-Identifier: BSD-3-Clause
//
// The environment of slow waits: the places where this PE notes for other PEs that it waits, and
// the work that it does meanwhile. One object per process: shmem_init sets it when all of it
// exists, shmem_finalize and a child of fork() reset it. Between them waits use private words,
// which no other PE sees. Hot path: drive_progress() and release_held().
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "base/platform.hpp"
#include "base/sleeper.hpp"
#include "base/wait_subject.hpp"

namespace tessera {

// When a PE last entered and last ended a slow wait: nanoseconds of CLOCK_MONOTONIC, in shared
// memory for the other PEs of its node, 0 at first. Hints, so all accesses are relaxed.
struct WaitTimes {
    std::atomic<std::uint64_t> entered;
    std::atomic<std::uint64_t> ended;
    // How much of [from, to) the PE spent in no slow wait, as far as these tell.
    std::uint64_t busy_between(std::uint64_t from, std::uint64_t to) const;
};
static_assert(sizeof(WaitTimes) == 16);

struct WaitEnvironment {
    // Called now and then by every slow wait, for a transport that needs the CPU.
    using Progress = void (*)();
    // Called by slow waits between their checks: does a piece of the work that other PEs ask for.
    // RETURNS: whether there was something to do.
    using Help = bool (*)();
    // Called by every slow wait before it yields or sleeps, and by tests that fail: sends what the
    // caller holds back, because the answer to it may end the wait.
    using Release = void (*)();

    // This PE's, in shared memory.
    Sleeper* sleeper = nullptr;
    InlineLimit* inline_limit = nullptr;   // nullptr: programs call the library for this PE
    std::uint64_t inline_limit_bytes = 0;  // the limit while the PE does not sleep
    WaitTimes* times = nullptr;
    // The other PEs of the node. REQUIRES: it stays until the environment is reset.
    std::span<const WaitTimes* const> times_of_others = {};
    // Until this time (CLOCK_MONOTONIC) no PE of the node yields: other jobs use the cores, and a
    // yield would give them a whole time slice. A hint, so all accesses are relaxed.
    std::atomic<std::uint64_t>* oversubscribed_until_ns = nullptr;
    // The name of the routine that waits (PeRecord::waiting_in), for oshrun.
    std::span<char> label = {};
    // The word on which the PE sleeps, as its distance in bytes from `sleep_origin`, so that a PE
    // that wants help can wake it; 0: it does not sleep. A hint. nullptr: no PE asks for help.
    std::atomic<std::int64_t>* sleep_note = nullptr;
    const char* sleep_origin = nullptr;

    // On one node it changes between set and reset, while there is background work.
    Progress progress = nullptr;
    Help help = nullptr;
    // Set by the first session (api/contexts.cpp), when other threads may wait: this one and
    // progress change between set and reset.
    Release release = nullptr;

    // The subject of the wait (PeRecord has no room), for osh_hang. nullptr: not noted.
    WaitNote* note = nullptr;
    // SHMEM_HANG_REPORT: a slow wait calls `report_hang` once when it has lasted for so long; 0:
    // it does not. Its waits then wake now and then.
    std::uint64_t hang_nanoseconds = 0;
    void (*report_hang)() = nullptr;

    // Grows when something comes from another node, whichever thread takes it: with a core of its
    // own the PE then keeps polling. A hint, so all accesses are relaxed. nullptr: nothing comes.
    const std::atomic<std::uint32_t>* arrivals = nullptr;
};
extern WaitEnvironment wait_environment;

// Members that are nullptr become private words. Where a transport needs the CPU, wait_policy gets
// fewer pauses, which drive no progress. REQUIRES of both: no thread of this PE waits.
void set_wait_environment(const WaitEnvironment& environment);
// Leaves this PE's shared words as they are: a child of fork() calls it as well.
void reset_wait_environment();

// For tests that a program may repeat until they succeed. COST: a load where no transport needs it.
// RETURNS: whether there was any to drive. Pairs with wait_environment.hpp:set_progress_hook.
TESSERA_INLINE bool drive_progress() {
    const WaitEnvironment::Progress hook =
        std::atomic_ref(wait_environment.progress).load(std::memory_order_acquire);
    if (hook != nullptr) [[unlikely]]
        hook();
    return hook != nullptr;
}
// For a PE without fabric; nullptr: nothing needs the CPU any more. THREADS: one at a time. Pairs
// with wait_environment.hpp:drive_progress.
inline void set_progress_hook(WaitEnvironment::Progress hook) {
    std::atomic_ref(wait_environment.progress).store(hook, std::memory_order_release);
}
// Pairs with wait_environment.hpp:set_release_hook.
inline void release_held() {
    const std::atomic_ref release(wait_environment.release);
    const WaitEnvironment::Release hook = release.load(std::memory_order_acquire);
    if (hook != nullptr) [[unlikely]]
        hook();
}
// Pairs with wait_environment.hpp:release_held.
inline void set_release_hook(WaitEnvironment::Release hook) {
    std::atomic_ref(wait_environment.release).store(hook, std::memory_order_release);
}

}  // namespace tessera
