// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives that runtimes need: gather and scatter, parts of different sizes, reductions to one
// PE or by blocks, and operations of the program. Part of <shmemx.h>.
//
// They follow the rules of the collectives of <shmem.h>: all PEs of the team call the same ones in
// the same order, each from one thread at a time. Starts of nonblocking ones count as calls.
// Between a start and its wait a PE may make any other call, blocking ones on the same team
// included.
//
// Arrays may be anywhere, also in private memory, and at another address on each PE. Sizes are in
// elements of element_bytes bytes, any number of them but 0. Counts and displacements are arrays of
// a value for each PE of the team, in elements; they and nelems agree between a PE that gives and
// the PE that takes. dest and source are apart from each other, except where a routine says so. A
// count of 0 is allowed, with NULL instead of the array.
//
// A reduction combines in the order of the PEs: source of PE 0 op source of PE 1 op ... An
// operation is a code of types.h, or a function of the program (shmemx_op_t). It must be
// associative; a rounding one gives results that depend on the team's size and nodes, but are the
// same bits on all PEs. With SHMEMX_OP_MINLOC and SHMEMX_OP_MAXLOC an element is a pair,
// shmemx_TYPE_loc_t.
//
// RETURNS, for all that return a value: 0; 1, on all PEs of the team alike: the library has no room
// for the team's messages, because one of its PEs is in more than 2304 teams at once, or the team
// has more than 3584 PEs; or one is in more than 256 teams, and the team has more than 224 PEs.
// Nonblocking forms return at once, and their requests (requests.h) are complete when dest is
// complete and source reusable; arrays and shmemx_op_t's user_data stay as they are until then.
// ERRORS, for all: a handle that is no team, a root that is not in the team, element_bytes 0, a
// code that is none, NULL for an array of some elements, and sizes beyond the address space end the
// job with a message. With SHMEM_DEBUG=1 so do arguments of blocking calls that do not agree.
// THREADS, for all: one thread per PE and team at a time, within what the thread level allows. The
// program's functions run in threads of the program, when these start, test or wait.

#ifndef SHMEM_INTERNAL_SHMEMX_COLLECTIVES_H
#define SHMEM_INTERNAL_SHMEMX_COLLECTIVES_H

#include "../shmem/teams.h"
#include "requests.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Operations -------------------------------------------------------------------------------

/**
 * A function of the program that combines arrays: inout[i] = inout[i] op in[i]. inout comes from
 * PEs before those of in. It must not call the library.
 *
 * inout      nelems elements, and their result.
 * in         nelems elements.
 * nelems     their number, 1 or more.
 * user_data  as in shmemx_op_t.
 */
typedef void (*shmemx_op_fn_t)(void* inout, const void* in, size_t nelems, void* user_data);

/** An operation of the program on elements of any size. Costs nothing to make. */
typedef struct {
    /** Combines two arrays. */
    shmemx_op_fn_t function;
    /** Passed to function. */
    void* user_data;
    /** Bytes of an element. */
    size_t element_bytes;
    /** Whether a op b is b op a; if so, a reduction to a PE has fewer steps. */
    int is_commutative;
} shmemx_op_t;

/**
 * An element of SHMEMX_OP_MINLOC and SHMEMX_OP_MAXLOC: a value with its location, which may be any
 * number. Among equal values the smallest location wins.
 */
typedef struct {
    int8_t value;
    int64_t location;
} shmemx_int8_loc_t;
typedef struct {
    int16_t value;
    int64_t location;
} shmemx_int16_loc_t;
typedef struct {
    int32_t value;
    int64_t location;
} shmemx_int32_loc_t;
typedef struct {
    int64_t value;
    int64_t location;
} shmemx_int64_loc_t;
typedef struct {
    uint8_t value;
    int64_t location;
} shmemx_uint8_loc_t;
typedef struct {
    uint16_t value;
    int64_t location;
} shmemx_uint16_loc_t;
typedef struct {
    uint32_t value;
    int64_t location;
} shmemx_uint32_loc_t;
typedef struct {
    uint64_t value;
    int64_t location;
} shmemx_uint64_loc_t;
typedef struct {
    float value;
    int64_t location;
} shmemx_float_loc_t;
typedef struct {
    double value;
    int64_t location;
} shmemx_double_loc_t;
typedef struct {
    long double value;
    int64_t location;
} shmemx_longdouble_loc_t;

