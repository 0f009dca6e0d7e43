// SPDX-License-Identifier: BSD-3-Clause
//
// Symmetric memory management (OpenSHMEM 1.6, 9.3). Part of <shmem.h>.
//
// All routines here are collective over all PEs: every PE calls them in the same order with the
// same arguments, from one thread at a time. The barrier that some of them imply is
// shmem_barrier_all and completes the operations of the default context only. An allocation that
// does not fit gives NULL on all PEs alike.

#ifndef SHMEM_INTERNAL_MEMORY_H
#define SHMEM_INTERNAL_MEMORY_H

#include "types.h"

/** Hint: the memory is mostly the target of atomic operations from other PEs. */
#define SHMEM_MALLOC_ATOMICS_REMOTE (1L << 0)

/** Hint: the memory is mostly the target of signal updates from other PEs. */
#define SHMEM_MALLOC_SIGNAL_REMOTE (1L << 1)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Allocates symmetric memory, aligned for any type (16 bytes at least), contents not set.
 *
 * size       bytes. 0 gives NULL without any synchronization.
 *
 * RETURNS when: all PEs have allocated (barrier on exit); the symmetric address, or NULL.
 * ERRORS: NULL when the symmetric heap has no room; SHMEM_SYMMETRIC_SIZE sets the heap's bytes.
 * THREADS: one thread per PE at a time. OpenSHMEM 1.6, 9.3, shmem_malloc.
 */
void* shmem_malloc(size_t size) SHMEM_INTERNAL_NOTHROW;

/**
 * Allocates symmetric memory that is all zero.
 *
 * count      elements.
 * size       bytes of one element. 0 in either gives NULL without any synchronization.
 *
 * RETURNS when: all PEs have zeroed their part (barrier on exit); the symmetric address, or NULL.
 * ERRORS: NULL when there is no room or count * size overflows.
 * THREADS: one thread per PE at a time. OpenSHMEM 1.6, 9.3, shmem_calloc.
 */
void* shmem_calloc(size_t count, size_t size) SHMEM_INTERNAL_NOTHROW;

/**
 * Allocates symmetric memory with an alignment, contents not set.
 *
 * alignment  bytes; a power of two and a multiple of sizeof(void*).
 * size       bytes. 0 gives NULL without any synchronization.
 *
 * RETURNS when: all PEs have allocated (barrier on exit); the symmetric address, or NULL.
 * ERRORS: NULL when there is no room (always for an alignment above the heap's size), and for an
 * alignment that is no power of two (with SHMEM_DEBUG a warning).
 * THREADS: one thread per PE at a time. OpenSHMEM 1.6, 9.3, shmem_align.
 */
void* shmem_align(size_t alignment, size_t size) SHMEM_INTERNAL_NOTHROW;

/**
 * Allocates symmetric memory and says how it will be used. Hints change speed, never results.
 *
 * size       bytes. 0 gives NULL without any synchronization.
 * hints      0, or SHMEM_MALLOC_ATOMICS_REMOTE and SHMEM_MALLOC_SIGNAL_REMOTE joined with |.
 *
 * RETURNS when: all PEs have allocated (barrier on exit); the symmetric address, or NULL.
 * ERRORS: NULL when there is no room. THREADS: one thread per PE at a time.
 * OpenSHMEM 1.6, 9.3, shmem_malloc_with_hints.
 */
void* shmem_malloc_with_hints(size_t size, long hints) SHMEM_INTERNAL_NOTHROW;

/**
 * Changes the size of a symmetric allocation and keeps the contents up to the smaller size. Hints
 * are kept, an alignment asked of shmem_align is not.
 *
 * ptr        start of an allocation, or NULL to allocate as shmem_malloc does.
 * size       new bytes. 0 frees as shmem_free does and gives NULL.
 *
 * RETURNS when: all PEs are done (barrier on entry if the old block changes, on exit if memory was
 * allocated); the new symmetric address, or NULL with the old block unchanged.
 * ERRORS: NULL when there is no room; an address that is no allocation ends the job with a message.
 * THREADS: one thread per PE at a time. OpenSHMEM 1.6, 9.3, shmem_realloc.
 */
void* shmem_realloc(void* ptr, size_t size) SHMEM_INTERNAL_NOTHROW;

/**
 * Frees a symmetric allocation.
 *
 * ptr        start of an allocation, or NULL, which does nothing.
 *
 * RETURNS when: all PEs have called it (barrier on entry, so earlier operations on the default
 * context have reached the block).
 * ERRORS: an address inside an allocation frees nothing, with a warning; any other one that is no
 * allocation ends the job with a message.
 * THREADS: one thread per PE at a time. OpenSHMEM 1.6, 9.3, shmem_free.
 */
void shmem_free(void* ptr) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_MEMORY_H
