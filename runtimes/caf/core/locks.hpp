// SPDX-License-Identifier: BSD-3-Clause
//
// Locks and critical constructs: a lock is a mutex (shmemx_mutex_t) on some image, an element of
// a lock coarray one in kLockBytes bytes (coarray.hpp).
//
// Hot path: a lock that is free, of an image that holds no other one. lock and unlock are image
// control statements, but only unlock tells other images something: the mutex completes the memory
// operations of the image before it.

#pragma once

#include <shmemx.h>

#include <atomic>
#include <cstddef>

#include "core/coarray.hpp"
#include "core/hooks.hpp"
#include "core/image_state.hpp"
#include "core/report.hpp"
#include "core/team.hpp"

namespace tessera::caf {

namespace detail {
// The locks that this image holds, for its end. Usually a thread holds one, which lies here; a
// table has the others.
struct HeldLock {
    shmemx_mutex_t* mutex;  // NULL: none
    int pe;
    bool operator==(const HeldLock&) const = default;
};
// Initial-exec: one load instead of a call; the library is linked, not loaded later.
[[gnu::tls_model("initial-exec")]] inline constinit thread_local HeldLock held_lock = {nullptr, -1};
// Locks in the table. A thread need not see what others add.
inline std::atomic<std::size_t> other_locks{0};

// The status of a lock that shmemx_mutex_trylock() has got.
inline int status_of_got(int got) { return got == 1 ? kOk : kUnlockedFailedImage; }
int lock_slowly(shmemx_mutex_t* mutex, int pe, int* acquired);
int unlock_slowly(shmemx_mutex_t* mutex, int pe, int& holder);
[[noreturn]] void stop_without_element(const Coarray& lock, std::size_t index);

}  // namespace detail

// The mutex of an element of a lock coarray, from 0. ERRORS: an element that does not exist ends
// the program.
inline shmemx_mutex_t* mutex_at(const Coarray& lock, std::size_t index) {
    if (index >= lock.bytes / kLockBytes) [[unlikely]]
        detail::stop_without_element(lock, index);
    return reinterpret_cast<shmemx_mutex_t*>(at_offset(lock, index * kLockBytes));
}

// lock(l[image]).
// mutex     the lock; pe where it is.
// acquired  acquired_lock=, or NULL: waits for the lock.
// RETURNS when: the image has the lock, or, with acquired, *acquired says whether it has. The
// status: kOk; kUnlockedFailedImage: it has the lock, whose holder has failed; kLocked if the image
// had it already.
inline int lock(shmemx_mutex_t* mutex, int pe, int* acquired) {
    const bool has_none = detail::held_lock.mutex == nullptr &&
                          detail::other_locks.load(std::memory_order_relaxed) == 0;
    if (has_none && acquired == nullptr && detail::is_one_node &&
        detail::at_image_control == nullptr) [[likely]] {
        if (const int got = shmemx_mutex_trylock(mutex, pe); got != 0) [[likely]] {
            detail::held_lock = {mutex, pe};
            return detail::status_of_got(got);
        }
    }
    return detail::lock_slowly(mutex, pe, acquired);
}

// unlock(l[image]). RETURNS: the status: kOk; kNotLocked; kLockedOtherImage, and `holder` is the
// PE of that image.
inline int unlock(shmemx_mutex_t* mutex, int pe, int& holder) {
    if (detail::held_lock == detail::HeldLock{mutex, pe} && detail::at_image_control == nullptr)
        [[likely]] {
        detail::held_lock.mutex = nullptr;
        shmemx_mutex_unlock(mutex, pe);
        return kOk;
    }
    return detail::unlock_slowly(mutex, pe, holder);
}

// For an image that ends: unlocks all locks that it holds, so that the others can go on. The next
// holders learn of an image that has failed by shmemx_mutex_inherited().
void release_held_locks(ImageState state);

}  // namespace tessera::caf