// ---- Moves ------------------------------------------------------------------------------------

/**
 * Copies the root's source to dest of all PEs.
 *
 * team           the team.
 * dest           receives nelems elements; on the root it may be source.
 * source         nelems elements; used on the root only.
 * nelems         their number; the same on all PEs.
 * element_bytes  bytes of an element.
 * root           the PE, in the team, with the data.
 *
 * RETURNS when: dest is complete and source reusable on this PE. ERRORS, THREADS: see the top of
 * this file.
 */
int shmemx_broadcast(shmem_team_t team, void* dest, const void* source, size_t nelems,
                     size_t element_bytes, int root) SHMEM_INTERNAL_NOTHROW;

/**
 * Collects a block from each PE at the root.
 *
 * team           the team.
 * dest           receives the blocks in the order of the PEs; used on the root only.
 * source         this PE's block; on the root it may be its place in dest.
 * nelems         elements of a block; the same on all PEs.
 * element_bytes  bytes of an element.
 * root           the PE, in the team, that collects.
 *
 * RETURNS when: dest is complete and source reusable on this PE. ERRORS, THREADS: see the top of
 * this file.
 */
int shmemx_gather(shmem_team_t team, void* dest, const void* source, size_t nelems,
                  size_t element_bytes, int root) SHMEM_INTERNAL_NOTHROW;

/**
 * The same with blocks of different sizes.
 *
 * team           the team.
 * dest           receives block i at element displs[i]; used on the root only, as are
 * counts         the elements of each PE's block, and
 * displs         the places of the blocks in dest.
 * source         this PE's block; on the root it may be its place in dest.
 * nelems         its elements.
 * element_bytes  bytes of an element.
 * root           the PE, in the team, that collects.
 *
 * RETURNS when: dest is complete and source reusable on this PE. ERRORS, THREADS: see the top of
 * this file.
 */
int shmemx_gatherv(shmem_team_t team, void* dest, const size_t* counts, const size_t* displs,
                   const void* source, size_t nelems, size_t element_bytes,
                   int root) SHMEM_INTERNAL_NOTHROW;

/**
 * Gives each PE a block of the root's source.
 *
 * team           the team.
 * dest           receives this PE's block; on the root it may be its place in source.
 * source         the blocks in the order of the PEs; used on the root only.
 * nelems         elements of a block; the same on all PEs.
 * element_bytes  bytes of an element.
 * root           the PE, in the team, with the blocks.
 *
 * RETURNS when: dest is complete and source reusable on this PE. ERRORS, THREADS: see the top of
 * this file.
 */
int shmemx_scatter(shmem_team_t team, void* dest, const void* source, size_t nelems,
                   size_t element_bytes, int root) SHMEM_INTERNAL_NOTHROW;

/**
 * The same with blocks of different sizes.
 *
 * team           the team.
 * dest           receives this PE's block; on the root it may be its place in source.
 * nelems         its elements.
 * source         has block i at element displs[i]; used on the root only, as are
 * counts         the elements of each PE's block, and
 * displs         the places of the blocks in source.
 * element_bytes  bytes of an element.
 * root           the PE, in the team, with the blocks.
 *
 * RETURNS when: dest is complete and source reusable on this PE. ERRORS, THREADS: see the top of
 * this file.
 */
int shmemx_scatterv(shmem_team_t team, void* dest, size_t nelems, const void* source,
                    const size_t* counts, const size_t* displs, size_t element_bytes,
                    int root) SHMEM_INTERNAL_NOTHROW;

