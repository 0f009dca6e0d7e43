// SPDX-License-Identifier: BSD-3-Clause
//
// A lock that is free takes as long as the clock, so locks are sampled like other short calls; but
// each wait for one is timed. So the trace asks for a lock first, and waits if it is not free.
#pragma once

#include <cstddef>

#include "pshmem.h"
#include "pshmemx.h"
#include "recorder.hpp"

namespace tessera::trace {

// The routine that takes the lock of kRoutine only if it is free; nullptr: kRoutine takes no lock.
template <auto kRoutine>
inline constexpr std::nullptr_t kTryRoutine = nullptr;
template <>
inline constexpr auto kTryRoutine<pshmem_set_lock> = &pshmem_test_lock;
template <>
inline constexpr auto kTryRoutine<pshmemx_mutex_lock> = &pshmemx_mutex_trylock;
template <>
inline constexpr auto kTryRoutine<pshmemx_rwlock_read_lock> = &pshmemx_rwlock_read_trylock;
template <>
inline constexpr auto kTryRoutine<pshmemx_rwlock_write_lock> = &pshmemx_rwlock_write_trylock;

// The answer of that routine when the caller has got the lock.
template <auto kRoutine>
inline constexpr int kTaken = 1;
template <>
inline constexpr int kTaken<pshmem_set_lock> = 0;

// Calls kRoutine, or the routine that does not wait in its place, and counts the call. `pe`: the PE
// that has the lock; -1: all PEs share it (shmem_set_lock).
template <auto kRoutine, class... Arguments>
TESSERA_INLINE void forward_lock(int pe, Arguments... arguments) {
    constexpr Operation kOperation = Operation::set_lock;
    const bool may_be_due = count_call(kOperation, pe, 0) == nullptr;
    const std::uint64_t start_ns = may_be_due ? start_sampled(kOperation, pe, 0) : 0;
    if (kTryRoutine<kRoutine>(arguments...) == kTaken<kRoutine>) {
        if (start_ns == 0) return;
        return end_sampled({.operation = kOperation, .pe = pe, .bytes = 0, .start_ns = start_ns});
    }
    const std::uint64_t wait_ns = start_ns != 0 ? start_ns : now_ns();
    kRoutine(arguments...);
    end_waited({.operation = kOperation, .pe = pe, .bytes = 0, .start_ns = wait_ns});
}

}  // namespace tessera::trace
