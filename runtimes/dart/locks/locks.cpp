// SPDX-License-Identifier: BSD-3-Clause
//
// dart_team_lock_* and dart_lock_* (locks.hpp). The mutex knows its holder by PE and thread, but a
// wrong call would end the job there; so each unit notes the thread of its own that holds a lock.

#include "locks/locks.hpp"

#include <dash/dart/if/dart_synchronization.h>
#include <shmem.h>
#include <shmemx.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "collectives/arguments.hpp"
#include "core/entry.hpp"
#include "core/log.hpp"
#include "core/team.hpp"

struct dart_lock_struct {
    dart_team_t team = DART_TEAM_NULL;
    shmemx_gptr_t word = SHMEMX_GPTR_NULL;  // null: DART has ended since
    shmemx_mutex_t* mutex = nullptr;
    int pe = -1;
    std::atomic<std::thread::id> holder{};  // of this unit's threads
};

namespace tessera::dart {
namespace {

// All locks of this unit: handles are looked up in it when they are made and destroyed only.
std::vector<dart_lock_t> locks;
std::mutex locks_mutex;

bool is_held_by_caller(const dart_lock_struct& lock) {
    return lock.holder.load(std::memory_order_relaxed) == std::this_thread::get_id();
}

void set_holder(dart_lock_struct& lock, std::thread::id holder) {
    lock.holder.store(holder, std::memory_order_relaxed);
}

void free_word(dart_lock_struct& lock) {
    if (lock.word != SHMEMX_GPTR_NULL && lock.pe == shmem_my_pe()) {
        shmemx_local_free(lock.mutex);
    }
    lock.word = SHMEMX_GPTR_NULL;
}

dart_ret_t no_lock(const char* routine) {
    return fail(DART_ERR_INVAL, routine,
                "the lock is DART_LOCK_NULL, or was made before dart_exit; call "
                "dart_team_lock_init");
}

bool is_usable(dart_lock_t lock) {
    return lock != DART_LOCK_NULL && lock->word != SHMEMX_GPTR_NULL;
}

}  // namespace

void stop_locks() {
    const std::lock_guard guard(locks_mutex);
    for (dart_lock_t lock : locks) {
        free_word(*lock);
    }
}

DART_ENTRY dart_ret_t dart_team_lock_init(dart_team_t team_id, dart_lock_t* lock) {
    if (lock == nullptr) {
        return fail(DART_ERR_INVAL, __func__, "lock is a null pointer");
    }
    *lock = DART_LOCK_NULL;
    const Team* team = team_of_call(team_id, __func__);
    if (team == nullptr) {
        return DART_ERR_INVAL;
    }
    shmemx_gptr_t word = SHMEMX_GPTR_NULL;
    if (team->my_id == 0) {
        word = shmemx_gptr_of(shmemx_local_calloc(1, sizeof(shmemx_mutex_t)), shmem_my_pe());
    }
    const int status = shmemx_broadcast(team->handle, &word, &word, 1, sizeof word, 0);
    if (status != 0) {
        return result_of(status, __func__);
    }
    if (word == SHMEMX_GPTR_NULL) {
        return fail(DART_ERR_NOMEM, __func__,
                    "unit 0 of team %d has no local memory for a lock; enlarge "
                    "SHMEM_LOCAL_MEMORY_SIZE",
                    team_id);
    }
    auto* made = new dart_lock_struct;
    made->team = team_id;
    made->word = word;
    made->mutex = static_cast<shmemx_mutex_t*>(shmemx_gptr_addr(word));
    made->pe = shmemx_gptr_pe(word);
    const std::lock_guard guard(locks_mutex);
    locks.push_back(made);
    *lock = made;
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_team_lock_destroy(dart_lock_t* lock) {
    if (lock == nullptr) {
        return fail(DART_ERR_INVAL, __func__, "lock is a null pointer");
    }
    if (*lock == DART_LOCK_NULL) {
        return DART_OK;
    }
    {
        const std::lock_guard guard(locks_mutex);
        const auto found = std::find(locks.begin(), locks.end(), *lock);
        if (found == locks.end()) {
            return fail(DART_ERR_INVAL, __func__, "the lock was not made by dart_team_lock_init");
        }
        locks.erase(found);
    }
    dart_lock_t destroyed = *lock;
    *lock = DART_LOCK_NULL;
    if (destroyed->word != SHMEMX_GPTR_NULL) {
        // No unit has its unlock still under way behind this. A team that is gone has met already.
        if (const Team* team = find_team(destroyed->team); team != nullptr) {
            shmem_team_sync(team->handle);
        }
        free_word(*destroyed);
    }
    delete destroyed;
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_lock_acquire(dart_lock_t lock) {
    if (!is_usable(lock)) [[unlikely]] {
        return no_lock(__func__);
    }
    if (is_held_by_caller(*lock)) [[unlikely]] {
        return fail(DART_ERR_INVAL, __func__, "this thread holds the lock already");
    }
    shmemx_mutex_lock(lock->mutex, lock->pe);
    set_holder(*lock, std::this_thread::get_id());
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_lock_try_acquire(dart_lock_t lock, int32_t* result) {
    if (result == nullptr) [[unlikely]] {
        return fail(DART_ERR_INVAL, __func__, "result is a null pointer");
    }
    *result = 0;
    if (!is_usable(lock)) [[unlikely]] {
        return no_lock(__func__);
    }
    if (is_held_by_caller(*lock)) [[unlikely]] {
        *result = 1;
        return fail(DART_ERR_INVAL, __func__, "this thread holds the lock already");
    }
    if (shmemx_mutex_trylock(lock->mutex, lock->pe) != 0) {
        set_holder(*lock, std::this_thread::get_id());
        *result = 1;
    }
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_lock_release(dart_lock_t lock) {
    if (!is_usable(lock)) [[unlikely]] {
        return no_lock(__func__);
    }
    if (!is_held_by_caller(*lock)) [[unlikely]] {
        return fail(DART_ERR_INVAL, __func__, "this thread does not hold the lock");
    }
    set_holder(*lock, {});
    shmemx_mutex_unlock(lock->mutex, lock->pe);
    return DART_OK;
}

DART_ENTRY bool dart_lock_initialized(struct dart_lock_struct const* lock) {
    return is_usable(const_cast<dart_lock_t>(lock));
}

}  // namespace tessera::dart
