// SPDX-License-Identifier: BSD-3-Clause
//
// Extensions that OpenSHMEM 1.6 has without the x (include/shmemx.h). Each calls the pshmem_ name,
// so that a profiler counts what the program called and nothing twice.
#include "api/entry.hpp"
#include "pshmem.h"
#include "shmemx.h"
// Again, since both headers removed the type tables at their end.
#include "shmem/types.h"

SHMEM_ENTRY(void, shmemx_query_initialized, int* initialized) {
    pshmem_query_initialized(initialized);
}

// shmemx_NAME and shmemx_ctx_NAME, the copies of blocks with strides
#define DEFINE_BLOCKS(NAME, DEST, SOURCE)                                                          \
    SHMEM_ENTRY(void, shmemx_##NAME, DEST dest, SOURCE source, ptrdiff_t dst, ptrdiff_t sst,       \
                size_t bsize, size_t nblocks, int pe) {                                            \
        pshmem_##NAME(dest, source, dst, sst, bsize, nblocks, pe);                                 \
    }                                                                                              \
    SHMEM_ENTRY(void, shmemx_ctx_##NAME, shmem_ctx_t ctx, DEST dest, SOURCE source, ptrdiff_t dst, \
                ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) {                             \
        pshmem_ctx_##NAME(ctx, dest, source, dst, sst, bsize, nblocks, pe);                        \
    }
// shmemx_TYPENAME_ibput, shmemx_TYPENAME_ibget
#define DEFINE_TYPED(NAME, T)                 \
    DEFINE_BLOCKS(NAME##_ibput, T*, const T*) \
    DEFINE_BLOCKS(NAME##_ibget, T*, const T*)
SHMEM_INTERNAL_RMA_TYPES(DEFINE_TYPED)
#undef DEFINE_TYPED
// shmemx_ibputSIZE, shmemx_ibgetSIZE
#define DEFINE_SIZED(BITS, BYTES)                  \
    DEFINE_BLOCKS(ibput##BITS, void*, const void*) \
    DEFINE_BLOCKS(ibget##BITS, void*, const void*)
SHMEM_INTERNAL_SIZES(DEFINE_SIZED)
#undef DEFINE_SIZED
#undef DEFINE_BLOCKS

// shmemx_signal_add, shmemx_signal_set, and their shmemx_ctx_ forms
#define DEFINE_SIGNAL(NAME)                                                                    \
    SHMEM_ENTRY(void, shmemx_##NAME, uint64_t* sig_addr, uint64_t signal, int pe) {            \
        pshmem_##NAME(sig_addr, signal, pe);                                                   \
    }                                                                                          \
    SHMEM_ENTRY(void, shmemx_ctx_##NAME, shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal, \
                int pe) {                                                                      \
        pshmem_ctx_##NAME(ctx, sig_addr, signal, pe);                                          \
    }
DEFINE_SIGNAL(signal_add)
DEFINE_SIGNAL(signal_set)
#undef DEFINE_SIGNAL

// shmemx_TYPENAME_sum_inscan, shmemx_TYPENAME_sum_exscan
#define DEFINE_SCAN(NAME, T, OP)                                                        \
    SHMEM_ENTRY(int, shmemx_##NAME##_##OP, shmem_team_t team, T* dest, const T* source, \
                size_t nelems) {                                                        \
        return pshmem_##NAME##_##OP(team, dest, source, nelems);                        \
    }
#define DEFINE_SCANS(NAME, T)        \
    DEFINE_SCAN(NAME, T, sum_inscan) \
    DEFINE_SCAN(NAME, T, sum_exscan)
SHMEM_INTERNAL_RED_SP_TYPES(DEFINE_SCANS)
#undef DEFINE_SCANS
#undef DEFINE_SCAN