/**
 * Collects a block from each PE on all PEs.
 *
 * team           the team.
 * dest           receives the blocks in the order of the PEs.
 * source         this PE's block; may be its place in dest.
 * nelems         elements of a block; the same on all PEs.
 * element_bytes  bytes of an element.
 *
 * RETURNS when: dest is complete and source reusable on this PE. ERRORS, THREADS: see the top of
 * this file.
 */
int shmemx_allgather(shmem_team_t team, void* dest, const void* source, size_t nelems,
                     size_t element_bytes) SHMEM_INTERNAL_NOTHROW;

/**
 * The same with blocks of different sizes.
 *
 * team           the team.
 * dest           receives block i at element displs[i].
 * counts         the elements of each PE's block; the same on all PEs.
 * displs         the places of the blocks in dest; may differ between PEs.
 * source         this PE's block; may be its place in dest.
 * element_bytes  bytes of an element.
 *
 * RETURNS when: dest is complete and source reusable on this PE. ERRORS, THREADS: see the top of
 * this file.
 */
int shmemx_allgatherv(shmem_team_t team, void* dest, const size_t* counts, const size_t* displs,
                      const void* source, size_t element_bytes) SHMEM_INTERNAL_NOTHROW;

/**
 * Exchanges blocks: block i of source on PE j becomes block j of dest on PE i.
 *
 * team           the team.
 * dest           receives a block from each PE, in the order of the PEs; may be source.
 * source         a block for each PE, in the order of the PEs.
 * nelems         elements of a block; the same on all PEs.
 * element_bytes  bytes of an element.
 *
 * RETURNS when: dest is complete and source reusable on this PE. ERRORS, THREADS: see the top of
 * this file.
 */
int shmemx_alltoall(shmem_team_t team, void* dest, const void* source, size_t nelems,
                    size_t element_bytes) SHMEM_INTERNAL_NOTHROW;

/**
 * The same with blocks of different sizes.
 *
 * team           the team.
 * dest           receives the block of PE i at element dest_displs[i].
 * dest_counts    elements of the block from each PE.
 * dest_displs    places of the blocks in dest.
 * source         has the block for PE i at element source_displs[i].
 * source_counts  elements of the block for each PE.
 * source_displs  places of the blocks in source.
 * element_bytes  bytes of an element.
 *
 * RETURNS when: dest is complete and source reusable on this PE. ERRORS, THREADS: see the top of
 * this file.
 */
int shmemx_alltoallv(shmem_team_t team, void* dest, const size_t* dest_counts,
                     const size_t* dest_displs, const void* source, const size_t* source_counts,
                     const size_t* source_displs, size_t element_bytes) SHMEM_INTERNAL_NOTHROW;

// ---- Reductions -------------------------------------------------------------------------------

/**
 * Combine the sources of all PEs: on the root, or on all PEs.
 *
 * team    the team.
 * dest    receives the result; may be source. reduce: used on the root only.
 * source  nelems elements.
 * nelems  their number; the same on all PEs.
 * type    code of the elements' type.
 * op      code of the operation; _op: an operation of the program instead of both codes.
 * root    reduce: the PE, in the team, that receives the result.
 *
 * RETURNS when: dest is complete and source reusable on this PE. ERRORS, THREADS: see the top of
 * this file.
 */
int shmemx_reduce(shmem_team_t team, void* dest, const void* source, size_t nelems, int type,
                  int op, int root) SHMEM_INTERNAL_NOTHROW;
int shmemx_reduce_op(shmem_team_t team, void* dest, const void* source, size_t nelems,
                     const shmemx_op_t* op, int root) SHMEM_INTERNAL_NOTHROW;
int shmemx_allreduce(shmem_team_t team, void* dest, const void* source, size_t nelems, int type,
                     int op) SHMEM_INTERNAL_NOTHROW;
int shmemx_allreduce_op(shmem_team_t team, void* dest, const void* source, size_t nelems,
                        const shmemx_op_t* op) SHMEM_INTERNAL_NOTHROW;

