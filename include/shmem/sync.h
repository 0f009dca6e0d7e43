// SPDX-License-Identifier: BSD-3-Clause
//
// Point-to-point synchronization (OpenSHMEM 1.6, 9.11): waiting for, and testing, objects of the
// calling PE that other PEs update. Part of <shmem.h>. The short forms and shmem_wait are in
// shmem/deprecated.h.
//
// Common to all routines here. ivar and ivars are the calling PE's addresses of symmetric objects
// that are updated by atomic or signaling operations. cmp is one of SHMEM_CMP_*; the condition is
// "object cmp cmp_value". When a routine reports a satisfied condition, the program may read
// data that the updating PE ordered before its update (put-with-signal, fence, quiet). The vector
// forms compare element i with cmp_values[i].
//
// Arrays have nelems elements. status[i] other than 0 leaves element i out; status may be NULL, and
// no element is left out then. Repeated calls of the any and some forms report every element
// that stays satisfied.
//
// ERRORS, for all: an object that is not symmetric or not aligned, or an unknown cmp, ends the job
// with a message. THREADS, for all: as the thread level allows; only the calling thread waits.

#ifndef SHMEM_INTERNAL_SYNC_H
#define SHMEM_INTERNAL_SYNC_H

#include "types.h"

/** Comparison operators: equal, not equal, greater, greater or equal, less, less or equal. */
#define SHMEM_CMP_EQ 1
#define SHMEM_CMP_NE 2
#define SHMEM_CMP_GT 3
#define SHMEM_CMP_GE 4
#define SHMEM_CMP_LT 5
#define SHMEM_CMP_LE 6

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Waits until an object satisfies the condition (wait_until), or tells whether it does (test).
 *
 * ivar       symmetric address of the object, local.
 * cmp        comparison operator.
 * cmp_value  the value to compare with.
 *
 * RETURNS when: wait_until: satisfied. test: at once; 1 if satisfied, otherwise 0.
 * ERRORS, THREADS: see the top of this file. OpenSHMEM 1.6, 9.11, shmem_wait_until, shmem_test.
 */
// shmem_TYPENAME_wait_until, shmem_TYPENAME_test
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                   \
    void shmem_##NAME##_wait_until(T* ivar, int cmp, T cmp_value) SHMEM_INTERNAL_NOTHROW; \
    int shmem_##NAME##_test(T* ivar, int cmp, T cmp_value) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_AMO_STD_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * Waits until all elements that count satisfy the condition, or tells whether all do.
 *
 * ivars      symmetric address of the array, local.
 * nelems     number of elements.
 * status     local array; elements with nonzero status are left out. May be NULL.
 * cmp        comparison operator.
 * cmp_value  the value to compare each element with.
 * cmp_values  vector forms: local array of the values to compare with, one for each element.
 *
 * RETURNS when: wait_until_all: each element was satisfied at some moment of the call. test_all: at
 * once; 1 if all are satisfied, otherwise 0. No element counts: at once, 1.
 * ERRORS, THREADS: see the top of this file. OpenSHMEM 1.6, 9.11, shmem_wait_until_all,
 * shmem_test_all, shmem_wait_until_all_vector, shmem_test_all_vector.
 */
// shmem_TYPENAME_{wait_until,test}_all, shmem_TYPENAME_{wait_until,test}_all_vector
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                            \
    void shmem_##NAME##_wait_until_all(T* ivars, size_t nelems, const int* status, int cmp,        \
                                       T cmp_value) SHMEM_INTERNAL_NOTHROW;                        \
    int shmem_##NAME##_test_all(T* ivars, size_t nelems, const int* status, int cmp, T cmp_value)  \
        SHMEM_INTERNAL_NOTHROW;                                                                    \
    void shmem_##NAME##_wait_until_all_vector(T* ivars, size_t nelems, const int* status, int cmp, \
                                              const T* cmp_values) SHMEM_INTERNAL_NOTHROW;         \
    int shmem_##NAME##_test_all_vector(T* ivars, size_t nelems, const int* status, int cmp,        \
                                       const T* cmp_values) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_AMO_STD_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * Waits until some element that counts satisfies the condition, or looks whether one does.
 *
 * ivars      symmetric address of the array, local.
 * nelems     number of elements.
 * status     local array; elements with nonzero status are left out. May be NULL.
 * cmp        comparison operator.
 * cmp_value  the value to compare each element with.
 * cmp_values  vector forms: local array of the values to compare with, one for each element.
 *
 * RETURNS when: wait_until_any: one is satisfied; its index. test_any: at once; the index of one,
 * or SIZE_MAX if there is none. No element counts: at once, SIZE_MAX.
 * ERRORS, THREADS: see the top of this file. OpenSHMEM 1.6, 9.11, shmem_wait_until_any,
 * shmem_test_any, shmem_wait_until_any_vector, shmem_test_any_vector.
 */
