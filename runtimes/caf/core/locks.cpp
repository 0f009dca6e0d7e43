// SPDX-License-Identifier: BSD-3-Clause
//
// Locks (locks.hpp) that are not free, of images that hold several, and mistakes.

#include "core/locks.hpp"

#include <sched.h>
#include <shmem.h>

#include <cstdint>
#include <mutex>
#include <unordered_set>

#include "core/ordering.hpp"
#include "core/processor.hpp"

namespace tessera::caf {
namespace {

using detail::HeldLock;

// Elements of a lock coarray lie kLockBytes apart, and images are small numbers.
struct Hash {
    std::size_t operator()(const HeldLock& held) const {
        constexpr std::size_t kImages = std::size_t{1} << 20;
        return reinterpret_cast<std::uintptr_t>(held.mutex) / kLockBytes +
               static_cast<std::size_t>(held.pe) * (kImages + 1);
    }
};

// Never destroyed: other threads may lock while the program ends.
std::unordered_set<HeldLock, Hash>& others() {
    static auto& all = *new std::unordered_set<HeldLock, Hash>;
    return all;
}
std::mutex others_mutex;

void note_held(const HeldLock& held) {
    if (detail::held_lock.mutex == nullptr) {
        detail::held_lock = held;
        return;
    }
    const std::lock_guard guard(others_mutex);
    others().insert(held);
    detail::other_locks.store(others().size(), std::memory_order_relaxed);
}

bool is_held(const HeldLock& held) {
    if (detail::held_lock == held) return true;
    const std::lock_guard guard(others_mutex);
    return others().contains(held);
}

// RETURNS: whether this image has held it.
bool forget_held(const HeldLock& held) {
    if (detail::held_lock == held) {
        detail::held_lock.mutex = nullptr;
        return true;
    }
    const std::lock_guard guard(others_mutex);
    const bool is_found = others().erase(held) != 0;
    detail::other_locks.store(others().size(), std::memory_order_relaxed);
    return is_found;
}

// Another image has the lock. To get it in the queue, an image must first notice that it is its
// turn, and without a core of its own must get a core; meanwhile the lock is idle, and its last
// holder queues in turn. So the image tries for a moment before it queues. It passes no image of
// the queue, because the mutex is not free while there is one. RETURNS: as shmemx_mutex_trylock().
// REQUIRES: the mutex is mapped.
int try_for_a_moment(shmemx_mutex_t* mutex, int pe) {
    constexpr int kYields = 8;
    constexpr int kLooks = 8;
    auto* word = static_cast<std::uint64_t*>(shmem_ptr(mutex, pe));
    for (int i = 0; i < kYields; ++i) {
        for (int look = 0; look < kLooks; ++look) {
            // A mutex is free while its bytes are zero. Relaxed: the lock itself acquires.
            if (std::atomic_ref(*word).load(std::memory_order_relaxed) == 0) {
                if (const int got = shmemx_mutex_trylock(mutex, pe); got != 0) return got;
            }
            pause_processor();
        }
        ::sched_yield();
    }
    return 0;
}

// In the queue. RETURNS: as shmemx_mutex_trylock().
int wait_in_queue(shmemx_mutex_t* mutex, int pe) {
    shmemx_mutex_lock(mutex, pe);
    return shmemx_mutex_inherited(mutex, pe) != 0 ? 2 : 1;
}

}  // namespace

void detail::stop_without_element(const Coarray& lock, std::size_t index) {
    stop_with_error("lock", "element %zu is not in the lock variable, which has %zu", index + 1,
                    lock.bytes / kLockBytes);
}

int detail::lock_slowly(shmemx_mutex_t* mutex, int pe, int* acquired) {
    begin_control();
    if (is_held({mutex, pe})) {
        if (acquired != nullptr) *acquired = 0;
        return kLocked;
    }
    int got = 0;
    if (acquired != nullptr) {
        got = shmemx_mutex_trylock(mutex, pe);
        *acquired = got != 0 ? 1 : 0;
        if (got == 0) return kOk;
    } else {
        if (is_one_node) got = try_for_a_moment(mutex, pe);
        if (got == 0) got = wait_in_queue(mutex, pe);
    }
    note_held({mutex, pe});
    return status_of_got(got);
}

int detail::unlock_slowly(shmemx_mutex_t* mutex, int pe, int& holder) {
    begin_control();
    if (forget_held({mutex, pe})) {
        shmemx_mutex_unlock(mutex, pe);
        return kOk;
    }
    holder = shmemx_mutex_owner(mutex, pe);
    return holder < 0 ? kNotLocked : kLockedOtherImage;
}

void release_held_locks(ImageState state) {
    const auto release = state == ImageState::kFailed ? shmemx_mutex_abandon : shmemx_mutex_unlock;
    if (detail::held_lock.mutex != nullptr) release(detail::held_lock.mutex, detail::held_lock.pe);
    const std::lock_guard guard(others_mutex);
    for (const auto& [mutex, pe] : others()) release(mutex, pe);
    others().clear();
}

}  // namespace tessera::caf
