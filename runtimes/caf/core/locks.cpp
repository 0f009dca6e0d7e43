// SPDX-License-Identifier: BSD-3-Clause
//
// Locks (locks.hpp). lock and unlock are image control statements, but only unlock tells other
// images something: the mutex completes the memory operations of the image before it.

#include "core/locks.hpp"

#include <shmem.h>
#include <shmemx.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

#include "core/coarray.hpp"
#include "core/ordering.hpp"
#include "core/team.hpp"

namespace tessera::caf {
namespace {

// The locks that this image holds, for its end. Usually a thread holds one, which lies in `only`;
// the list has the others.
struct Held {
    shmemx_mutex_t* mutex;
    int pe;
    bool operator==(const Held&) const = default;
};
// Initial-exec: one load instead of a call; the library is linked, not loaded later.
thread_local constinit Held only __attribute__((tls_model("initial-exec"))) = {nullptr, -1};
std::vector<Held> others;
std::atomic<std::size_t> others_size{0};  // A thread need not see what others add.
std::mutex others_mutex;

void note_held(shmemx_mutex_t* mutex, int pe) {
    if (only.mutex == nullptr) [[likely]] {
        only = {mutex, pe};
        return;
    }
    const std::lock_guard guard(others_mutex);
    others.push_back({mutex, pe});
    others_size.store(others.size(), std::memory_order_relaxed);
}

bool is_held(shmemx_mutex_t* mutex, int pe) {
    const Held held{mutex, pe};
    if (only == held || others_size.load(std::memory_order_relaxed) == 0) [[likely]] {
        return only == held;
    }
    const std::lock_guard guard(others_mutex);
    return std::find(others.begin(), others.end(), held) != others.end();
}

// RETURNS: whether this image has held it.
bool forget_held(shmemx_mutex_t* mutex, int pe) {
    if (only == Held{mutex, pe}) [[likely]] {
        only.mutex = nullptr;
        return true;
    }
    const std::lock_guard guard(others_mutex);
    const bool is_found = std::erase(others, Held{mutex, pe}) != 0;
    others_size.store(others.size(), std::memory_order_relaxed);
    return is_found;
}

shmemx_mutex_t* mutex_of(const Coarray& lock, std::size_t index, const char* routine) {
    if (index >= lock.bytes / kLockBytes) {
        stop_with_error(routine, "element %zu is not in the lock variable, which has %zu",
                        index + 1, lock.bytes / kLockBytes);
    }
    return reinterpret_cast<shmemx_mutex_t*>(at_offset(lock, index * kLockBytes));
}

}  // namespace

int lock(const Coarray& lock, std::size_t index, int pe, int* acquired, const ErrorTarget& target) {
    shmemx_mutex_t* mutex = mutex_of(lock, index, "lock");
    begin_control();
    if (is_held(mutex, pe)) {
        if (acquired != nullptr) {
            *acquired = 0;
        }
        return report(target, kLocked, "lock",
                      "this image has locked the variable on image %d already",
                      initial_team().image_of(pe));
    }
    if (acquired == nullptr) {
        shmemx_mutex_lock(mutex, pe);
    } else if (shmemx_mutex_trylock(mutex, pe) == 0) {
        *acquired = 0;
        return report_ok(target);
    }
    note_held(mutex, pe);
    if (acquired != nullptr) {
        *acquired = 1;
    }
    return report_ok(target);
}

int unlock(const Coarray& lock, std::size_t index, int pe, const ErrorTarget& target) {
    shmemx_mutex_t* mutex = mutex_of(lock, index, "unlock");
    begin_control();
    if (forget_held(mutex, pe)) {
        shmemx_mutex_unlock(mutex, pe);
        return report_ok(target);
    }
    const int owner = shmemx_mutex_owner(mutex, pe);
    if (owner < 0) {
        return report(target, kNotLocked, "unlock", "no image has locked the variable on image %d",
                      initial_team().image_of(pe));
    }
    return report(target, kLockedOtherImage, "unlock",
                  "image %d has locked the variable on image %d, not this image",
                  initial_team().image_of(owner), initial_team().image_of(pe));
}

void release_held_locks() {
    if (only.mutex != nullptr) {
        shmemx_mutex_unlock(only.mutex, only.pe);
    }
    const std::lock_guard guard(others_mutex);
    for (const auto& [mutex, pe] : others) {
        shmemx_mutex_unlock(mutex, pe);
    }
    others.clear();
}

}  // namespace tessera::caf
