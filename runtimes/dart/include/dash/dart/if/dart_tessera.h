// SPDX-License-Identifier: BSD-3-Clause
//
// Extensions of Tessera's DART: nonblocking collectives, and puts that notify their target. DASH's
// interface has neither, so dart.h does not include this header, and a program that is compiled for
// other DARTs, too, asks for it:
//
//   #if __has_include(<dash/dart/if/dart_tessera.h>)
//   #include <dash/dart/if/dart_tessera.h>
//   #define HAS_EXTENSIONS 1
//   #endif
//
// RETURNS, ERRORS, THREADS: as dart_communication.h and dart.h say for its routines.

#ifndef DASH_DART_IF_DART_TESSERA_H
#define DASH_DART_IF_DART_TESSERA_H

#include "dart_communication.h"
#include "dart_globmem.h"
#include "dart_types.h"
#include "dart_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Nonblocking collectives ------------------------------------------------------------------

/**
 * Start what the collectives without _nb do, with the same arguments. All units of the team start
 * the same ones in the same order, blocking ones counted. Between a start and its wait a unit may
 * make any other call, collectives of the same team included. Up to 64 may be under way on a team;
 * the next start waits for the oldest one.
 *
 * The barrier completes the units' own stores that come before its start, and none of their
 * transfers; nor does dart_barrier.
 *
 * buf, sendbuf, recvbuf  the elements; they stay as they are until the call is complete.
 * nelem                  elements of each unit.
 * dtype                  their type: basic or custom.
 * op                     the operation; dart_op_destroy refuses one of dart_op_create until the
 *                        handle is complete.
 * root                   the unit that gives (bcast), or that receives the result (reduce).
 * team                   the team, which may end only when the call is complete.
 * handle                 receives the handle, for dart_wait*, dart_test* and their _local forms,
 *                        which mean the same here.
 *
 * RETURNS when: at once. The handle is complete when recvbuf is complete and sendbuf reusable; the
 * barrier's, when all units have started it.
 */
dart_ret_t dart_barrier_nb(dart_team_t team, dart_handle_t* handle) DART_NOTHROW;
dart_ret_t dart_bcast_nb(void* buf, size_t nelem, dart_datatype_t dtype, dart_team_unit_t root,
                         dart_team_t team, dart_handle_t* handle) DART_NOTHROW;
dart_ret_t dart_allgather_nb(const void* sendbuf, void* recvbuf, size_t nelem,
                             dart_datatype_t dtype, dart_team_t team,
                             dart_handle_t* handle) DART_NOTHROW;
dart_ret_t dart_alltoall_nb(const void* sendbuf, void* recvbuf, size_t nelem, dart_datatype_t dtype,
                            dart_team_t team, dart_handle_t* handle) DART_NOTHROW;
dart_ret_t dart_allreduce_nb(const void* sendbuf, void* recvbuf, size_t nelem,
                             dart_datatype_t dtype, dart_operation_t op, dart_team_t team,
                             dart_handle_t* handle) DART_NOTHROW;
dart_ret_t dart_reduce_nb(const void* sendbuf, void* recvbuf, size_t nelem, dart_datatype_t dtype,
                          dart_operation_t op, dart_team_unit_t root, dart_team_t team,
                          dart_handle_t* handle) DART_NOTHROW;

// ---- Notified puts ----------------------------------------------------------------------------

/** The change of the word: it becomes the value, or grows by it. */
enum { DART_NOTIFY_SET = 0, DART_NOTIFY_ADD = 1 };
typedef int dart_notify_t;

/**
 * Put elements and, when they are visible on the target, change a word there that the target waits
 * for. One message carries both between nodes, if both types are the same basic or custom one.
 *
 * gptr                the memory, as in dart_put.
 * src                 the elements.
 * nelem               elements; 0: only the word changes.
 * src_type, dst_type  the types of both sides, as in dart_put.
 * word                the word, 8 bytes and aligned, in any global memory of the unit that gptr
 *                     names.
 * how, value          the change.
 * handle              receives the handle.
 *
 * RETURNS when: at once. A flush of gptr, or a wait or successful test of the handle, completes
 * data and word.
 */
dart_ret_t dart_put_notify(dart_gptr_t gptr, const void* src, size_t nelem,
                           dart_datatype_t src_type, dart_datatype_t dst_type, dart_gptr_t word,
                           dart_notify_t how, uint64_t value) DART_NOTHROW;
dart_ret_t dart_put_notify_handle(dart_gptr_t gptr, const void* src, size_t nelem,
                                  dart_datatype_t src_type, dart_datatype_t dst_type,
                                  dart_gptr_t word, dart_notify_t how, uint64_t value,
                                  dart_handle_t* handle) DART_NOTHROW;

/**
 * Wait until a word of the calling unit has reached a value, or test it. The data of the puts that
 * have changed it so far is visible then. Values that only grow need no reset.
 *
 * word      the word, as in dart_put_notify; of the calling unit.
 * value     the least value that ends the wait.
 * found     receives the word's value; may be NULL.
 * is_there  receives 1 if the word has reached the value, else 0.
 *
 * RETURNS when: notify_wait: the word has reached the value; notify_test: at once.
 */
dart_ret_t dart_notify_wait(dart_gptr_t word, uint64_t value, uint64_t* found) DART_NOTHROW;
dart_ret_t dart_notify_test(dart_gptr_t word, uint64_t value, uint64_t* found,
                            int32_t* is_there) DART_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // DASH_DART_IF_DART_TESSERA_H
