// SPDX-License-Identifier: BSD-3-Clause
//
// Registered segments, for runtimes: memory that the program has allocated by any means (malloc,
// mmap, static data of a shared library; not a stack), which the members of a team make reachable
// for each other. Each member gives a part of its own: any address, any number of bytes, also none.
// Part of <shmemx.h>.
//
// A segment is addressed by global pointers. shmemx_segment_gptr names the first byte of a member's
// part, shmemx_gptr_add the others. shmemx_gptr_addr gives the address, a *name*, that stands for
// the byte in each routine that takes the address of another PE's memory: puts and gets of all
// kinds, atomics, signals, accumulates, requests, and epochs, together with the PE that has the
// part. Waits and tests, and shmem_signal_fetch, take names of the calling PE's own part. All
// other arguments (the local side of a transfer, arrays of collectives, locks) take the memory
// itself.
//
//     double* mine = malloc(count * sizeof(double));            // another count on each member
//     shmemx_segment_t segment;
//     shmemx_register(team, mine, count * sizeof(double), &segment);
//     shmemx_gptr_t their = shmemx_gptr_add(shmemx_segment_gptr(segment, pe), 5 * sizeof(double));
//     shmem_double_put(shmemx_gptr_addr(their), values, 3, pe);
//
// A name is as aligned as its byte, up to 16 bytes. Parts whose addresses are equal modulo 16, as
// those from malloc are, have the same names: then the name of byte i of one part, with the number
// of another member, names byte i of that member's part. The library uses a
// name again as late as possible: after 8 TiB of names.
//
// The owner may use its part by loads and stores, and by atomics of the processor: those of other
// PEs exclude each other with these. PEs of the node map whole pages of a part, if it has 16 KiB of
// them and the memory is private and anonymous (malloc, mmap): shmem_ptr and shmemx_gptr_ptr give
// their address there. Elsewhere they give the memory for the own part, NULL for those of others.
//
// The memory must stay allocated, readable and writable until shmemx_deregister. It may be part of
// several segments. While a PE runs shmemx_register or shmemx_deregister, no other thread and no
// other PE may write to its part. Pages that a device uses must not be part of a segment, unless
// SHMEM_SEGMENT_PAGES=0 is set. A segment ends with its team at the latest.
//
// ERRORS, for all: an access to bytes that are not all in the part of the given PE, or to a segment
// that has been deregistered, and a value that is no segment, end the job with a message.

#ifndef SHMEM_INTERNAL_SHMEMX_SEGMENTS_H
#define SHMEM_INTERNAL_SHMEMX_SEGMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "../shmem/teams.h"
#include "pointers.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A registered segment; the same value on all members. */
typedef uint64_t shmemx_segment_t;

/** No segment. */
#define SHMEMX_SEGMENT_INVALID UINT64_C(0)

/**
 * Makes memory of each member reachable for the other members. Collective over the team.
 *
 * team       any team that the PE is in, also a predefined one.
 * base       this PE's part; NULL only with 0 bytes. Any alignment.
 * bytes      of this PE's part; each member may give another number, also 0.
 * segment    receives the segment.
 *
 * RETURNS when: all members have called it, and each may access all parts; 0, or another value on
 * all members, with SHMEMX_SEGMENT_INVALID, when no names are free on all of them.
 * ERRORS: NULL for segment, NULL with bytes, bytes beyond the end of the address space, and memory
 * that the network does not register, end the job with a message.
 * THREADS: as collectives: one thread per PE and team at a time.
 */
int shmemx_register(shmem_team_t team, void* base, size_t bytes,
                    shmemx_segment_t* segment) SHMEM_INTERNAL_NOTHROW;

/**
 * Ends a segment. Collective over its team, in the same order on all members. The memory stays as
 * it is, and addresses from shmem_ptr lose their meaning.
 *
 * segment    of any team that the PE is in; SHMEMX_SEGMENT_INVALID does nothing.
 *
 * RETURNS when: all members have called it, and their operations on the default context before the
 * call are complete; the program completes those on other contexts before. ERRORS: see the top of
 * this file. THREADS: as shmemx_register.
 */
void shmemx_deregister(shmemx_segment_t segment) SHMEM_INTERNAL_NOTHROW;

/**
 * Gives the global pointer to the first byte of a part; also where the part has no byte.
 *
 * segment    of any team that the PE is in.
 * pe         a member, by its number in the world.
 *
 * RETURNS when: at once; local; the pointer.
 * ERRORS: see the top of this file; also a PE that is no member. THREADS: any.
 */
shmemx_gptr_t shmemx_segment_gptr(shmemx_segment_t segment, int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Gives the size of a part.
 *
 * segment    of any team that the PE is in.
 * pe         a member, by its number in the world.
 *
 * RETURNS when: at once; local; its bytes.
 * ERRORS: as shmemx_segment_gptr. THREADS: any.
 */
size_t shmemx_segment_bytes(shmemx_segment_t segment, int pe) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_SHMEMX_SEGMENTS_H
