// SPDX-License-Identifier: BSD-3-Clause
//
// Routines and constants that the specification deprecates and still requires (OpenSHMEM 1.6,
// Annex F). Part of <shmem.h>. New programs use the routine named first in each comment.
//
// ERRORS, for all: those of the routine that replaces it. THREADS, for all: those of the routine
// that replaces it.

#ifndef SHMEM_INTERNAL_DEPRECATED_H
#define SHMEM_INTERNAL_DEPRECATED_H

#include "setup.h"
#include "sync.h"
#include "types.h"

/**
 * Deprecated in 1.5 (OpenSHMEM 1.6, 6): the working arrays of the active-set collectives. pSync is
 * a symmetric long[] whose elements all are SHMEM_SYNC_VALUE before first use: 0, so that a static
 * array needs no initialization. pWrk holds at least SHMEM_REDUCE_MIN_WRKDATA_SIZE elements.
 */
#define SHMEM_SYNC_VALUE 0
#define SHMEM_SYNC_SIZE 64
#define SHMEM_BARRIER_SYNC_SIZE 64
#define SHMEM_BCAST_SYNC_SIZE 64
#define SHMEM_COLLECT_SYNC_SIZE 64
#define SHMEM_REDUCE_SYNC_SIZE 64
#define SHMEM_ALLTOALL_SYNC_SIZE 64
#define SHMEM_ALLTOALLS_SYNC_SIZE 64
#define SHMEM_REDUCE_MIN_WRKDATA_SIZE 64

/** Deprecated in 1.3 (OpenSHMEM 1.6, 6): the same constants under older names. */
#define _SHMEM_SYNC_VALUE SHMEM_SYNC_VALUE
#define _SHMEM_BARRIER_SYNC_SIZE SHMEM_BARRIER_SYNC_SIZE
#define _SHMEM_BCAST_SYNC_SIZE SHMEM_BCAST_SYNC_SIZE
#define _SHMEM_COLLECT_SYNC_SIZE SHMEM_COLLECT_SYNC_SIZE
#define _SHMEM_REDUCE_SYNC_SIZE SHMEM_REDUCE_SYNC_SIZE
#define _SHMEM_REDUCE_MIN_WRKDATA_SIZE SHMEM_REDUCE_MIN_WRKDATA_SIZE
#define _SHMEM_MAJOR_VERSION SHMEM_MAJOR_VERSION
#define _SHMEM_MINOR_VERSION SHMEM_MINOR_VERSION
#define _SHMEM_MAX_NAME_LEN SHMEM_MAX_NAME_LEN
#define _SHMEM_VENDOR_STRING SHMEM_VENDOR_STRING
#define _SHMEM_CMP_EQ SHMEM_CMP_EQ
#define _SHMEM_CMP_NE SHMEM_CMP_NE
#define _SHMEM_CMP_LT SHMEM_CMP_LT
#define _SHMEM_CMP_LE SHMEM_CMP_LE
#define _SHMEM_CMP_GT SHMEM_CMP_GT
#define _SHMEM_CMP_GE SHMEM_CMP_GE

/**
 * Removed in 1.5, deprecated in 1.3 (OpenSHMEM 1.4, 9.12): the cache routines of machines whose
 * caches the program kept coherent. They do nothing, and no function stands behind the names.
 *
 * dest       an address in the line, symmetric.
 */
#define shmem_set_cache_inv() ((void)0)
#define shmem_clear_cache_inv() ((void)0)
#define shmem_udcflush() ((void)0)
#define shmem_set_cache_line_inv(dest) ((void)(dest))
#define shmem_clear_cache_line_inv(dest) ((void)(dest))
#define shmem_udcflush_line(dest) ((void)(dest))

