// SPDX-License-Identifier: BSD-3-Clause
//
// The profiling interface of the extensions: for each routine of <shmemx.h> an entry with a p
// before its name, of the same type and doing the same, as <pshmem.h> has them for the routines of
// the specification. In C11 a tool writes the names of shmemx_signal_add and shmemx_signal_set in
// parentheses where it defines them, because they are type-generic macros as well.

#ifndef SHMEM_INTERNAL_PSHMEMX_H
#define SHMEM_INTERNAL_PSHMEMX_H

#include "shmemx.h"
// Again, since <shmemx.h> removed its type tables at its end.
#include "shmem/types.h"

// Declares pNAME with the type of NAME.
#define SHMEM_INTERNAL_TWIN(NAME) __typeof__(NAME) p##NAME SHMEM_INTERNAL_NOTHROW;

// Declares pshmemx_NAME and pshmemx_ctx_NAME.
#define SHMEM_INTERNAL_TWINS(NAME)                                   \
    __typeof__(shmemx_##NAME) pshmemx_##NAME SHMEM_INTERNAL_NOTHROW; \
    __typeof__(shmemx_ctx_##NAME) pshmemx_ctx_##NAME SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
extern "C" {
#endif

// Time, names and states
SHMEM_INTERNAL_TWIN(shmemx_wtime)
SHMEM_INTERNAL_TWIN(shmemx_nodename)
SHMEM_INTERNAL_TWIN(shmemx_query_initialized)
SHMEM_INTERNAL_TWIN(shmemx_register_gettid)
SHMEM_INTERNAL_TWIN(shmemx_collective_algorithm)

// pshmemx_TYPENAME_{ibput,ibget}, pshmemx_{ibput,ibget}SIZE and their ctx forms
#define SHMEM_INTERNAL_DECLARE(NAME, T) \
    SHMEM_INTERNAL_TWINS(NAME##_ibput)  \
    SHMEM_INTERNAL_TWINS(NAME##_ibget)
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE
#define SHMEM_INTERNAL_DECLARE(BITS, BYTES) \
    SHMEM_INTERNAL_TWINS(ibput##BITS)       \
    SHMEM_INTERNAL_TWINS(ibget##BITS)
SHMEM_INTERNAL_SIZES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// Also names of C++ overloads, which have more than one type, so their types are written out.
void pshmemx_signal_add(uint64_t* sig_addr, uint64_t signal, int pe) SHMEM_INTERNAL_NOTHROW;
void pshmemx_ctx_signal_add(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal,
                            int pe) SHMEM_INTERNAL_NOTHROW;
void pshmemx_signal_set(uint64_t* sig_addr, uint64_t signal, int pe) SHMEM_INTERNAL_NOTHROW;
void pshmemx_ctx_signal_set(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal,
                            int pe) SHMEM_INTERNAL_NOTHROW;

// pshmemx_TYPENAME_sum_inscan, pshmemx_TYPENAME_sum_exscan
#define SHMEM_INTERNAL_DECLARE(NAME, T)             \
    SHMEM_INTERNAL_TWIN(shmemx_##NAME##_sum_inscan) \
    SHMEM_INTERNAL_TWIN(shmemx_##NAME##_sum_exscan)
SHMEM_INTERNAL_RED_SP_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// Beside MPI, and without a launcher
SHMEM_INTERNAL_TWIN(shmemx_get_uniqueid)
SHMEM_INTERNAL_TWIN(shmemx_init_uid)
SHMEM_INTERNAL_TWIN(shmemx_init_with)
SHMEM_INTERNAL_TWIN(shmemx_query_interoperability)

// Deaths of PEs
SHMEM_INTERNAL_TWIN(shmemx_survive_failures)
SHMEM_INTERNAL_TWIN(shmemx_failure_count)
SHMEM_INTERNAL_TWIN(shmemx_failed_pe)
SHMEM_INTERNAL_TWIN(shmemx_wait_until_failure)

// Places in the program (shmemx/places.h)
SHMEM_INTERNAL_TWIN(shmemx_call_place)

// Counting puts and gets
SHMEM_INTERNAL_TWIN(shmemx_ct_create)
SHMEM_INTERNAL_TWIN(shmemx_ct_free)
SHMEM_INTERNAL_TWIN(shmemx_putmem_ct)
SHMEM_INTERNAL_TWIN(shmemx_getmem_ct)
SHMEM_INTERNAL_TWIN(shmemx_ct_get)
SHMEM_INTERNAL_TWIN(shmemx_ct_set)
SHMEM_INTERNAL_TWIN(shmemx_ct_wait)

// Performance counters
SHMEM_INTERNAL_TWIN(shmemx_pcntr_get_issued_write)
SHMEM_INTERNAL_TWIN(shmemx_pcntr_get_issued_read)
SHMEM_INTERNAL_TWIN(shmemx_pcntr_get_completed_write)
SHMEM_INTERNAL_TWIN(shmemx_pcntr_get_completed_read)
SHMEM_INTERNAL_TWIN(shmemx_pcntr_get_completed_target)
SHMEM_INTERNAL_TWIN(shmemx_pcntr_get_all)

// External heaps
SHMEM_INTERNAL_TWIN(shmemx_heap_preinit)
SHMEM_INTERNAL_TWIN(shmemx_heap_preinit_thread)
SHMEM_INTERNAL_TWIN(shmemx_heap_create)
SHMEM_INTERNAL_TWIN(shmemx_heap_postinit)

// Epochs (shmemx/epochs.h)
SHMEM_INTERNAL_TWIN(shmemx_epoch_post)
SHMEM_INTERNAL_TWIN(shmemx_epoch_start)
SHMEM_INTERNAL_TWIN(shmemx_epoch_ready)
SHMEM_INTERNAL_TWIN(shmemx_epoch_put)
SHMEM_INTERNAL_TWIN(shmemx_epoch_get)
SHMEM_INTERNAL_TWIN(shmemx_epoch_complete)
SHMEM_INTERNAL_TWIN(shmemx_epoch_wait)
SHMEM_INTERNAL_TWIN(shmemx_epoch_test)

// Windows (shmemx/windows.h)
SHMEM_INTERNAL_TWIN(shmemx_window_create)
SHMEM_INTERNAL_TWIN(shmemx_window_destroy)
SHMEM_INTERNAL_TWIN(shmemx_window_post)
SHMEM_INTERNAL_TWIN(shmemx_window_start)
SHMEM_INTERNAL_TWIN(shmemx_window_barrier)
SHMEM_INTERNAL_TWIN(shmemx_window_publish)
SHMEM_INTERNAL_TWIN(shmemx_window_refresh)
SHMEM_INTERNAL_TWIN(shmemx_window_put)
SHMEM_INTERNAL_TWIN(shmemx_window_get)

// Memory that software keeps coherent (shmemx/coherence.h)
SHMEM_INTERNAL_TWIN(shmemx_public_ptr)
SHMEM_INTERNAL_TWIN(shmemx_writeback)
SHMEM_INTERNAL_TWIN(shmemx_invalidate)

// Location (shmemx/location.h)
SHMEM_INTERNAL_TWIN(shmemx_pe_location)

// Mutexes and reader-writer locks (shmemx/mutex.h)
SHMEM_INTERNAL_TWIN(shmemx_mutex_lock)
SHMEM_INTERNAL_TWIN(shmemx_mutex_trylock)
SHMEM_INTERNAL_TWIN(shmemx_mutex_unlock)
SHMEM_INTERNAL_TWIN(shmemx_mutex_abandon)
SHMEM_INTERNAL_TWIN(shmemx_mutex_inherited)
SHMEM_INTERNAL_TWIN(shmemx_mutex_owner)
SHMEM_INTERNAL_TWIN(shmemx_rwlock_read_lock)
SHMEM_INTERNAL_TWIN(shmemx_rwlock_write_lock)
SHMEM_INTERNAL_TWIN(shmemx_rwlock_read_trylock)
SHMEM_INTERNAL_TWIN(shmemx_rwlock_write_trylock)
SHMEM_INTERNAL_TWIN(shmemx_rwlock_read_unlock)
SHMEM_INTERNAL_TWIN(shmemx_rwlock_write_unlock)

// Strided and indexed transfers
SHMEM_INTERNAL_TWINS(put_strided)
SHMEM_INTERNAL_TWINS(put_strided_nbi)
SHMEM_INTERNAL_TWINS(get_strided)
SHMEM_INTERNAL_TWINS(get_strided_nbi)
SHMEM_INTERNAL_TWINS(put_indexed)
SHMEM_INTERNAL_TWINS(put_indexed_nbi)
SHMEM_INTERNAL_TWINS(get_indexed)
SHMEM_INTERNAL_TWINS(get_indexed_nbi)
SHMEM_INTERNAL_TWINS(put_strided_signal)
SHMEM_INTERNAL_TWINS(put_strided_signal_nbi)
SHMEM_INTERNAL_TWINS(put_indexed_signal)
SHMEM_INTERNAL_TWINS(put_indexed_signal_nbi)
SHMEM_INTERNAL_TWINS(put_strided_req)
SHMEM_INTERNAL_TWINS(get_strided_req)
SHMEM_INTERNAL_TWINS(put_indexed_req)
SHMEM_INTERNAL_TWINS(get_indexed_req)
// Accumulate
SHMEM_INTERNAL_TWINS(accumulate)
SHMEM_INTERNAL_TWINS(accumulate_req)
SHMEM_INTERNAL_TWINS(get_accumulate)
SHMEM_INTERNAL_TWINS(get_accumulate_req)
SHMEM_INTERNAL_TWINS(fetch_op)
SHMEM_INTERNAL_TWINS(fetch_op_req)
SHMEM_INTERNAL_TWINS(compare_swap)
SHMEM_INTERNAL_TWINS(compare_swap_req)
// Requests
SHMEM_INTERNAL_TWIN(shmemx_req_test)
SHMEM_INTERNAL_TWIN(shmemx_req_wait)
SHMEM_INTERNAL_TWIN(shmemx_req_testall)
SHMEM_INTERNAL_TWIN(shmemx_req_waitall)
SHMEM_INTERNAL_TWIN(shmemx_req_testany)
SHMEM_INTERNAL_TWIN(shmemx_req_waitany)
SHMEM_INTERNAL_TWIN(shmemx_req_testsome)
SHMEM_INTERNAL_TWIN(shmemx_req_waitsome)
SHMEM_INTERNAL_TWIN(shmemx_req_free)
SHMEM_INTERNAL_TWIN(shmemx_req_is_open)
// pshmemx_TYPENAME_{put,get,put_signal}_req and their ctx forms
#define SHMEM_INTERNAL_DECLARE(NAME, T)  \
    SHMEM_INTERNAL_TWINS(NAME##_put_req) \
    SHMEM_INTERNAL_TWINS(NAME##_get_req) \
    SHMEM_INTERNAL_TWINS(NAME##_put_signal_req)
SHMEM_INTERNAL_RMA_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE
SHMEM_INTERNAL_TWINS(putmem_req)
SHMEM_INTERNAL_TWINS(getmem_req)
SHMEM_INTERNAL_TWINS(putmem_signal_req)
// pshmemx_TYPENAME_atomic_..._req and their ctx forms
#define SHMEM_INTERNAL_DECLARE(NAME, T)           \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_fetch_req) \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_set_req)   \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_swap_req)
SHMEM_INTERNAL_AMO_EXT_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE
#define SHMEM_INTERNAL_DECLARE(NAME, T)                  \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_compare_swap_req) \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_fetch_inc_req)    \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_inc_req)          \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_fetch_add_req)    \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_add_req)
SHMEM_INTERNAL_AMO_STD_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE
#define SHMEM_INTERNAL_DECLARE(NAME, T)               \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_fetch_and_req) \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_and_req)       \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_fetch_or_req)  \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_or_req)        \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_fetch_xor_req) \
    SHMEM_INTERNAL_TWINS(NAME##_atomic_xor_req)
SHMEM_INTERNAL_AMO_BIT_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// Local memory
SHMEM_INTERNAL_TWIN(shmemx_local_malloc)
SHMEM_INTERNAL_TWIN(shmemx_local_calloc)
SHMEM_INTERNAL_TWIN(shmemx_local_align)
SHMEM_INTERNAL_TWIN(shmemx_local_realloc)
SHMEM_INTERNAL_TWIN(shmemx_local_free)

// Registered segments (shmemx/segments.h)
SHMEM_INTERNAL_TWIN(shmemx_register)
SHMEM_INTERNAL_TWIN(shmemx_deregister)
SHMEM_INTERNAL_TWIN(shmemx_segment_gptr)
SHMEM_INTERNAL_TWIN(shmemx_segment_bytes)

// Global pointers
SHMEM_INTERNAL_TWIN(shmemx_gptr_of)
SHMEM_INTERNAL_TWIN(shmemx_gptr_pe)
SHMEM_INTERNAL_TWIN(shmemx_gptr_addr)
SHMEM_INTERNAL_TWIN(shmemx_gptr_ptr)
SHMEM_INTERNAL_TWIN(shmemx_gptr_add)
SHMEM_INTERNAL_TWIN(shmemx_gptr_diff)

// Teams of any members
SHMEM_INTERNAL_TWIN(shmemx_team_split_color)
SHMEM_INTERNAL_TWIN(shmemx_team_create)

// Team memory
SHMEM_INTERNAL_TWIN(shmemx_team_malloc)
SHMEM_INTERNAL_TWIN(shmemx_team_align)
SHMEM_INTERNAL_TWIN(shmemx_team_calloc)
SHMEM_INTERNAL_TWIN(shmemx_team_free)
// Collectives for runtimes
SHMEM_INTERNAL_TWIN(shmemx_broadcast)
SHMEM_INTERNAL_TWIN(shmemx_gather)
SHMEM_INTERNAL_TWIN(shmemx_gatherv)
SHMEM_INTERNAL_TWIN(shmemx_scatter)
SHMEM_INTERNAL_TWIN(shmemx_scatterv)
SHMEM_INTERNAL_TWIN(shmemx_allgather)
SHMEM_INTERNAL_TWIN(shmemx_allgatherv)
SHMEM_INTERNAL_TWIN(shmemx_alltoall)
SHMEM_INTERNAL_TWIN(shmemx_alltoallv)
SHMEM_INTERNAL_TWIN(shmemx_reduce)
SHMEM_INTERNAL_TWIN(shmemx_reduce_op)
SHMEM_INTERNAL_TWIN(shmemx_allreduce)
SHMEM_INTERNAL_TWIN(shmemx_allreduce_op)
SHMEM_INTERNAL_TWIN(shmemx_reduce_scatter)
SHMEM_INTERNAL_TWIN(shmemx_reduce_scatter_op)
SHMEM_INTERNAL_TWIN(shmemx_reduce_scatterv)
SHMEM_INTERNAL_TWIN(shmemx_reduce_scatterv_op)
SHMEM_INTERNAL_TWIN(shmemx_ibarrier)
SHMEM_INTERNAL_TWIN(shmemx_ibroadcast)
SHMEM_INTERNAL_TWIN(shmemx_iallgather)
SHMEM_INTERNAL_TWIN(shmemx_ialltoall)
SHMEM_INTERNAL_TWIN(shmemx_ireduce)
SHMEM_INTERNAL_TWIN(shmemx_ireduce_op)
SHMEM_INTERNAL_TWIN(shmemx_iallreduce)
SHMEM_INTERNAL_TWIN(shmemx_iallreduce_op)

#ifdef __cplusplus
}
#endif

#undef SHMEM_INTERNAL_TWIN
#undef SHMEM_INTERNAL_TWINS

#include "shmem/tables_end.h"

#endif  // SHMEM_INTERNAL_PSHMEMX_H
