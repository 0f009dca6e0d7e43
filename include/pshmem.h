// SPDX-License-Identifier: BSD-3-Clause
//
// The profiling interface (OpenSHMEM 1.6, 10): for each routine of <shmem.h> an entry with a p
// before its name, pshmem_init for shmem_init, of the same type and doing the same. A profiling
// tool defines a shmem_ name itself and calls the pshmem_ entry from it; the library's own shmem_
// names are weak, so the tool needs no more than to be linked or preloaded. In C11 a tool writes
// the name of shmem_wait_until, shmem_signal_add, shmem_signal_set and shmem_sync in parentheses
// where it defines them, because they are type-generic macros as well.
//
// Each declaration takes its type from the routine it belongs to, so the two cannot differ. The
// part of <shmem.h> named above each group documents the routines and their arguments. The
// type-generic names have no pshmem_ form, and the library never calls one entry from inside
// another, so nothing is counted twice.

#ifndef SHMEM_INTERNAL_PSHMEM_H
#define SHMEM_INTERNAL_PSHMEM_H

#include "shmem.h"
// Again, since <shmem.h> removed its type tables at its end.
#include "shmem/types.h"

// Declares pNAME with the type of NAME.
#define SHMEM_INTERNAL_TWIN(NAME) __typeof__(NAME) p##NAME SHMEM_INTERNAL_NOTHROW;