#ifdef __cplusplus
extern "C" {
#endif

/**
 * shmem_init, deprecated in 1.2. Repeated calls do nothing, and the program need not finalize: that
 * happens, collectively, when it exits.
 *
 * npes       ignored.
 *
 * RETURNS when: all PEs have called it. OpenSHMEM 1.6, 9.1, start_pes.
 */
void start_pes(int npes) SHMEM_INTERNAL_NOTHROW;

/**
 * shmem_my_pe and shmem_n_pes, deprecated in 1.2.
 *
 * RETURNS when: at once. OpenSHMEM 1.6, Annex F.
 */
int _my_pe(void) SHMEM_INTERNAL_NOTHROW;
int _num_pes(void) SHMEM_INTERNAL_NOTHROW;

/**
 * shmem_malloc, shmem_free, shmem_realloc and shmem_align, deprecated in 1.2: same arguments (sizes
 * in bytes), same results, same barriers.
 *
 * RETURNS when: as the new names (shmem/memory.h). OpenSHMEM 1.6, Annex F.
 */
void* shmalloc(size_t size) SHMEM_INTERNAL_NOTHROW;
void shfree(void* ptr) SHMEM_INTERNAL_NOTHROW;
void* shrealloc(void* ptr, size_t size) SHMEM_INTERNAL_NOTHROW;
void* shmemalign(size_t alignment, size_t size) SHMEM_INTERNAL_NOTHROW;

/**
 * shmem_atomic_fetch, shmem_atomic_set and shmem_atomic_swap on the default context, deprecated in
 * 1.4: same arguments, same results.
 *
 * RETURNS when: as the new names (shmem/atomics.h).
 * OpenSHMEM 1.6, 9.7, shmem_fetch, shmem_set, shmem_swap.
 */
// shmem_TYPENAME_{fetch,set,swap}
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                       \
    T shmem_##NAME##_fetch(const T* source, int pe) SHMEM_INTERNAL_NOTHROW;   \
    void shmem_##NAME##_set(T* dest, T value, int pe) SHMEM_INTERNAL_NOTHROW; \
    T shmem_##NAME##_swap(T* dest, T value, int pe) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_OLD_EXT_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * shmem_atomic_compare_swap, shmem_atomic_fetch_inc, shmem_atomic_inc, shmem_atomic_fetch_add and
 * shmem_atomic_add on the default context, deprecated in 1.4: same arguments, same results.
 *
 * RETURNS when: as the new names (shmem/atomics.h).
 * OpenSHMEM 1.6, 9.7, shmem_cswap, shmem_finc, shmem_inc, shmem_fadd, shmem_add.
 */
// shmem_TYPENAME_{cswap,finc,inc,fadd,add}
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                              \
    T shmem_##NAME##_cswap(T* dest, T cond, T value, int pe) SHMEM_INTERNAL_NOTHROW; \
    T shmem_##NAME##_finc(T* dest, int pe) SHMEM_INTERNAL_NOTHROW;                   \
    void shmem_##NAME##_inc(T* dest, int pe) SHMEM_INTERNAL_NOTHROW;                 \
    T shmem_##NAME##_fadd(T* dest, T value, int pe) SHMEM_INTERNAL_NOTHROW;          \
    void shmem_##NAME##_add(T* dest, T value, int pe) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_OLD_STD_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * shmem_wait_until and shmem_test on short objects, deprecated in 1.5.
 *
 * RETURNS when: as the other types (shmem/sync.h).
 * OpenSHMEM 1.6, 9.11, shmem_wait_until, shmem_test.
 */
// shmem_TYPENAME_{wait_until,test}
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                   \
    void shmem_##NAME##_wait_until(T* ivar, int cmp, T cmp_value) SHMEM_INTERNAL_NOTHROW; \
    int shmem_##NAME##_test(T* ivar, int cmp, T cmp_value) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_P2P_SHORT_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * shmem_wait_until on a long object, deprecated in 1.4 as a function. In C11 and C++ the name is
 * type-generic.
 *
 * RETURNS when: satisfied. OpenSHMEM 1.6, 9.11, shmem_wait_until.
 */
void shmem_wait_until(long* ivar, int cmp, long cmp_value) SHMEM_INTERNAL_NOTHROW;

/**
 * shmem_wait_until with SHMEM_CMP_NE, deprecated in 1.4.
 *
 * ivar       symmetric address of the object, local.
 * cmp_value  the value that the object must no longer have.
 *
 * RETURNS when: the object differs from cmp_value. OpenSHMEM 1.6, 9.11, shmem_wait.
 */
void shmem_wait(long* ivar, long cmp_value) SHMEM_INTERNAL_NOTHROW;

// shmem_TYPENAME_wait
#define SHMEM_INTERNAL_DECLARE(NAME, T) \
    void shmem_##NAME##_wait(T* ivar, T cmp_value) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_WAIT_OLD_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * shmem_barrier_all over an active set, deprecated in 1.5. All PEs of the set call it, and no
 * other; it is PE_start + i * 2^logPE_stride for i in [0, PE_size).
 *
 * PE_start       lowest PE of the set.
 * logPE_stride   logarithm, base 2, of the distance of neighbours; at least 0.
 * PE_size        number of PEs of the set; at least 1.
 * pSync          symmetric array of SHMEM_BARRIER_SYNC_SIZE elements, the same on all PEs.
 *
 * RETURNS when: all PEs of the set have called it, and their earlier operations on the default
 * context are complete and visible.
 * ERRORS: a set that is not inside [0, shmem_n_pes()), or a caller outside it, ends the job with a
 * message. OpenSHMEM 1.6, 9.10, shmem_barrier.
 */
void shmem_barrier(int PE_start, int logPE_stride, int PE_size, long* pSync) SHMEM_INTERNAL_NOTHROW;

/**
 * shmem_sync_all over an active set, deprecated in 1.5. The set and the arguments are those of
 * shmem_barrier. In C11 and C++ the name with a team is shmem_team_sync.
 *
 * RETURNS when: all PEs of the set have called it. ERRORS: as shmem_barrier.
 * OpenSHMEM 1.6, 9.10, shmem_sync.
 */
void shmem_sync(int PE_start, int logPE_stride, int PE_size, long* pSync) SHMEM_INTERNAL_NOTHROW;

/**
 * Data-moving collectives over an active set, deprecated in 1.5: shmem_alltoall, shmem_alltoalls,
 * shmem_broadcast, shmem_collect and shmem_fcollect with elements of SIZE bits.
 *
 * dest, source   symmetric addresses, the same objects on all PEs of the set, aligned to SIZE bits.
 * dst, sst       strides in dest and source, in elements, at least 1.
 * nelems         elements of SIZE bits, as in the team's form.
 * PE_root        place in the set, from 0, of the PE whose source is sent. Its dest is not written,
 *                unlike in the team's form.
 * PE_start, logPE_stride, PE_size  the active set, as in shmem_barrier.
 * pSync          symmetric array, the same on all PEs, of the routine's SHMEM_*_SYNC_SIZE elements:
 *                SHMEM_SYNC_VALUE on entry and again when all PEs have returned.
 *
 * RETURNS when: dest is complete and source reusable on this PE.
 * ERRORS: as shmem_barrier, and as in shmem/collectives.h. OpenSHMEM 1.6, 9.10, shmem_alltoall,
 * shmem_alltoalls, shmem_broadcast, shmem_collect, shmem_fcollect.
 */
// shmem_{alltoall,alltoalls,broadcast,collect,fcollect}SIZE
#define SHMEM_INTERNAL_DECLARE(BITS, BYTES)                                                       \
    void shmem_alltoall##BITS(void* dest, const void* source, size_t nelems, int PE_start,        \
                              int logPE_stride, int PE_size, long* pSync) SHMEM_INTERNAL_NOTHROW; \
    void shmem_alltoalls##BITS(void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst,      \
                               size_t nelems, int PE_start, int logPE_stride, int PE_size,        \
                               long* pSync) SHMEM_INTERNAL_NOTHROW;                               \
    void shmem_broadcast##BITS(void* dest, const void* source, size_t nelems, int PE_root,        \
                               int PE_start, int logPE_stride, int PE_size, long* pSync)          \
        SHMEM_INTERNAL_NOTHROW;                                                                   \
    void shmem_collect##BITS(void* dest, const void* source, size_t nelems, int PE_start,         \
                             int logPE_stride, int PE_size, long* pSync) SHMEM_INTERNAL_NOTHROW;  \
    void shmem_fcollect##BITS(void* dest, const void* source, size_t nelems, int PE_start,        \
                              int logPE_stride, int PE_size, long* pSync) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_COLLECTIVE_SIZES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * Reductions over an active set, deprecated in 1.5: shmem_and_reduce and so on with an int count.
 * They have the signed basic types, which the bitwise reductions of teams do not have.
 *
 * dest, source   symmetric addresses, the same objects on all PEs of the set; the same address, or
 *                without overlap.
 * nreduce        number of elements, at least 0; the same on all PEs.
 * PE_start, logPE_stride, PE_size  the active set, as in shmem_barrier.
 * pWrk           symmetric array, the same on all PEs, of nreduce / 2 + 1 elements, and at least
 *                SHMEM_REDUCE_MIN_WRKDATA_SIZE.
 * pSync          symmetric array, the same on all PEs, of SHMEM_REDUCE_SYNC_SIZE elements:
 *                SHMEM_SYNC_VALUE on entry and again when all PEs have returned.
 *
 * RETURNS when: dest is complete and source reusable on this PE.
 * ERRORS: as shmem_barrier, and as in shmem/collectives.h. OpenSHMEM 1.6, 9.10, shmem_and_reduce,
 * shmem_or_reduce, shmem_xor_reduce, shmem_max_reduce, shmem_min_reduce, shmem_sum_reduce,
 * shmem_prod_reduce.
 */
