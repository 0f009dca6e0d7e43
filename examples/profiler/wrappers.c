// SPDX-License-Identifier: BSD-3-Clause
//
// The routines that the profiler counts: each has the name that the program calls, counts, and goes
// on to the pshmem_ name. The specification defines its routines for tables of types; so does this
// file, by macros that hold one signature each.
//
// Routines that only return information (shmem_my_pe, shmem_ptr and so on) are not counted. Those
// that begin and end the program are in profiler.c.

#include "profiler.h"

#include <pshmem.h>
#include <stdint.h>

// The formatter takes the star of a pointer in a macro's argument for a product, so it is off.
// clang-format off

// ---- The types of the specification: X(TYPENAME, TYPE) ------------------------------------------

#define SIGNED_TYPES(X) X(int, int) X(long, long) X(longlong, long long)
#define UNSIGNED_TYPES(X) \
    X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long)
#define WIDE_TYPES(X) X(int32, int32_t) X(int64, int64_t) X(uint32, uint32_t) X(uint64, uint64_t)
#define NARROW_TYPES(X) X(int8, int8_t) X(int16, int16_t) X(uint8, uint8_t) X(uint16, uint16_t)
#define FLOAT_TYPES(X) X(float, float) X(double, double)

#define ATOMIC_BIT_TYPES(X) UNSIGNED_TYPES(X) WIDE_TYPES(X)
#define ATOMIC_TYPES(X) SIGNED_TYPES(X) ATOMIC_BIT_TYPES(X) X(size, size_t) X(ptrdiff, ptrdiff_t)
#define ATOMIC_EXTENDED_TYPES(X) FLOAT_TYPES(X) ATOMIC_TYPES(X)
#define RMA_TYPES(X)                                                               \
    ATOMIC_EXTENDED_TYPES(X) NARROW_TYPES(X)                                       \
    X(longdouble, long double) X(char, char) X(schar, signed char) X(short, short) \
    X(uchar, unsigned char) X(ushort, unsigned short)
#define REDUCE_BIT_TYPES(X)                  \
    ATOMIC_BIT_TYPES(X) NARROW_TYPES(X)      \
    X(uchar, unsigned char) X(ushort, unsigned short) X(size, size_t)
#define COMPLEX_TYPES(X) X(complexd, double _Complex) X(complexf, float _Complex)
#define SIZES(X) X(8, 1) X(16, 2) X(32, 4) X(64, 8) X(128, 16)

// Of deprecated routines.
#define OLD_BIT_TYPES(X) X(short, short) SIGNED_TYPES(X)
#define OLD_ORDERED_TYPES(X) OLD_BIT_TYPES(X) FLOAT_TYPES(X) X(longdouble, long double)
#define OLD_SHORT_TYPES(X) X(short, short) X(ushort, unsigned short)
#define OLD_SIZES(X) X(32, 4) X(64, 8)

// ---- What a wrapper looks like ------------------------------------------------------------------
//
// PARAMETERS and ARGUMENTS stand in parentheses. So do the names of the functions, because some of
// them are macros as well, which must not expand here.

#define LIST(...) __VA_ARGS__

