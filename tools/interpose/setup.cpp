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

INTERPOSE_EXPORT __attribute__((noreturn)) void shmem_global_exit(int status) {
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

#define FENCE (Counted::fence, NoPeer())
#define QUIET (Counted::quiet, NoPeer())
INTERPOSE_COUNTED(FENCE, void, shmem_fence, (void), (), .kind = Kind::kFence)
INTERPOSE_WITH(FENCE, void, shmem_ctx_fence, ctx, (shmem_ctx_t ctx), (ctx), .kind = Kind::kFence)
INTERPOSE_COUNTED(QUIET, void, shmem_quiet, (void), (), .kind = Kind::kQuiet)
INTERPOSE_WITH(QUIET, void, shmem_ctx_quiet, ctx, (shmem_ctx_t ctx), (ctx), .kind = Kind::kQuiet)
INTERPOSE_CTX(QUIET, void, pe_quiet, (const int* target_pes, size_t npes), (target_pes, npes),
              .kind = Kind::kQuiet, .pes = target_pes, .pe_count = npes)
#undef FENCE
#undef QUIET

// ---- Locks --------------------------------------------------------------------------------------

// An observer that counts has the routine TRY, which does not wait, called first: it counts a lock
// that was free, and sees each wait for one. TAKEN: whether TRY returns 0 (0) or another number (1)
// when the caller has got the lock.
#define LOCK(NAME, TRY, TAKEN, PARAMETERS, ARGUMENTS, PE)                                        \
    INTERPOSE_EXPORT void NAME PARAMETERS {                                                      \
        const bool is_tried = is_counted(Counted::set_lock, PE);                                 \
        if (is_tried && (p##TRY ARGUMENTS != 0) == (TAKEN)) return;                              \
        INTERPOSE_CALL(NAME, SHMEM_CTX_DEFAULT, (Counted::set_lock), .kind = Kind::kLock,        \
                       .pe = PE, .lock = lock, .has_waited = is_tried);                          \
        before(call);                                                                            \
        if (call.tries_first && !is_tried) call.has_waited = (p##TRY ARGUMENTS != 0) != (TAKEN); \
        if (call.has_waited || !call.tries_first) p##NAME ARGUMENTS;                             \
        after(call);                                                                             \
    }
#define OTHER(RESULT, NAME, T, KIND, ...)                                          \
    INTERPOSE_COUNTED((__VA_ARGS__), RESULT, NAME, (T * lock, int pe), (lock, pe), \
                      .kind = Kind::KIND, .pe = pe, .lock = lock)
#define TRY_LOCK Counted::test_lock, pe
#define UNLOCK Counted::clear_lock, pe

LOCK(shmem_set_lock, shmem_test_lock, 0, (long* lock), (lock), NoPeer())
INTERPOSE_COUNTED((Counted::test_lock, NoPeer()), int, shmem_test_lock, (long* lock), (lock),
                  .kind = Kind::kTryLock, .lock = lock)
INTERPOSE_COUNTED((Counted::clear_lock, NoPeer()), void, shmem_clear_lock, (long* lock), (lock),
                  .kind = Kind::kUnlock, .lock = lock)
LOCK(shmemx_mutex_lock, shmemx_mutex_trylock, 1, (shmemx_mutex_t * lock, int pe), (lock, pe), pe)
OTHER(int, shmemx_mutex_trylock, shmemx_mutex_t, kTryLock, TRY_LOCK)
OTHER(void, shmemx_mutex_unlock, shmemx_mutex_t, kUnlock, UNLOCK)
OTHER(void, shmemx_mutex_abandon, shmemx_mutex_t, kUnlock, UNLOCK)
OTHER(int, shmemx_mutex_inherited, shmemx_mutex_t, kQuery, Counted::kNone)
OTHER(int, shmemx_mutex_owner, shmemx_mutex_t, kQuery, Counted::kNone)
LOCK(shmemx_rwlock_read_lock, shmemx_rwlock_read_trylock, 1, (shmemx_rwlock_t * lock, int pe),
     (lock, pe), pe)
LOCK(shmemx_rwlock_write_lock, shmemx_rwlock_write_trylock, 1, (shmemx_rwlock_t * lock, int pe),
     (lock, pe), pe)
OTHER(int, shmemx_rwlock_read_trylock, shmemx_rwlock_t, kTryLock, TRY_LOCK)
OTHER(int, shmemx_rwlock_write_trylock, shmemx_rwlock_t, kTryLock, TRY_LOCK)
OTHER(void, shmemx_rwlock_read_unlock, shmemx_rwlock_t, kUnlock, UNLOCK)
OTHER(void, shmemx_rwlock_write_unlock, shmemx_rwlock_t, kUnlock, UNLOCK)
#undef LOCK
#undef OTHER
#undef TRY_LOCK
#undef UNLOCK

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
QUERY(void, shmem_info_get_version, (int* major, int* minor), (major, minor))
QUERY(void, shmem_info_get_name, (char* name), (name))
QUERY(int, shmemx_failure_count, (void), ())
QUERY(int, shmemx_failed_pe, (int index), (index))
QUERY(void, shmemx_call_place, (char* text, size_t bytes), (text, bytes))
#undef QUERY
#define ADDRESS(NAME)                                                                      \
    INTERPOSE_CHANGED(forward_memory, void*, NAME, (const void* dest, int pe), (dest, pe), \
                      .kind = Kind::kAddress, .source = dest, .pe = pe)
ADDRESS(shmem_ptr)
ADDRESS(shmemx_public_ptr)
#undef ADDRESS

}  // namespace tessera::interpose
