// SPDX-License-Identifier: BSD-3-Clause
//
// Mutexes and reader-writer locks of single PEs (include/shmemx/mutex.h). Hot path.
#include "api/entry.hpp"
#include "api/thread_number.hpp"
#include "locks/mutex.hpp"
#include "locks/rwlock.hpp"
#include "shmemx.h"

namespace tessera::api {
namespace {

static_assert(sizeof(shmemx_mutex_t) == sizeof(std::uint64_t));
static_assert(sizeof(shmemx_rwlock_t) == sizeof(RwLockWords));

// The owner of locks within the PE; 0: the PE as a whole.
TESSERA_INLINE std::uint64_t lock_owner() { return held_locks().is_shared() ? thread_number() : 0; }

TESSERA_INLINE Mutex mutex_of(shmemx_mutex_t* mutex, int pe, const char* where) {
    std::uint64_t* mapped = Mutex::mapped_word(mutex, pe);
    if (mapped == nullptr) [[unlikely]]
        check_lock(mutex, sizeof *mutex, pe, where);
    return {{.lock = mutex, .pe = pe, .thread = lock_owner()}, mapped, where};
}

RwLock rwlock_of(shmemx_rwlock_t* lock, int pe, const char* where) {
    check_lock(lock, sizeof *lock, pe, where);
    return {reinterpret_cast<RwLockWords*>(lock), pe, lock_owner(), where};
}

}  // namespace
}  // namespace tessera::api

namespace api = tessera::api;
using tessera::LockUse;

SHMEM_ENTRY(void, shmemx_mutex_lock, shmemx_mutex_t* mutex, int pe) {
    api::mutex_of(mutex, pe, SHMEM_WHERE).lock();
}
SHMEM_ENTRY(int, shmemx_mutex_trylock, shmemx_mutex_t* mutex, int pe) {
    return api::mutex_of(mutex, pe, SHMEM_WHERE).try_lock();
}
SHMEM_ENTRY(void, shmemx_mutex_unlock, shmemx_mutex_t* mutex, int pe) {
    api::mutex_of(mutex, pe, SHMEM_WHERE).unlock();
}
SHMEM_ENTRY(void, shmemx_mutex_abandon, shmemx_mutex_t* mutex, int pe) {
    api::mutex_of(mutex, pe, SHMEM_WHERE).abandon();
}
SHMEM_ENTRY(int, shmemx_mutex_inherited, shmemx_mutex_t* mutex, int pe) {
    return api::mutex_of(mutex, pe, SHMEM_WHERE).is_inherited() ? 1 : 0;
}
SHMEM_ENTRY(int, shmemx_mutex_owner, shmemx_mutex_t* mutex, int pe) {
    return api::mutex_of(mutex, pe, SHMEM_WHERE).owner();
}

// shmemx_rwlock_{read,write}_{lock,trylock,unlock}
#define DEFINE_RWLOCK(NAME, USE)                                                      \
    SHMEM_ENTRY(void, shmemx_rwlock_##NAME##_lock, shmemx_rwlock_t* lock, int pe) {   \
        api::rwlock_of(lock, pe, SHMEM_WHERE).lock(USE);                              \
    }                                                                                 \
    SHMEM_ENTRY(int, shmemx_rwlock_##NAME##_trylock, shmemx_rwlock_t* lock, int pe) { \
        return api::rwlock_of(lock, pe, SHMEM_WHERE).try_lock(USE) ? 1 : 0;           \
    }                                                                                 \
    SHMEM_ENTRY(void, shmemx_rwlock_##NAME##_unlock, shmemx_rwlock_t* lock, int pe) { \
        api::rwlock_of(lock, pe, SHMEM_WHERE).unlock(USE);                            \
    }
DEFINE_RWLOCK(read, LockUse::kReading)
DEFINE_RWLOCK(write, LockUse::kWriting)
#undef DEFINE_RWLOCK
