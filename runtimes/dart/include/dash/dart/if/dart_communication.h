// SPDX-License-Identifier: BSD-3-Clause
//
// Communication of DART: one-sided transfers and atomics by global pointers, messages of two units,
// collectives of a team.
//
// nelem counts elements of the base type. A transfer's two types, one for each side, have the same
// base type: basic or custom (contiguous), strided or indexed.
//
// RETURNS, for all: DART_OK; DART_ERR_INVAL: no such team, unit, allocation or root, a type or an
// operation that is not possible there, memory beyond an allocation, a null pointer where there are
// elements. dart.h has the rule for errors in collectives. THREADS: any; collectives: one per team.

#ifndef DASH_DART_IF_DART_COMMUNICATION_H
#define DASH_DART_IF_DART_COMMUNICATION_H

#include "dart_globmem.h"
#include "dart_types.h"
#include "dart_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Put and get ------------------------------------------------------------------------------

/** An operation under way. */
typedef struct dart_handle_struct* dart_handle_t;

/** A handle of an operation that is complete. */
#define DART_HANDLE_NULL ((dart_handle_t)NULL)

/**
 * Copy elements from (get) or to (put) global memory.
 *
 * dest, src           get: receives the elements; put: the elements.
 * gptr                the memory.
 * nelem               elements.
 * src_type, dst_type  the types of the side that is read, and of the one that is written.
 * handle              receives the handle.
 *
 * RETURNS when: _blocking: complete on both sides. Else at once: complete after a flush, or after a
 * wait or successful test of the handle.
 */
dart_ret_t dart_get(void* dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                    dart_datatype_t dst_type) DART_NOTHROW;
dart_ret_t dart_put(dart_gptr_t gptr, const void* src, size_t nelem, dart_datatype_t src_type,
                    dart_datatype_t dst_type) DART_NOTHROW;
dart_ret_t dart_get_handle(void* dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                           dart_datatype_t dst_type, dart_handle_t* handle) DART_NOTHROW;
dart_ret_t dart_put_handle(dart_gptr_t gptr, const void* src, size_t nelem,
                           dart_datatype_t src_type, dart_datatype_t dst_type,
                           dart_handle_t* handle) DART_NOTHROW;
dart_ret_t dart_get_blocking(void* dest, dart_gptr_t gptr, size_t nelem, dart_datatype_t src_type,
                             dart_datatype_t dst_type) DART_NOTHROW;
dart_ret_t dart_put_blocking(dart_gptr_t gptr, const void* src, size_t nelem,
                             dart_datatype_t src_type, dart_datatype_t dst_type) DART_NOTHROW;

// ---- Completion -------------------------------------------------------------------------------

/**
 * Wait for operations by their handles, or test them; another value is DART_ERR_INVAL. _local:
 * until the own side may be reused; else until both sides are complete. Handles of operations that
 * are complete become DART_HANDLE_NULL; all routines take NULL and DART_HANDLE_NULL, which are
 * complete.
 *
 * handle, handleptr, handles  one handle, or n of them.
 * n                           their number.
 * is_finished, result         receives 1 if all are complete, else 0.
 */
dart_ret_t dart_wait(dart_handle_t* handle) DART_NOTHROW;
dart_ret_t dart_waitall(dart_handle_t handles[], size_t n) DART_NOTHROW;
dart_ret_t dart_wait_local(dart_handle_t* handle) DART_NOTHROW;
dart_ret_t dart_waitall_local(dart_handle_t handles[], size_t n) DART_NOTHROW;
dart_ret_t dart_test(dart_handle_t* handleptr, int32_t* is_finished) DART_NOTHROW;
dart_ret_t dart_testall(dart_handle_t handles[], size_t n, int32_t* is_finished) DART_NOTHROW;
dart_ret_t dart_test_local(dart_handle_t* handle, int32_t* result) DART_NOTHROW;
dart_ret_t dart_testall_local(dart_handle_t handles[], size_t n, int32_t* result) DART_NOTHROW;

/** Gives a handle up; the operation goes on. The handle becomes DART_HANDLE_NULL. */
dart_ret_t dart_handle_free(dart_handle_t* handle) DART_NOTHROW;

/**
 * Complete the calling unit's operations on an allocation: those to the unit of gptr; _all: those
 * to all units. _local: until the own side may be reused, and fetched values are there.
 */
dart_ret_t dart_flush(dart_gptr_t gptr) DART_NOTHROW;
dart_ret_t dart_flush_all(dart_gptr_t gptr) DART_NOTHROW;
dart_ret_t dart_flush_local(dart_gptr_t gptr) DART_NOTHROW;
dart_ret_t dart_flush_local_all(dart_gptr_t gptr) DART_NOTHROW;

// ---- Atomics ----------------------------------------------------------------------------------

/**
 * Update elements of global memory: each becomes its value op values[i], atomically towards all
 * atomics of the same type. The types are basic.
 *
 * gptr     the first element.
 * values   operands; they stay until a flush, or until the return (_blocking_local).
 * nelem    elements.
 * dtype    their type.
 * op       the operation; none of dart_op_create.
 */
dart_ret_t dart_accumulate(dart_gptr_t gptr, const void* values, size_t nelem,
                           dart_datatype_t dtype, dart_operation_t op) DART_NOTHROW;
dart_ret_t dart_accumulate_blocking_local(dart_gptr_t gptr, const void* values, size_t nelem,
                                          dart_datatype_t dtype, dart_operation_t op) DART_NOTHROW;