// Declares pshmem_NAME and pshmem_ctx_NAME.
#define SHMEM_INTERNAL_TWINS(NAME)                                 \
    __typeof__(shmem_##NAME) pshmem_##NAME SHMEM_INTERNAL_NOTHROW; \
    __typeof__(shmem_ctx_##NAME) pshmem_ctx_##NAME SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
extern "C" {
#endif

// shmem/setup.h
SHMEM_INTERNAL_TWIN(shmem_init)
SHMEM_INTERNAL_TWIN(shmem_init_thread)
SHMEM_INTERNAL_TWIN(shmem_query_thread)
SHMEM_INTERNAL_TWIN(shmem_finalize)
SHMEM_INTERNAL_TWIN(shmem_query_initialized)
SHMEM_INTERNAL_NORETURN void pshmem_global_exit(int status) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_TWIN(shmem_my_pe)
SHMEM_INTERNAL_TWIN(shmem_n_pes)
SHMEM_INTERNAL_TWIN(shmem_pe_accessible)
SHMEM_INTERNAL_TWIN(shmem_addr_accessible)
SHMEM_INTERNAL_TWIN(shmem_ptr)
SHMEM_INTERNAL_TWIN(shmem_info_get_version)
SHMEM_INTERNAL_TWIN(shmem_info_get_name)

// shmem/memory.h
SHMEM_INTERNAL_TWIN(shmem_malloc)
SHMEM_INTERNAL_TWIN(shmem_calloc)
SHMEM_INTERNAL_TWIN(shmem_align)
SHMEM_INTERNAL_TWIN(shmem_malloc_with_hints)
SHMEM_INTERNAL_TWIN(shmem_realloc)
SHMEM_INTERNAL_TWIN(shmem_free)

// shmem/teams.h
SHMEM_INTERNAL_TWIN(shmem_team_my_pe)
SHMEM_INTERNAL_TWIN(shmem_team_n_pes)
SHMEM_INTERNAL_TWIN(shmem_team_get_config)
SHMEM_INTERNAL_TWIN(shmem_team_translate_pe)
SHMEM_INTERNAL_TWIN(shmem_team_split_strided)
SHMEM_INTERNAL_TWIN(shmem_team_split_2d)
SHMEM_INTERNAL_TWIN(shmem_team_destroy)
SHMEM_INTERNAL_TWIN(shmem_team_ptr)

// shmem/contexts.h
SHMEM_INTERNAL_TWIN(shmem_ctx_create)
SHMEM_INTERNAL_TWIN(shmem_team_create_ctx)
SHMEM_INTERNAL_TWIN(shmem_ctx_destroy)
SHMEM_INTERNAL_TWIN(shmem_ctx_get_team)
SHMEM_INTERNAL_TWIN(shmem_ctx_session_start)
SHMEM_INTERNAL_TWIN(shmem_ctx_session_stop)

// shmem/rma.h: pshmem_TYPENAME_put and so on, and their pshmem_ctx_ forms
#define SHMEM_INTERNAL_DECLARE(NAME, T)  \
    SHMEM_INTERNAL_TWINS(NAME##_put)     \
    SHMEM_INTERNAL_TWINS(NAME##_p)       \
    SHMEM_INTERNAL_TWINS(NAME##_iput)    \
    SHMEM_INTERNAL_TWINS(NAME##_ibput)   \
    SHMEM_INTERNAL_TWINS(NAME##_get)     \
    SHMEM_INTERNAL_TWINS(NAME##_g)       \
    SHMEM_INTERNAL_TWINS(NAME##_iget)    \
    SHMEM_INTERNAL_TWINS(NAME##_ibget)   \
    SHMEM_INTERNAL_TWINS(NAME##_put_nbi) \
    SHMEM_INTERNAL_TWINS(NAME##_get_nbi)
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// shmem/rma.h: pshmem_putSIZE and so on, and their pshmem_ctx_ forms
#define SHMEM_INTERNAL_DECLARE(BITS, BYTES) \
    SHMEM_INTERNAL_TWINS(put##BITS)         \
    SHMEM_INTERNAL_TWINS(iput##BITS)        \
    SHMEM_INTERNAL_TWINS(ibput##BITS)       \
    SHMEM_INTERNAL_TWINS(get##BITS)         \
    SHMEM_INTERNAL_TWINS(iget##BITS)        \
    SHMEM_INTERNAL_TWINS(ibget##BITS)       \
    SHMEM_INTERNAL_TWINS(put##BITS##_nbi)   \
    SHMEM_INTERNAL_TWINS(get##BITS##_nbi)
SHMEM_INTERNAL_SIZES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// shmem/rma.h, bytes
SHMEM_INTERNAL_TWINS(putmem)
SHMEM_INTERNAL_TWINS(getmem)
SHMEM_INTERNAL_TWINS(putmem_nbi)
SHMEM_INTERNAL_TWINS(getmem_nbi)

// shmem/atomics.h: pshmem_TYPENAME_atomic_fetch and so on, and their pshmem_ctx_ forms
#define SHMEM_INTERNAL_DECLARE(NAME, T)           \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_fetch)     \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_set)       \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_swap)      \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_fetch_nbi) \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_swap_nbi)
SHMEM_INTERNAL_AMO_EXT_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

#define SHMEM_INTERNAL_DECLARE(NAME, T)                  \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_compare_swap)     \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_fetch_inc)        \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_inc)              \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_fetch_add)        \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_add)              \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_compare_swap_nbi) \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_fetch_inc_nbi)    \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_fetch_add_nbi)
SHMEM_INTERNAL_AMO_STD_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

#define SHMEM_INTERNAL_DECLARE(NAME, T)               \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_fetch_and)     \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_and)           \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_fetch_or)      \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_or)            \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_fetch_xor)     \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_xor)           \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_fetch_and_nbi) \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_fetch_or_nbi)  \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_fetch_xor_nbi)
SHMEM_INTERNAL_AMO_BIT_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// shmem/signal.h: pshmem_TYPENAME_put_signal, pshmem_putSIZE_signal, their _nbi and ctx forms
#define SHMEM_INTERNAL_DECLARE(NAME, T)     \
    SHMEM_INTERNAL_TWINS(NAME##_put_signal) \
    SHMEM_INTERNAL_TWINS(NAME##_put_signal_nbi)
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

#define SHMEM_INTERNAL_DECLARE(BITS, BYTES)  \
    SHMEM_INTERNAL_TWINS(put##BITS##_signal) \
    SHMEM_INTERNAL_TWINS(put##BITS##_signal_nbi)
SHMEM_INTERNAL_SIZES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

SHMEM_INTERNAL_TWINS(putmem_signal)
SHMEM_INTERNAL_TWINS(putmem_signal_nbi)
SHMEM_INTERNAL_TWIN(shmem_signal_fetch)

// Also names of C++ overloads, which have more than one type, so their types are written out.
void pshmem_signal_add(uint64_t* sig_addr, uint64_t signal, int pe) SHMEM_INTERNAL_NOTHROW;
void pshmem_ctx_signal_add(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal,
                           int pe) SHMEM_INTERNAL_NOTHROW;
void pshmem_signal_set(uint64_t* sig_addr, uint64_t signal, int pe) SHMEM_INTERNAL_NOTHROW;
void pshmem_ctx_signal_set(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal,
                           int pe) SHMEM_INTERNAL_NOTHROW;

// shmem/collectives.h
SHMEM_INTERNAL_TWIN(shmem_barrier_all)
SHMEM_INTERNAL_TWIN(shmem_sync_all)
SHMEM_INTERNAL_TWIN(shmem_team_sync)

// shmem/collectives.h: pshmem_TYPENAME_alltoall and so on
#define SHMEM_INTERNAL_DECLARE(NAME, T)           \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_alltoall)  \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_alltoalls) \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_broadcast) \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_collect)   \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_fcollect)
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// shmem/collectives.h, bytes
SHMEM_INTERNAL_TWIN(shmem_alltoallmem)
SHMEM_INTERNAL_TWIN(shmem_alltoallsmem)
SHMEM_INTERNAL_TWIN(shmem_broadcastmem)
SHMEM_INTERNAL_TWIN(shmem_collectmem)
SHMEM_INTERNAL_TWIN(shmem_fcollectmem)

// shmem/collectives.h: pshmem_TYPENAME_and_reduce and so on
#define SHMEM_INTERNAL_DECLARE(NAME, T)            \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_and_reduce) \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_or_reduce)  \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_xor_reduce)
SHMEM_INTERNAL_RED_BIT_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

#define SHMEM_INTERNAL_DECLARE(NAME, T)            \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_max_reduce) \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_min_reduce)
SHMEM_INTERNAL_RED_MM_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

#define SHMEM_INTERNAL_DECLARE(NAME, T)             \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_sum_reduce)  \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_prod_reduce) \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_sum_inscan)  \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_sum_exscan)
SHMEM_INTERNAL_RED_SP_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// shmem/sync.h: pshmem_TYPENAME_wait_until and so on
#define SHMEM_INTERNAL_DECLARE(NAME, T)                        \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_wait_until)             \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_wait_until_all)         \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_wait_until_any)         \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_wait_until_some)        \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_wait_until_all_vector)  \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_wait_until_any_vector)  \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_wait_until_some_vector) \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_test)                   \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_test_all)               \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_test_any)               \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_test_some)              \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_test_all_vector)        \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_test_any_vector)        \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_test_some_vector)
SHMEM_INTERNAL_AMO_STD_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE
SHMEM_INTERNAL_TWIN(shmem_signal_wait_until)

// shmem/ordering.h
SHMEM_INTERNAL_TWINS(fence)
SHMEM_INTERNAL_TWINS(quiet)
SHMEM_INTERNAL_TWINS(pe_quiet)

// shmem/locks.h
SHMEM_INTERNAL_TWIN(shmem_set_lock)
SHMEM_INTERNAL_TWIN(shmem_test_lock)
SHMEM_INTERNAL_TWIN(shmem_clear_lock)

// shmem/profiling.h
SHMEM_INTERNAL_TWIN(shmem_pcontrol)

// shmem/deprecated.h. The oldest names get their p like all others: pstart_pes, p_my_pe, pshmalloc.
SHMEM_INTERNAL_TWIN(start_pes)
SHMEM_INTERNAL_TWIN(_my_pe)
SHMEM_INTERNAL_TWIN(_num_pes)
SHMEM_INTERNAL_TWIN(shmalloc)
SHMEM_INTERNAL_TWIN(shfree)
SHMEM_INTERNAL_TWIN(shrealloc)
SHMEM_INTERNAL_TWIN(shmemalign)

// pshmem_TYPENAME_fetch and so on
#define SHMEM_INTERNAL_DECLARE(NAME, T)       \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_fetch) \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_set)   \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_swap)
SHMEM_INTERNAL_OLD_EXT_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

#define SHMEM_INTERNAL_DECLARE(NAME, T)       \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_cswap) \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_finc)  \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_inc)   \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_fadd)  \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_add)
SHMEM_INTERNAL_OLD_STD_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// pshmem_TYPENAME_wait_until, pshmem_TYPENAME_test, pshmem_TYPENAME_wait
#define SHMEM_INTERNAL_DECLARE(NAME, T)            \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_wait_until) \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_test)
SHMEM_INTERNAL_P2P_SHORT_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

#define SHMEM_INTERNAL_DECLARE(NAME, T) SHMEM_INTERNAL_TWIN(shmem_##NAME##_wait)
SHMEM_INTERNAL_WAIT_OLD_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

SHMEM_INTERNAL_TWIN(shmem_wait)
// Written out for the same reason as pshmem_signal_add.
void pshmem_wait_until(long* ivar, int cmp, long cmp_value) SHMEM_INTERNAL_NOTHROW;

SHMEM_INTERNAL_TWIN(shmem_barrier)
// Written out for the same reason as pshmem_signal_add.
void pshmem_sync(int PE_start, int logPE_stride, int PE_size, long* pSync) SHMEM_INTERNAL_NOTHROW;

// pshmem_alltoallSIZE and so on
#define SHMEM_INTERNAL_DECLARE(BITS, BYTES)    \
    SHMEM_INTERNAL_TWIN(shmem_alltoall##BITS)  \
    SHMEM_INTERNAL_TWIN(shmem_alltoalls##BITS) \
    SHMEM_INTERNAL_TWIN(shmem_broadcast##BITS) \
    SHMEM_INTERNAL_TWIN(shmem_collect##BITS)   \
    SHMEM_INTERNAL_TWIN(shmem_fcollect##BITS)
SHMEM_INTERNAL_COLLECTIVE_SIZES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// pshmem_TYPENAME_and_to_all and so on
#define SHMEM_INTERNAL_DECLARE(NAME, T)            \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_and_to_all) \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_or_to_all)  \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_xor_to_all)
SHMEM_INTERNAL_AS_BIT_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

#define SHMEM_INTERNAL_DECLARE(NAME, T)            \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_max_to_all) \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_min_to_all)
SHMEM_INTERNAL_AS_MM_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

#define SHMEM_INTERNAL_DECLARE(NAME, T)            \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_sum_to_all) \
    SHMEM_INTERNAL_TWIN(shmem_##NAME##_prod_to_all)
SHMEM_INTERNAL_AS_SP_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

#ifdef __cplusplus
}
#endif

#undef SHMEM_INTERNAL_TWIN
#undef SHMEM_INTERNAL_TWINS

#include "shmem/tables_end.h"

#endif  // SHMEM_INTERNAL_PSHMEM_H
