// SPDX-License-Identifier: BSD-3-Clause
//
// Global pointers: 64 bits that name a byte of symmetric memory, team memory, local memory or of a
// registered segment (segments.h) of one PE. The same value means the same byte on every PE, so a
// program may store it in shared memory, send it, and swap or compare-and-swap it by the atomics
// for uint64_t.
// Two that name the same byte are equal (==); 0 names none.
//
//   bit 63       44 43          36 35                    0
//      +-----------+--------------+-----------------------+
//      | PE        | segment      | offset                |
//      +-----------+--------------+-----------------------+
//      20 bits       0x01: static data; 0x40 to 0x7f: a window of 64 GiB of the memory that holds
//                    the symmetric heap, team memory and local memory, 4 TiB in all; 0x80 to 0xff:
//                    a window of 64 GiB of the names of registered segments, 8 TiB in all
//
// Limits: PE numbers below 2^20; 4 TiB of symmetric heap, team and local memory of a PE together. A
// routine that would have to name a byte beyond them ends the job with a message. Programs use the
// routines here, not the bits.
//
// ERRORS, for all: a value that is no global pointer of this job may end it with a message.
// THREADS, for all: any at the same time, whatever the thread level.

#ifndef SHMEM_INTERNAL_SHMEMX_POINTERS_H
#define SHMEM_INTERNAL_SHMEMX_POINTERS_H

#include "../shmem/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A global pointer. */
typedef uint64_t shmemx_gptr_t;

/** The global pointer that names nothing. */
#define SHMEMX_GPTR_NULL UINT64_C(0)

/**
 * Gives the global pointer to pe's copy of an object.
 *
 * addr       symmetric address, as for shmem_ptr, a name of registered memory, or the address of a
 *            block of the calling PE's local memory (then pe is the calling PE); NULL gives
 *            SHMEMX_GPTR_NULL.
 * pe         number in the world.
 *
 * RETURNS when: at once; local; the pointer.
 * ERRORS: an address that is not symmetric, a bad pe, or a byte beyond the limits ends the job with
 * a message. THREADS: see the top of this file.
 */
shmemx_gptr_t shmemx_gptr_of(const void* addr, int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Gives the PE that has the byte.
 *
 * gptr       a global pointer of this job.
 *
 * RETURNS when: at once; local; its number in the world, -1 for SHMEMX_GPTR_NULL.
 * ERRORS, THREADS: see the top of this file.
 */
int shmemx_gptr_pe(shmemx_gptr_t gptr) SHMEM_INTERNAL_NOTHROW;

/**
 * Gives the address that the routines of OpenSHMEM take on the calling PE, together with the number
 * of the PE that shmemx_gptr_pe gives. For local memory it points to that of the calling PE at the
 * same offset, which is another block, or none.
 *
 * gptr       a global pointer of this job.
 *
 * RETURNS when: at once; local; the address, NULL for SHMEMX_GPTR_NULL.
 * ERRORS, THREADS: see the top of this file.
 */
void* shmemx_gptr_addr(shmemx_gptr_t gptr) SHMEM_INTERNAL_NOTHROW;

/**
 * Gives the address by which the calling PE loads and stores the byte, as shmem_ptr does.
 *
 * gptr       a global pointer of this job.
 *
 * RETURNS when: at once; local; the address; NULL where it cannot, and for SHMEMX_GPTR_NULL.
 * ERRORS, THREADS: see the top of this file.
 */
void* shmemx_gptr_ptr(shmemx_gptr_t gptr) SHMEM_INTERNAL_NOTHROW;

/**
 * Gives the pointer to the byte that lies `bytes` bytes behind, before it where negative.
 *
 * gptr       a global pointer of this job.
 * bytes      distance in bytes.
 *
 * RETURNS when: at once; local; the pointer.
 * ERRORS: SHMEMX_GPTR_NULL, and a byte beyond the limits, end the job with a message. Whether the
 * byte belongs to the same object is not checked. THREADS: see the top of this file.
 */
shmemx_gptr_t shmemx_gptr_add(shmemx_gptr_t gptr, ptrdiff_t bytes) SHMEM_INTERNAL_NOTHROW;

/**
 * Gives the distance of two bytes of the same PE.
 *
 * last, first  pointers to the same PE, and there to the same kind of memory: that of one object,
 *              or anywhere in the symmetric heap, team memory and local memory; or to registered
 *              segments.
 *
 * RETURNS when: at once; local; the bytes from first to last.
 * ERRORS: other pointers end the job with a message. THREADS: see the top of this file.
 */
ptrdiff_t shmemx_gptr_diff(shmemx_gptr_t last, shmemx_gptr_t first) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_SHMEMX_POINTERS_H