/**
 * Update one element and give its old value.
 *
 * gptr     the element.
 * value    the operand, or the new value; fetch_and_op with DART_OP_NO_OP: may be NULL.
 * compare  compare_and_swap: the value that the element must have to change.
 * result   receives the old value; it is there after a flush.
 * dtype    the type; compare_and_swap: an integer up to DART_TYPE_LONGLONG.
 * op       the operation; none of dart_op_create.
 */
dart_ret_t dart_fetch_and_op(dart_gptr_t gptr, const void* value, void* result,
                             dart_datatype_t dtype, dart_operation_t op) DART_NOTHROW;
dart_ret_t dart_compare_and_swap(dart_gptr_t gptr, const void* value, const void* compare,
                                 void* result, dart_datatype_t dtype) DART_NOTHROW;

// ---- Messages ---------------------------------------------------------------------------------

/**
 * Send a message to a unit, receive one, or both at the same time. Messages of one unit and tag are
 * received in the order in which they were sent.
 *
 * sendbuf, recvbuf                                     the elements.
 * nelem, send_nelem, recv_nelem                        their number; room for it, in recv.
 * dtype, send_dtype, recv_dtype                        their type; basic or custom.
 * tag, send_tag, recv_tag                              a number that both sides give.
 * unit, dest, src                                      the other unit, in the program.
 *
 * RETURNS when: send: sendbuf may be reused; it waits for room in local memory, and for no
 * receiver. recv: the message is there.
 * RETURNS: also DART_ERR_NOMEM: local memory has no room for a message, and will have none.
 */
dart_ret_t dart_send(const void* sendbuf, size_t nelem, dart_datatype_t dtype, int tag,
                     dart_global_unit_t unit) DART_NOTHROW;
dart_ret_t dart_recv(void* recvbuf, size_t nelem, dart_datatype_t dtype, int tag,
                     dart_global_unit_t unit) DART_NOTHROW;
dart_ret_t dart_sendrecv(const void* sendbuf, size_t send_nelem, dart_datatype_t send_dtype,
                         int send_tag, dart_global_unit_t dest, void* recvbuf, size_t recv_nelem,
                         dart_datatype_t recv_dtype, int recv_tag,
                         dart_global_unit_t src) DART_NOTHROW;

// ---- Collectives ------------------------------------------------------------------------------

/** Waits until all units of the team have called it. Completes no transfers. */
dart_ret_t dart_barrier(dart_team_t team) DART_NOTHROW;

/**
 * Move elements between the units of a team: copy those of the root to all (bcast); deal those of
 * the root out (scatter); collect a block of each unit at the root (gather) or on all units
 * (allgather; allgatherv: blocks of any sizes, to any places); exchange blocks (alltoall).
 *
 * buf, sendbuf, recvbuf  the elements. Of scatter and gather, the root alone uses the longer one.
 *                        allgather, allgatherv, alltoall: sendbuf is NULL or recvbuf to use recvbuf
 *                        for both.
 * nelem, nsendelem       elements of a block.
 * nrecvelem, recvdispls  the elements of each block, and the elements before it in recvbuf.
 * dtype                  their type; basic or custom.
 * root                   a unit of the team.
 * team, teamid           the team.
 *
 * RETURNS when: the buffers may be used.
 */
dart_ret_t dart_bcast(void* buf, size_t nelem, dart_datatype_t dtype, dart_team_unit_t root,
                      dart_team_t team) DART_NOTHROW;
dart_ret_t dart_scatter(const void* sendbuf, void* recvbuf, size_t nelem, dart_datatype_t dtype,
                        dart_team_unit_t root, dart_team_t team) DART_NOTHROW;
dart_ret_t dart_gather(const void* sendbuf, void* recvbuf, size_t nelem, dart_datatype_t dtype,
                       dart_team_unit_t root, dart_team_t team) DART_NOTHROW;
dart_ret_t dart_allgather(const void* sendbuf, void* recvbuf, size_t nelem, dart_datatype_t dtype,
                          dart_team_t team) DART_NOTHROW;
dart_ret_t dart_allgatherv(const void* sendbuf, size_t nsendelem, dart_datatype_t dtype,
                           void* recvbuf, const size_t* nrecvelem, const size_t* recvdispls,
                           dart_team_t teamid) DART_NOTHROW;
dart_ret_t dart_alltoall(const void* sendbuf, void* recvbuf, size_t nelem, dart_datatype_t dtype,
                         dart_team_t team) DART_NOTHROW;

/**
 * Combine the elements of all units, in the order of the units: on all units, or on the root.
 *
 * sendbuf  the elements.
 * recvbuf  receives the result; reduce: used on the root only. May be sendbuf.
 * nelem    elements; even for DART_OP_MINMAX.
 * dtype    their type: basic, or that of an operation of dart_op_create.
 * op       the operation; not DART_OP_REPLACE or DART_OP_NO_OP.
 * root     a unit of the team.
 * team     the team.
 *
 * RETURNS when: the buffers may be used. The result is the same on all units, bit by bit.
 */
dart_ret_t dart_allreduce(const void* sendbuf, void* recvbuf, size_t nelem, dart_datatype_t dtype,
                          dart_operation_t op, dart_team_t team) DART_NOTHROW;
dart_ret_t dart_reduce(const void* sendbuf, void* recvbuf, size_t nelem, dart_datatype_t dtype,
                       dart_operation_t op, dart_team_unit_t root, dart_team_t team) DART_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // DASH_DART_IF_DART_COMMUNICATION_H