#define WRAP(NAME, OPERATION, BYTES, PARAMETERS, ARGUMENTS) \
    void(shmem_##NAME)(LIST PARAMETERS) {                   \
        count_call(kOperation_##OPERATION, BYTES);          \
        pshmem_##NAME(LIST ARGUMENTS);                      \
    }

#define WRAP_RESULT(RESULT, NAME, OPERATION, BYTES, PARAMETERS, ARGUMENTS) \
    RESULT(shmem_##NAME)(LIST PARAMETERS) {                                \
        count_call(kOperation_##OPERATION, BYTES);                         \
        return pshmem_##NAME(LIST ARGUMENTS);                              \
    }

// A routine and its form with a context in front.
#define WRAP_CTX(NAME, OPERATION, BYTES, PARAMETERS, ARGUMENTS) \
    WRAP(NAME, OPERATION, BYTES, PARAMETERS, ARGUMENTS)         \
    WRAP(ctx_##NAME, OPERATION, BYTES, (shmem_ctx_t ctx, LIST PARAMETERS), (ctx, LIST ARGUMENTS))

#define WRAP_RESULT_CTX(RESULT, NAME, OPERATION, BYTES, PARAMETERS, ARGUMENTS)            \
    WRAP_RESULT(RESULT, NAME, OPERATION, BYTES, PARAMETERS, ARGUMENTS)                    \
    WRAP_RESULT(RESULT, ctx_##NAME, OPERATION, BYTES, (shmem_ctx_t ctx, LIST PARAMETERS), \
                (ctx, LIST ARGUMENTS))

// ---- Remote memory access and signals -----------------------------------------------------------

// Copies of elements that take BYTES each; T is void where they have no type. PUT and GET are the
// names without shmem_.
#define COPIES(PUT, GET, T, BYTES)                                                          \
    WRAP_CTX(PUT, put, nelems * (BYTES), (T* dest, const T* source, size_t nelems, int pe), \
             (dest, source, nelems, pe))                                                    \
    WRAP_CTX(GET, get, nelems * (BYTES), (T* dest, const T* source, size_t nelems, int pe), \
             (dest, source, nelems, pe))                                                    \
    WRAP_CTX(PUT##_nbi, put_nbi, nelems * (BYTES),                                          \
             (T* dest, const T* source, size_t nelems, int pe), (dest, source, nelems, pe)) \
    WRAP_CTX(GET##_nbi, get_nbi, nelems * (BYTES),                                          \
             (T* dest, const T* source, size_t nelems, int pe), (dest, source, nelems, pe)) \
    WRAP_CTX(PUT##_signal, put_signal, nelems * (BYTES) + 8,                                \
             (T* dest, const T* source, size_t nelems, uint64_t* sig_addr, uint64_t signal, \
              int sig_op, int pe),                                                          \
             (dest, source, nelems, sig_addr, signal, sig_op, pe))                          \
    WRAP_CTX(PUT##_signal_nbi, put_signal_nbi, nelems * (BYTES) + 8,                        \
             (T* dest, const T* source, size_t nelems, uint64_t* sig_addr, uint64_t signal, \
              int sig_op, int pe),                                                          \
             (dest, source, nelems, sig_addr, signal, sig_op, pe))

#define STRIDED_COPIES(NAME, OPERATION, T, BYTES)                                             \
    WRAP_CTX(NAME, OPERATION, nelems * (BYTES),                                               \
             (T* dest, const T* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe), \
             (dest, source, dst, sst, nelems, pe))

#define BLOCK_COPIES(NAME, OPERATION, T, BYTES)                                     \
    WRAP_CTX(NAME, OPERATION, bsize * nblocks * (BYTES),                            \
             (T* dest, const T* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, \
              size_t nblocks, int pe),                                              \
             (dest, source, dst, sst, bsize, nblocks, pe))

#define TYPED_COPIES(NAME, T)                                                       \
    COPIES(NAME##_put, NAME##_get, T, sizeof(T))                                    \
    STRIDED_COPIES(NAME##_iput, iput, T, sizeof(T))                                 \
    STRIDED_COPIES(NAME##_iget, iget, T, sizeof(T))                                 \
    BLOCK_COPIES(NAME##_ibput, ibput, T, sizeof(T))                                 \
    BLOCK_COPIES(NAME##_ibget, ibget, T, sizeof(T))                                 \
    WRAP_CTX(NAME##_p, p, sizeof(T), (T* dest, T value, int pe), (dest, value, pe)) \
    WRAP_RESULT_CTX(T, NAME##_g, g, sizeof(T), (const T* source, int pe), (source, pe))
RMA_TYPES(TYPED_COPIES)

#define SIZED_COPIES(BITS, BYTES)                 \
    COPIES(put##BITS, get##BITS, void, BYTES)     \
    STRIDED_COPIES(iput##BITS, iput, void, BYTES) \
    STRIDED_COPIES(iget##BITS, iget, void, BYTES) \
    BLOCK_COPIES(ibput##BITS, ibput, void, BYTES) \
    BLOCK_COPIES(ibget##BITS, ibget, void, BYTES)
SIZES(SIZED_COPIES)

COPIES(putmem, getmem, void, 1)

WRAP_CTX(signal_add, signal_add, 8, (uint64_t* sig_addr, uint64_t signal, int pe),
         (sig_addr, signal, pe))
WRAP_CTX(signal_set, signal_set, 8, (uint64_t* sig_addr, uint64_t signal, int pe),
         (sig_addr, signal, pe))
WRAP_RESULT(uint64_t, signal_fetch, signal_fetch, 0, (const uint64_t* sig_addr), (sig_addr))
WRAP_RESULT(uint64_t, signal_wait_until, signal_wait_until, 0,
            (uint64_t* sig_addr, int cmp, uint64_t cmp_value), (sig_addr, cmp, cmp_value))

// ---- Atomics ------------------------------------------------------------------------------------

#define EXTENDED_ATOMICS(NAME, T)                                                               \
    WRAP_RESULT_CTX(T, NAME##_atomic_fetch, atomic_fetch, sizeof(T), (const T* source, int pe), \
                    (source, pe))                                                               \
    WRAP_CTX(NAME##_atomic_set, atomic_set, sizeof(T), (T* dest, T value, int pe),              \
             (dest, value, pe))                                                                 \
    WRAP_RESULT_CTX(T, NAME##_atomic_swap, atomic_swap, sizeof(T), (T* dest, T value, int pe),  \
                    (dest, value, pe))                                                          \
    WRAP_CTX(NAME##_atomic_fetch_nbi, atomic_fetch_nbi, sizeof(T),                              \
             (T* fetch, const T* source, int pe), (fetch, source, pe))                          \
    WRAP_CTX(NAME##_atomic_swap_nbi, atomic_swap_nbi, sizeof(T),                                \
             (T* fetch, T* dest, T value, int pe), (fetch, dest, value, pe))
ATOMIC_EXTENDED_TYPES(EXTENDED_ATOMICS)

// An operation with a value in three forms: without the old value, with it, and nonblocking.
#define VALUE_ATOMICS(NAME, T, VERB)                                                     \
    WRAP_CTX(NAME##_atomic_##VERB, atomic_##VERB, sizeof(T), (T* dest, T value, int pe), \
             (dest, value, pe))                                                          \
    WRAP_RESULT_CTX(T, NAME##_atomic_fetch_##VERB, atomic_fetch_##VERB, sizeof(T),       \
                    (T* dest, T value, int pe), (dest, value, pe))                       \
    WRAP_CTX(NAME##_atomic_fetch_##VERB##_nbi, atomic_fetch_##VERB##_nbi, sizeof(T),     \
             (T* fetch, T* dest, T value, int pe), (fetch, dest, value, pe))

#define STANDARD_ATOMICS(NAME, T)                                                               \
    VALUE_ATOMICS(NAME, T, add)                                                                 \
    WRAP_CTX(NAME##_atomic_inc, atomic_inc, sizeof(T), (T* dest, int pe), (dest, pe))           \
    WRAP_RESULT_CTX(T, NAME##_atomic_fetch_inc, atomic_fetch_inc, sizeof(T), (T* dest, int pe), \
                    (dest, pe))                                                                 \
    WRAP_CTX(NAME##_atomic_fetch_inc_nbi, atomic_fetch_inc_nbi, sizeof(T),                      \
             (T* fetch, T* dest, int pe), (fetch, dest, pe))                                    \
    WRAP_RESULT_CTX(T, NAME##_atomic_compare_swap, atomic_compare_swap, sizeof(T),              \
                    (T* dest, T cond, T value, int pe), (dest, cond, value, pe))                \
    WRAP_CTX(NAME##_atomic_compare_swap_nbi, atomic_compare_swap_nbi, sizeof(T),                \
             (T* fetch, T* dest, T cond, T value, int pe), (fetch, dest, cond, value, pe))
ATOMIC_TYPES(STANDARD_ATOMICS)

#define BIT_ATOMICS(NAME, T)    \
    VALUE_ATOMICS(NAME, T, and) \
    VALUE_ATOMICS(NAME, T, or)  \
    VALUE_ATOMICS(NAME, T, xor)
ATOMIC_BIT_TYPES(BIT_ATOMICS)

#define OLD_ATOMICS(NAME, T)                                                                \
    WRAP_RESULT(T, NAME##_cswap, atomic_compare_swap, sizeof(T),                            \
                (T* dest, T cond, T value, int pe), (dest, cond, value, pe))                \
    WRAP_RESULT(T, NAME##_finc, atomic_fetch_inc, sizeof(T), (T* dest, int pe), (dest, pe)) \
    WRAP(NAME##_inc, atomic_inc, sizeof(T), (T* dest, int pe), (dest, pe))                  \
    WRAP_RESULT(T, NAME##_fadd, atomic_fetch_add, sizeof(T), (T* dest, T value, int pe),    \
                (dest, value, pe))                                                          \
    WRAP(NAME##_add, atomic_add, sizeof(T), (T* dest, T value, int pe), (dest, value, pe))
SIGNED_TYPES(OLD_ATOMICS)

#define OLD_EXTENDED_ATOMICS(NAME, T)                                                              \
    WRAP_RESULT(T, NAME##_fetch, atomic_fetch, sizeof(T), (const T* source, int pe), (source, pe)) \
    WRAP(NAME##_set, atomic_set, sizeof(T), (T* dest, T value, int pe), (dest, value, pe))         \
    WRAP_RESULT(T, NAME##_swap, atomic_swap, sizeof(T), (T* dest, T value, int pe),                \
                (dest, value, pe))
FLOAT_TYPES(OLD_EXTENDED_ATOMICS)
SIGNED_TYPES(OLD_EXTENDED_ATOMICS)

// ---- Waiting, ordering, locks -------------------------------------------------------------------

#define WAITS(NAME, T)                                                      \
    WRAP(NAME##_wait_until, wait_until, 0, (T* ivar, int cmp, T cmp_value), \
         (ivar, cmp, cmp_value))                                            \
    WRAP_RESULT(int, NAME##_test, test, 0, (T* ivar, int cmp, T cmp_value), (ivar, cmp, cmp_value))
ATOMIC_TYPES(WAITS)
OLD_SHORT_TYPES(WAITS)

// With one value for all elements, and with a vector of values.
#define WAITS_FOR_MANY(NAME, T, SUFFIX, VALUE)                                                \
    WRAP(NAME##_wait_until_all##SUFFIX, wait_until_all, 0,                                    \
         (T* ivars, size_t nelems, const int* status, int cmp, VALUE values),                 \
         (ivars, nelems, status, cmp, values))                                                \
    WRAP_RESULT(int, NAME##_test_all##SUFFIX, test_all, 0,                                    \
                (T* ivars, size_t nelems, const int* status, int cmp, VALUE values),          \
                (ivars, nelems, status, cmp, values))                                         \
    WRAP_RESULT(size_t, NAME##_wait_until_any##SUFFIX, wait_until_any, 0,                     \
                (T* ivars, size_t nelems, const int* status, int cmp, VALUE values),          \
                (ivars, nelems, status, cmp, values))                                         \
    WRAP_RESULT(size_t, NAME##_test_any##SUFFIX, test_any, 0,                                 \
                (T* ivars, size_t nelems, const int* status, int cmp, VALUE values),          \
                (ivars, nelems, status, cmp, values))                                         \
    WRAP_RESULT(                                                                              \
        size_t, NAME##_wait_until_some##SUFFIX, wait_until_some, 0,                           \
        (T* ivars, size_t nelems, size_t* indices, const int* status, int cmp, VALUE values), \
        (ivars, nelems, indices, status, cmp, values))                                        \
    WRAP_RESULT(                                                                              \
        size_t, NAME##_test_some##SUFFIX, test_some, 0,                                       \
        (T* ivars, size_t nelems, size_t* indices, const int* status, int cmp, VALUE values), \
        (ivars, nelems, indices, status, cmp, values))

#define TYPED_WAITS_FOR_MANY(NAME, T) \
    WAITS_FOR_MANY(NAME, T, , T)      \
    WAITS_FOR_MANY(NAME, T, _vector, const T*)
ATOMIC_TYPES(TYPED_WAITS_FOR_MANY)

#define OLD_WAITS(NAME, T) WRAP(NAME##_wait, wait_until, 0, (T* ivar, T value), (ivar, value))
OLD_BIT_TYPES(OLD_WAITS)
WRAP(wait, wait_until, 0, (long* ivar, long value), (ivar, value))
WRAP(wait_until, wait_until, 0, (long* ivar, int cmp, long value), (ivar, cmp, value))

WRAP(fence, fence, 0, (void), ())
WRAP(ctx_fence, fence, 0, (shmem_ctx_t ctx), (ctx))
WRAP(quiet, quiet, 0, (void), ())
WRAP(ctx_quiet, quiet, 0, (shmem_ctx_t ctx), (ctx))
WRAP_CTX(pe_quiet, pe_quiet, 0, (const int* target_pes, size_t npes), (target_pes, npes))

WRAP(set_lock, set_lock, 0, (long* lock), (lock))
WRAP_RESULT(int, test_lock, test_lock, 0, (long* lock), (lock))
WRAP(clear_lock, clear_lock, 0, (long* lock), (lock))

// ---- Collectives: the bytes are those that the PE itself contributes
// -----------------------------

// The bytes that a PE contributes to a broadcast: all or none.
static size_t if_root(shmem_team_t team, int root, size_t bytes) {
    return pshmem_team_my_pe(team) == root ? bytes : 0;
}

static size_t for_each_pe(shmem_team_t team, size_t bytes) {
    int pe_count = pshmem_team_n_pes(team);
    return pe_count > 0 ? bytes * (size_t)pe_count : 0;
}

// The root of an active set is counted from its start.
static size_t if_set_root(int start, int log_stride, int root, size_t bytes) {
    return pshmem_my_pe() == start + (root << log_stride) ? bytes : 0;
}

WRAP(barrier_all, barrier_all, 0, (void), ())
WRAP(sync_all, sync_all, 0, (void), ())
WRAP_RESULT(int, team_sync, team_sync, 0, (shmem_team_t team), (team))

// PREFIX stands before the name and SUFFIX behind it: int_broadcast, broadcastmem.
#define COLLECTIVES(PREFIX, SUFFIX, T, BYTES)                                                     \
    WRAP_RESULT(int, PREFIX##broadcast##SUFFIX, broadcast, if_root(team, root, nelems * (BYTES)), \
                (shmem_team_t team, T* dest, const T* source, size_t nelems, int root),           \
                (team, dest, source, nelems, root))                                               \
    WRAP_RESULT(int, PREFIX##collect##SUFFIX, collect, nelems * (BYTES),                          \
                (shmem_team_t team, T* dest, const T* source, size_t nelems),                     \
                (team, dest, source, nelems))                                                     \
    WRAP_RESULT(int, PREFIX##fcollect##SUFFIX, fcollect, nelems * (BYTES),                        \
                (shmem_team_t team, T* dest, const T* source, size_t nelems),                     \
                (team, dest, source, nelems))                                                     \
    WRAP_RESULT(int, PREFIX##alltoall##SUFFIX, alltoall, for_each_pe(team, nelems * (BYTES)),     \
                (shmem_team_t team, T* dest, const T* source, size_t nelems),                     \
                (team, dest, source, nelems))                                                     \
    WRAP_RESULT(int, PREFIX##alltoalls##SUFFIX, alltoalls, for_each_pe(team, nelems * (BYTES)),   \
                (shmem_team_t team, T* dest, const T* source, ptrdiff_t dst, ptrdiff_t sst,       \
                 size_t nelems),                                                                  \
                (team, dest, source, dst, sst, nelems))

#define TYPED_COLLECTIVES(NAME, T) COLLECTIVES(NAME##_, , T, sizeof(T))
RMA_TYPES(TYPED_COLLECTIVES)
COLLECTIVES(, mem, void, 1)

#define REDUCTION(NAME, T, OPERATION)                                          \
    WRAP_RESULT(int, NAME##_##OPERATION, OPERATION, nreduce * sizeof(T),       \
                (shmem_team_t team, T* dest, const T* source, size_t nreduce), \
                (team, dest, source, nreduce))

#define BIT_REDUCTIONS(NAME, T)    \
    REDUCTION(NAME, T, and_reduce) \
    REDUCTION(NAME, T, or_reduce)  \
    REDUCTION(NAME, T, xor_reduce)
REDUCE_BIT_TYPES(BIT_REDUCTIONS)

#define ORDER_REDUCTIONS(NAME, T) REDUCTION(NAME, T, max_reduce) REDUCTION(NAME, T, min_reduce)
RMA_TYPES(ORDER_REDUCTIONS)

#define SUM_REDUCTIONS(NAME, T)     \
    REDUCTION(NAME, T, sum_reduce)  \
    REDUCTION(NAME, T, prod_reduce) \
    REDUCTION(NAME, T, sum_inscan)  \
    REDUCTION(NAME, T, sum_exscan)
RMA_TYPES(SUM_REDUCTIONS)
COMPLEX_TYPES(SUM_REDUCTIONS)

// Collectives over an active set, which is given by these three numbers.
#define SET int start, int log_stride, int pe_count
#define THE_SET start, log_stride, pe_count

WRAP(barrier, barrier, 0, (SET, long* sync), (THE_SET, sync))
WRAP(sync, sync, 0, (SET, long* sync), (THE_SET, sync))

#define SET_COLLECTIVES(BITS, BYTES)                                                         \
    WRAP(broadcast##BITS, broadcast, if_set_root(start, log_stride, root, nelems * (BYTES)), \
         (void* dest, const void* source, size_t nelems, int root, SET, long* sync),         \
         (dest, source, nelems, root, THE_SET, sync))                                        \
    WRAP(collect##BITS, collect, nelems * (BYTES),                                           \
         (void* dest, const void* source, size_t nelems, SET, long* sync),                   \
         (dest, source, nelems, THE_SET, sync))                                              \
    WRAP(fcollect##BITS, fcollect, nelems * (BYTES),                                         \
         (void* dest, const void* source, size_t nelems, SET, long* sync),                   \
         (dest, source, nelems, THE_SET, sync))                                              \
    WRAP(alltoall##BITS, alltoall, nelems * (BYTES) * (size_t)pe_count,                      \
         (void* dest, const void* source, size_t nelems, SET, long* sync),                   \
         (dest, source, nelems, THE_SET, sync))                                              \
    WRAP(alltoalls##BITS, alltoalls, nelems * (BYTES) * (size_t)pe_count,                    \
         (void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, SET,  \
          long* sync),                                                                       \
         (dest, source, dst, sst, nelems, THE_SET, sync))
OLD_SIZES(SET_COLLECTIVES)

#define SET_REDUCTION(NAME, T, VERB)                                         \
    WRAP(NAME##_##VERB##_to_all, VERB##_reduce, (size_t)nreduce * sizeof(T), \
         (T* dest, const T* source, int nreduce, SET, T* work, long* sync),  \
         (dest, source, nreduce, THE_SET, work, sync))

#define SET_BIT_REDUCTIONS(NAME, T) \
    SET_REDUCTION(NAME, T, and)     \
    SET_REDUCTION(NAME, T, or)      \
    SET_REDUCTION(NAME, T, xor)
OLD_BIT_TYPES(SET_BIT_REDUCTIONS)

#define SET_ORDER_REDUCTIONS(NAME, T) SET_REDUCTION(NAME, T, max) SET_REDUCTION(NAME, T, min)
OLD_ORDERED_TYPES(SET_ORDER_REDUCTIONS)

#define SET_SUM_REDUCTIONS(NAME, T) SET_REDUCTION(NAME, T, sum) SET_REDUCTION(NAME, T, prod)
OLD_ORDERED_TYPES(SET_SUM_REDUCTIONS)
COMPLEX_TYPES(SET_SUM_REDUCTIONS)

// ---- Memory, teams, contexts --------------------------------------------------------------------

WRAP_RESULT(void*, malloc, malloc, size, (size_t size), (size))
WRAP_RESULT(void*, calloc, calloc, count* size, (size_t count, size_t size), (count, size))
WRAP_RESULT(void*, align, align, size, (size_t alignment, size_t size), (alignment, size))
WRAP_RESULT(void*, malloc_with_hints, malloc_with_hints, size, (size_t size, long hints),
            (size, hints))
WRAP_RESULT(void*, realloc, realloc, size, (void* ptr, size_t size), (ptr, size))
WRAP(free, free, 0, (void* ptr), (ptr))

// These have no "_" behind "shmem", so they are written out.
void* shmalloc(size_t size) {
    count_call(kOperation_malloc, size);
    return pshmalloc(size);
}

void shfree(void* ptr) {
    count_call(kOperation_free, 0);
    pshfree(ptr);
}

void* shrealloc(void* ptr, size_t size) {
    count_call(kOperation_realloc, size);
    return pshrealloc(ptr, size);
}

void* shmemalign(size_t alignment, size_t size) {
    count_call(kOperation_align, size);
    return pshmemalign(alignment, size);
}

WRAP_RESULT(int, team_split_strided, team_split_strided, 0,
            (shmem_team_t parent, int start, int stride, int size,
             const shmem_team_config_t* config, long mask, shmem_team_t* new_team),
            (parent, start, stride, size, config, mask, new_team))
WRAP_RESULT(int, team_split_2d, team_split_2d, 0,
            (shmem_team_t parent, int xrange, const shmem_team_config_t* x_config, long x_mask,
             shmem_team_t* x_team, const shmem_team_config_t* y_config, long y_mask,
             shmem_team_t* y_team),
            (parent, xrange, x_config, x_mask, x_team, y_config, y_mask, y_team))
WRAP(team_destroy, team_destroy, 0, (shmem_team_t team), (team))

WRAP_RESULT(int, ctx_create, ctx_create, 0, (long options, shmem_ctx_t* ctx), (options, ctx))
WRAP_RESULT(int, team_create_ctx, team_create_ctx, 0,
            (shmem_team_t team, long options, shmem_ctx_t* ctx), (team, options, ctx))
WRAP(ctx_destroy, ctx_destroy, 0, (shmem_ctx_t ctx), (ctx))
WRAP(ctx_session_start, ctx_session_start, 0,
     (shmem_ctx_t ctx, long options, const shmem_ctx_session_config_t* config, long mask),
     (ctx, options, config, mask))
WRAP(ctx_session_stop, ctx_session_stop, 0, (shmem_ctx_t ctx), (ctx))