// shmem_TYPENAME_{and,or,xor}_to_all
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                 \
    void shmem_##NAME##_and_to_all(T* dest, const T* source, int nreduce, int PE_start, \
                                   int logPE_stride, int PE_size, T* pWrk, long* pSync) \
        SHMEM_INTERNAL_NOTHROW;                                                         \
    void shmem_##NAME##_or_to_all(T* dest, const T* source, int nreduce, int PE_start,  \
                                  int logPE_stride, int PE_size, T* pWrk, long* pSync)  \
        SHMEM_INTERNAL_NOTHROW;                                                         \
    void shmem_##NAME##_xor_to_all(T* dest, const T* source, int nreduce, int PE_start, \
                                   int logPE_stride, int PE_size, T* pWrk, long* pSync) \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_AS_BIT_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// shmem_TYPENAME_{max,min}_to_all
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                 \
    void shmem_##NAME##_max_to_all(T* dest, const T* source, int nreduce, int PE_start, \
                                   int logPE_stride, int PE_size, T* pWrk, long* pSync) \
        SHMEM_INTERNAL_NOTHROW;                                                         \
    void shmem_##NAME##_min_to_all(T* dest, const T* source, int nreduce, int PE_start, \
                                   int logPE_stride, int PE_size, T* pWrk, long* pSync) \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_AS_MM_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

// shmem_TYPENAME_{sum,prod}_to_all
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                  \
    void shmem_##NAME##_sum_to_all(T* dest, const T* source, int nreduce, int PE_start,  \
                                   int logPE_stride, int PE_size, T* pWrk, long* pSync)  \
        SHMEM_INTERNAL_NOTHROW;                                                          \
    void shmem_##NAME##_prod_to_all(T* dest, const T* source, int nreduce, int PE_start, \
                                    int logPE_stride, int PE_size, T* pWrk, long* pSync) \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_AS_SP_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_DEPRECATED_H
