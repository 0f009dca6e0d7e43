// SPDX-License-Identifier: BSD-3-Clause
//
// dart_team_lock_* and dart_lock_* (locks.hpp). The mutex knows its holder by PE and thread, but a
// wrong call would end the job there; so each unit notes the thread of its own that holds a lock.

#include "locks/locks.hpp"

#include <dash/dart/if/dart_synchronization.h>
#include <shmem.h>
#include <shmemx.h>

#include <atomic>
#include <thread>

#include "collectives/arguments.hpp"
#include "core/entry.hpp"
#include "core/handles.hpp"
#include "core/log.hpp"
#include "core/team.hpp"

namespace tessera::dart {
namespace {

struct Lock {
    dart_team_t team = DART_TEAM_NULL;
    shmemx_gptr_t word = SHMEMX_GPTR_NULL;  // null: DART has ended since
    shmemx_mutex_t* mutex = nullptr;
    int pe = -1;
    std::atomic<std::thread::id> holder{};  // this unit's thread that holds the lock
};

using Locks = Handles<Lock, HandleKind::kLock>;

std::uint64_t number_of(const dart_lock_struct* lock) {
    return reinterpret_cast<std::uintptr_t>(lock);
}

// RETURNS: nullptr: it is no lock, or has ended, or DART has ended since.
Lock* find_lock(const dart_lock_struct* handle) {
    Lock* lock = Locks::all().find(number_of(handle));
    return lock != nullptr && lock->word != SHMEMX_GPTR_NULL ? lock : nullptr;
}

bool is_held_by_caller(const Lock& lock) {
    return lock.holder.load(std::memory_order_relaxed) == std::this_thread::get_id();
}

void set_holder(Lock& lock, std::thread::id holder) {
    lock.holder.store(holder, std::memory_order_relaxed);
}

void free_word(Lock& lock) {
    if (lock.word != SHMEMX_GPTR_NULL && lock.pe == shmem_my_pe()) shmemx_local_free(lock.mutex);
    lock.word = SHMEMX_GPTR_NULL;
}

dart_ret_t no_lock(const char* routine) {
    return fail(DART_ERR_INVAL, routine,
                "the lock is DART_LOCK_NULL or none, or has been destroyed, or was made before "
                "dart_exit; call dart_team_lock_init");
}

}  // namespace

void stop_locks() { Locks::all().for_each(free_word); }

DART_ENTRY dart_ret_t dart_team_lock_init(dart_team_t team_id, dart_lock_t* lock) {
    Collective call(team_id, __func__);
    call.check_place(lock);
    if (lock != nullptr) *lock = DART_LOCK_NULL;
    if (!call.begin()) return call.fail_together();
    const Team* team = &call.team();
    shmemx_gptr_t word = SHMEMX_GPTR_NULL;
    if (team->my_id == 0)
        word = shmemx_gptr_of(shmemx_local_calloc(1, sizeof(shmemx_mutex_t)), shmem_my_pe());
    const int status = shmemx_broadcast(team->handle, &word, &word, 1, sizeof word, 0);
    if (status != 0) return result_of(status, __func__);
    if (word == SHMEMX_GPTR_NULL) {
        return fail(DART_ERR_NOMEM, __func__,
                    "unit 0 of team %d has no local memory for a lock; enlarge "
                    "SHMEM_LOCAL_MEMORY_SIZE",
                    team_id);
    }
    auto made = std::make_unique<Lock>();
    made->team = team_id;
    made->word = word;
    made->mutex = static_cast<shmemx_mutex_t*>(shmemx_gptr_addr(word));
    made->pe = shmemx_gptr_pe(word);
    *lock = reinterpret_cast<dart_lock_t>(Locks::all().add(std::move(made)));
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_team_lock_destroy(dart_lock_t* lock) {
    if (lock == nullptr) return fail(DART_ERR_INVAL, __func__, "lock is a null pointer");
    if (*lock == DART_LOCK_NULL) return DART_OK;
    const std::unique_ptr<Lock> destroyed = Locks::all().remove(number_of(*lock));
    if (destroyed == nullptr) {
        return fail(DART_ERR_INVAL, __func__,
                    "the lock was not made by dart_team_lock_init, or has been destroyed");
    }
    *lock = DART_LOCK_NULL;
    if (destroyed->holder.load(std::memory_order_relaxed) != std::thread::id{}) {
        // This unit alone knows, and the others wait for it already.
        fatal(__func__, "a thread of this unit holds the lock; call dart_lock_release before");
    }
    if (destroyed->word != SHMEMX_GPTR_NULL) {
        // No unit has its unlock still under way behind this. A team that is gone has met already.
        if (const Team* team = find_team(destroyed->team); team != nullptr)
            shmem_team_sync(team->handle);
        free_word(*destroyed);
    }
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_lock_acquire(dart_lock_t lock) {
    Lock* found = find_lock(lock);
    if (found == nullptr) [[unlikely]]
        return no_lock(__func__);
    if (is_held_by_caller(*found)) [[unlikely]]
        return fail(DART_ERR_INVAL, __func__, "this thread holds the lock already");
    shmemx_mutex_lock(found->mutex, found->pe);
    set_holder(*found, std::this_thread::get_id());
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_lock_try_acquire(dart_lock_t lock, int32_t* result) {
    if (result == nullptr) [[unlikely]]
        return fail(DART_ERR_INVAL, __func__, "result is a null pointer");
    *result = 0;
    Lock* found = find_lock(lock);
    if (found == nullptr) [[unlikely]]
        return no_lock(__func__);
    if (is_held_by_caller(*found)) [[unlikely]] {
        *result = 1;
        return fail(DART_ERR_INVAL, __func__, "this thread holds the lock already");
    }
    if (shmemx_mutex_trylock(found->mutex, found->pe) != 0) {
        set_holder(*found, std::this_thread::get_id());
        *result = 1;
    }
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_lock_release(dart_lock_t lock) {
    Lock* found = find_lock(lock);
    if (found == nullptr) [[unlikely]]
        return no_lock(__func__);
    if (!is_held_by_caller(*found)) [[unlikely]]
        return fail(DART_ERR_INVAL, __func__, "this thread does not hold the lock");
    set_holder(*found, {});
    shmemx_mutex_unlock(found->mutex, found->pe);
    return DART_OK;
}

DART_ENTRY bool dart_lock_initialized(struct dart_lock_struct const* lock) {
    return find_lock(lock) != nullptr;
}

}  // namespace tessera::dart
