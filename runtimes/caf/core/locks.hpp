// SPDX-License-Identifier: BSD-3-Clause
//
// Locks and critical constructs: each element of a lock coarray is a mutex (shmemx_mutex_t) on each
// image, in kLockBytes bytes (coarray.hpp).

#pragma once

#include <cstddef>

#include "core/runtime.hpp"

namespace tessera::caf {

struct Coarray;

// lock(l[image]).
// lock      the coarray; index its element from 0; pe where it is.
// acquired  acquired_lock=, or NULL: waits for the lock.
// RETURNS when: the image has the lock, or, with acquired, *acquired says whether it has. The
// status: kLocked if the image had it already.
int lock(const Coarray& lock, std::size_t index, int pe, int* acquired, const ErrorTarget& target);

// unlock(l[image]). RETURNS: the status, kNotLocked or kLockedOtherImage if the image has it not.
int unlock(const Coarray& lock, std::size_t index, int pe, const ErrorTarget& target);

// For an image that ends: unlocks all locks that it holds, so that the others can go on.
void release_held_locks();

}  // namespace tessera::caf
