// SPDX-License-Identifier: BSD-3-Clause
//
// Setup, ordering, locks, queries (OpenSHMEM 1.6, 9.1, 9.2, 9.12 and 9.13, and 10), and what
// shmemx.h has for init and deaths of PEs.
#include "tools/interpose/forward.hpp"

namespace tessera::interpose {

// ---- Init, finalize, exit -----------------------------------------------------------------------

#define INIT .kind = Kind::kInit, .team = SHMEM_TEAM_WORLD
INTERPOSE(void, shmem_init, (void), (), INIT)
INTERPOSE(int, shmem_init_thread, (int requested, int* provided), (requested, provided), INIT)
INTERPOSE(void, start_pes, (int npes), (npes), INIT)
INTERPOSE(int, shmemx_init_uid,
          (const shmemx_uniqueid_t* uid, int pe, int npes, int requested, int* provided),
          (uid, pe, npes, requested, provided), INIT)
INTERPOSE(int, shmemx_init_with,
          (shmemx_allgather_t allgather, void* user_data, int pe, int npes, int requested,
           int* provided),
          (allgather, user_data, pe, npes, requested, provided), INIT)
INTERPOSE(void, shmemx_heap_preinit, (void), (), INIT)
INTERPOSE(int, shmemx_heap_preinit_thread, (int requested, int* provided), (requested, provided),
          INIT)
#undef INIT

INTERPOSE(void, shmem_finalize, (void), (), .kind = Kind::kFinalize, .team = SHMEM_TEAM_WORLD)

INTERPOSE_EXPORT SHMEM_INTERNAL_NORETURN void shmem_global_exit(int status) {
    Call call{.routine = "shmem_global_exit",
              .site = __builtin_return_address(0),
              .kind = Kind::kGlobalExit,
              .value = bits_of(status)};
    before(call);
    pshmem_global_exit(status);
}

// The further arguments belong to the tool, which finds them in its own way.
INTERPOSE_EXPORT void shmem_pcontrol(int level, ...) {
    Call call{.routine = "shmem_pcontrol",
              .site = __builtin_return_address(0),
              .kind = Kind::kControl,
              .value = bits_of(level)};
    forward(call, [&] { pshmem_pcontrol(level); });
}

// ---- Ordering -----------------------------------------------------------------------------------

INTERPOSE(void, shmem_fence, (void), (), .kind = Kind::kFence)
INTERPOSE_WITH(void, shmem_ctx_fence, ctx, (shmem_ctx_t ctx), (ctx), .kind = Kind::kFence)
INTERPOSE(void, shmem_quiet, (void), (), .kind = Kind::kQuiet)
INTERPOSE_WITH(void, shmem_ctx_quiet, ctx, (shmem_ctx_t ctx), (ctx), .kind = Kind::kQuiet)
INTERPOSE_CTX(void, pe_quiet, (const int* target_pes, size_t npes), (target_pes, npes),
              .kind = Kind::kQuiet, .pes = target_pes, .pe_count = npes)

// ---- Locks --------------------------------------------------------------------------------------

INTERPOSE(void, shmem_set_lock, (long* lock), (lock), .kind = Kind::kLock, .lock = lock)
INTERPOSE(int, shmem_test_lock, (long* lock), (lock), .kind = Kind::kTryLock, .lock = lock)
INTERPOSE(void, shmem_clear_lock, (long* lock), (lock), .kind = Kind::kUnlock, .lock = lock)

#define LOCK(RESULT, NAME, T, KIND)                                                                \
    INTERPOSE(RESULT, shmemx_##NAME, (T * lock, int pe), (lock, pe), .kind = Kind::KIND, .pe = pe, \
              .lock = lock)
LOCK(void, mutex_lock, shmemx_mutex_t, kLock)
LOCK(int, mutex_trylock, shmemx_mutex_t, kTryLock)
LOCK(void, mutex_unlock, shmemx_mutex_t, kUnlock)
LOCK(int, mutex_owner, shmemx_mutex_t, kQuery)
LOCK(void, rwlock_read_lock, shmemx_rwlock_t, kLock)
LOCK(void, rwlock_write_lock, shmemx_rwlock_t, kLock)
LOCK(int, rwlock_read_trylock, shmemx_rwlock_t, kTryLock)
LOCK(int, rwlock_write_trylock, shmemx_rwlock_t, kTryLock)
LOCK(void, rwlock_read_unlock, shmemx_rwlock_t, kUnlock)
LOCK(void, rwlock_write_unlock, shmemx_rwlock_t, kUnlock)
#undef LOCK

// ---- Queries ------------------------------------------------------------------------------------

#define QUERY(RESULT, NAME, PARAMETERS, ARGUMENTS) \
    INTERPOSE(RESULT, NAME, PARAMETERS, ARGUMENTS, .kind = Kind::kQuery)
QUERY(void, shmem_query_thread, (int* provided), (provided))
QUERY(void, shmem_query_initialized, (int* initialized), (initialized))
QUERY(void, shmemx_query_initialized, (int* initialized), (initialized))
QUERY(int, shmem_my_pe, (void), ())
QUERY(int, shmem_n_pes, (void), ())
QUERY(int, _my_pe, (void), ())
QUERY(int, _num_pes, (void), ())
QUERY(int, shmem_pe_accessible, (int pe), (pe))
QUERY(int, shmem_addr_accessible, (const void* addr, int pe), (addr, pe))
QUERY(void*, shmem_ptr, (const void* dest, int pe), (dest, pe))
QUERY(void, shmem_info_get_version, (int* major, int* minor), (major, minor))
QUERY(void, shmem_info_get_name, (char* name), (name))
QUERY(int, shmemx_failure_count, (void), ())
QUERY(int, shmemx_failed_pe, (int index), (index))
#undef QUERY

}  // namespace tessera::interpose
