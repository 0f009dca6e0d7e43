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
#define SHMEM_INTERNAL_TWIN(NAME) __typeof__(NAME) p##NAME;

// Declares pshmemx_NAME and pshmemx_ctx_NAME.
#define SHMEM_INTERNAL_TWINS(NAME)            \
    __typeof__(shmemx_##NAME) pshmemx_##NAME; \
    __typeof__(shmemx_ctx_##NAME) pshmemx_ctx_##NAME;

#ifdef __cplusplus
extern "C" {
#endif

// Time, names and states
SHMEM_INTERNAL_TWIN(shmemx_wtime)
SHMEM_INTERNAL_TWIN(shmemx_nodename)
SHMEM_INTERNAL_TWIN(shmemx_query_initialized)
SHMEM_INTERNAL_TWIN(shmemx_register_gettid)

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
void pshmemx_signal_add(uint64_t* sig_addr, uint64_t signal, int pe);
void pshmemx_ctx_signal_add(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal, int pe);
void pshmemx_signal_set(uint64_t* sig_addr, uint64_t signal, int pe);
void pshmemx_ctx_signal_set(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal, int pe);

// pshmemx_TYPENAME_sum_inscan, pshmemx_TYPENAME_sum_exscan
#define SHMEM_INTERNAL_DECLARE(NAME, T)             \
    SHMEM_INTERNAL_TWIN(shmemx_##NAME##_sum_inscan) \
    SHMEM_INTERNAL_TWIN(shmemx_##NAME##_sum_exscan)
SHMEM_INTERNAL_RED_SP_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

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

#ifdef __cplusplus
}
#endif

#undef SHMEM_INTERNAL_TWIN
#undef SHMEM_INTERNAL_TWINS

#include "shmem/tables_end.h"

#endif  // SHMEM_INTERNAL_PSHMEMX_H