// shmem_TYPENAME_{wait_until,test}_any, shmem_TYPENAME_{wait_until,test}_any_vector
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                        \
    size_t shmem_##NAME##_wait_until_any(T* ivars, size_t nelems, const int* status, int cmp,  \
                                         T cmp_value) SHMEM_INTERNAL_NOTHROW;                  \
    size_t shmem_##NAME##_test_any(T* ivars, size_t nelems, const int* status, int cmp,        \
                                   T cmp_value) SHMEM_INTERNAL_NOTHROW;                        \
    size_t shmem_##NAME##_wait_until_any_vector(T* ivars, size_t nelems, const int* status,    \
                                                int cmp, const T* cmp_values)                  \
        SHMEM_INTERNAL_NOTHROW;                                                                \
    size_t shmem_##NAME##_test_any_vector(T* ivars, size_t nelems, const int* status, int cmp, \
                                          const T* cmp_values) SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_AMO_STD_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * Waits until at least one element that counts satisfies the condition, or looks at all of them,
 * and gives the indices of those that do.
 *
 * ivars      symmetric address of the array, local.
 * nelems     number of elements.
 * indices    local array for nelems indices; receives those of the satisfied elements, any order.
 * status     local array; elements with nonzero status are left out. May be NULL.
 * cmp        comparison operator.
 * cmp_value  the value to compare each element with.
 * cmp_values  vector forms: local array of the values to compare with, one for each element.
 *
 * RETURNS when: wait_until_some: at least one is satisfied. test_some: at once. Both give the
 * number of indices written. No element counts: at once, 0.
 * ERRORS, THREADS: see the top of this file. OpenSHMEM 1.6, 9.11, shmem_wait_until_some,
 * shmem_test_some, shmem_wait_until_some_vector, shmem_test_some_vector.
 */
// shmem_TYPENAME_{wait_until,test}_some, shmem_TYPENAME_{wait_until,test}_some_vector
#define SHMEM_INTERNAL_DECLARE(NAME, T)                                                           \
    size_t shmem_##NAME##_wait_until_some(T* ivars, size_t nelems, size_t* indices,               \
                                          const int* status, int cmp, T cmp_value)                \
        SHMEM_INTERNAL_NOTHROW;                                                                   \
    size_t shmem_##NAME##_test_some(T* ivars, size_t nelems, size_t* indices, const int* status,  \
                                    int cmp, T cmp_value) SHMEM_INTERNAL_NOTHROW;                 \
    size_t shmem_##NAME##_wait_until_some_vector(T* ivars, size_t nelems, size_t* indices,        \
                                                 const int* status, int cmp, const T* cmp_values) \
        SHMEM_INTERNAL_NOTHROW;                                                                   \
    size_t shmem_##NAME##_test_some_vector(T* ivars, size_t nelems, size_t* indices,              \
                                           const int* status, int cmp, const T* cmp_values)       \
        SHMEM_INTERNAL_NOTHROW;
SHMEM_INTERNAL_AMO_STD_TYPES(SHMEM_INTERNAL_DECLARE)
#undef SHMEM_INTERNAL_DECLARE

/**
 * Waits until a signal satisfies the condition.
 *
 * sig_addr   symmetric address of the signal (shmem/signal.h), local.
 * cmp        comparison operator.
 * cmp_value  the value to compare with.
 *
 * RETURNS when: satisfied; the value that satisfied it. The data that came with it may be read.
 * ERRORS, THREADS: see the top of this file. OpenSHMEM 1.6, 9.11, shmem_signal_wait_until.
 */
uint64_t shmem_signal_wait_until(uint64_t* sig_addr, int cmp,
                                 uint64_t cmp_value) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_SYNC_H