/**
 * Combine the sources of all PEs; each PE receives its block of the result.
 *
 * team    the team.
 * dest    receives this PE's block; with equal blocks it may be source.
 * source  the blocks in the order of the PEs.
 * nelems  elements of a block; the same on all PEs.
 * type    code of the elements' type.
 * op      code of the operation; _op: an operation of the program instead of both codes.
 *
 * RETURNS when: dest is complete and source reusable on this PE. ERRORS, THREADS: see the top of
 * this file.
 */
int shmemx_reduce_scatter(shmem_team_t team, void* dest, const void* source, size_t nelems,
                          int type, int op) SHMEM_INTERNAL_NOTHROW;
int shmemx_reduce_scatter_op(shmem_team_t team, void* dest, const void* source, size_t nelems,
                             const shmemx_op_t* op) SHMEM_INTERNAL_NOTHROW;

/**
 * The same with blocks of different sizes.
 *
 * team    the team.
 * dest    receives this PE's block.
 * source  has block i at element displs[i].
 * counts  elements of each PE's block; the same on all PEs.
 * displs  places of the blocks in source; may differ between PEs.
 * type    code of the elements' type.
 * op      code of the operation; _op: an operation of the program instead of both codes.
 *
 * RETURNS when: dest is complete and source reusable on this PE. ERRORS, THREADS: see the top of
 * this file.
 */
int shmemx_reduce_scatterv(shmem_team_t team, void* dest, const void* source, const size_t* counts,
                           const size_t* displs, int type, int op) SHMEM_INTERNAL_NOTHROW;
int shmemx_reduce_scatterv_op(shmem_team_t team, void* dest, const void* source,
                              const size_t* counts, const size_t* displs,
                              const shmemx_op_t* op) SHMEM_INTERNAL_NOTHROW;

// ---- Nonblocking forms ------------------------------------------------------------------------
//
// They make progress whenever the program waits or tests, in any routine of the library, and
// between nodes by the library's thread (SHMEM_PROGRESS). Up to 64 may be under way on a team; the
// next start waits for the oldest one. Tests and waits for local and for remote completion mean the
// same for them.

/**
 * Starts a barrier of the team. It completes memory stores made before the start, but none of the
 * library's operations, as shmem_team_sync does.
 *
 * team  the team.
 * req   receives the request, which is complete when all PEs have started theirs.
 *
 * RETURNS when: at once. The request is complete when all PEs have started the call.
 * ERRORS, THREADS: see the top of this file.
 */
int shmemx_ibarrier(shmem_team_t team, shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;

/**
 * Start what the routines without the i do, with the same arguments.
 *
 * team           the team.
 * dest           receives the data.
 * source         the data.
 * nelems         elements.
 * element_bytes  bytes of an element.
 * type           code of the elements' type.
 * op             code of the operation; _op: an operation of the program instead of both codes.
 * root           a PE of the team.
 * req            receives the request.
 *
 * RETURNS when: at once. The request is complete when dest is complete and source reusable.
 * ERRORS, THREADS: see the top of this file.
 */
int shmemx_ibroadcast(shmem_team_t team, void* dest, const void* source, size_t nelems,
                      size_t element_bytes, int root, shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
int shmemx_iallgather(shmem_team_t team, void* dest, const void* source, size_t nelems,
                      size_t element_bytes, shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
int shmemx_ialltoall(shmem_team_t team, void* dest, const void* source, size_t nelems,
                     size_t element_bytes, shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
int shmemx_ireduce(shmem_team_t team, void* dest, const void* source, size_t nelems, int type,
                   int op, int root, shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
int shmemx_ireduce_op(shmem_team_t team, void* dest, const void* source, size_t nelems,
                      const shmemx_op_t* op, int root, shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
int shmemx_iallreduce(shmem_team_t team, void* dest, const void* source, size_t nelems, int type,
                      int op, shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;
int shmemx_iallreduce_op(shmem_team_t team, void* dest, const void* source, size_t nelems,
                         const shmemx_op_t* op, shmemx_req_t* req) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_SHMEMX_COLLECTIVES_H
