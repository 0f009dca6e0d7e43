// SPDX-License-Identifier: BSD-3-Clause
//
// Types and constants of DART: results, types of elements, operations; with dart_unit_types.h and
// dart_locality_types.h, all types.

#ifndef DASH_DART_IF_DART_TYPES_H
#define DASH_DART_IF_DART_TYPES_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "dart_locality_types.h"
#include "dart_unit_types.h"
#include "dart_util.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Results ----------------------------------------------------------------------------------

/** Results of routines. */
typedef enum {
    DART_OK = 0,
    /** Not complete yet. */
    DART_PENDING = 1,
    /** An argument that is not possible. */
    DART_ERR_INVAL = 2,
    /** There is nothing of that name. */
    DART_ERR_NOTFOUND = 3,
    /** DART does not run. */
    DART_ERR_NOTINIT = 4,
    /** There is not enough memory. */
    DART_ERR_NOMEM = 5,
    /** Anything else. */
    DART_ERR_OTHER = 999
} dart_ret_t;

/** Exit codes of programs. */
enum {
    DART_EXIT_SUCCESS = EXIT_SUCCESS,
    /** After dart_abort. */
    DART_EXIT_ABORT = EXIT_FAILURE,
    /** After an assertion of DASH. */
    DART_EXIT_ASSERT = -6
};

/** How many threads of a unit may call DART. */
typedef enum { DART_THREAD_SINGLE = 0, DART_THREAD_MULTIPLE = 10 } dart_thread_support_level_t;

// ---- Types of elements ------------------------------------------------------------------------

/** A type of elements: one of the basic ones below, or one that dart_type_create_* has made. */
typedef intptr_t dart_datatype_t;

#define DART_TYPE_UNDEFINED ((dart_datatype_t)(0))
/** A byte: char, and everything of which only the size is known. */
#define DART_TYPE_BYTE ((dart_datatype_t)(1))
#define DART_TYPE_SHORT ((dart_datatype_t)(2))
#define DART_TYPE_INT ((dart_datatype_t)(3))
#define DART_TYPE_UINT ((dart_datatype_t)(4))
#define DART_TYPE_LONG ((dart_datatype_t)(5))
#define DART_TYPE_ULONG ((dart_datatype_t)(6))
#define DART_TYPE_LONGLONG ((dart_datatype_t)(7))
#define DART_TYPE_ULONGLONG ((dart_datatype_t)(8))
#define DART_TYPE_FLOAT ((dart_datatype_t)(9))
#define DART_TYPE_DOUBLE ((dart_datatype_t)(10))
#define DART_TYPE_LONG_DOUBLE ((dart_datatype_t)(11))
/** The first number that is no basic type. */
#define DART_TYPE_LAST ((dart_datatype_t)(12))
/** The type of size_t. */
#define DART_TYPE_SIZET DART_TYPE_ULONGLONG

/**
 * Makes a type of blocks at equal distances: block b has the elements from b * stride on. A
 * transfer counts elements of the base type, and has as many blocks as these fill.
 *
 * basetype   basic type, or one that dart_type_create_custom has made.
 * stride     elements from the start of a block to that of the next one; 1 or more.
 * blocklen   elements of a block; 1 up to stride.
 * newtype    receives the type.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: another base type, or numbers that are 0 or above INT_MAX.
 */
dart_ret_t dart_type_create_strided(dart_datatype_t basetype, size_t stride, size_t blocklen,
                                    dart_datatype_t* newtype) DART_NOTHROW;

/**
 * Makes a type of any blocks: block b has blocklen[b] elements from element offset[b] on. A
 * transfer of more elements than all blocks have goes on with a second instance, which starts at
 * the extent of the first.
 *
 * basetype   basic type, or one that dart_type_create_custom has made.
 * count      blocks; 1 or more.
 * blocklen   the elements of each block.
 * offset     the first element of each block.
 * newtype    receives the type.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: another base type, no elements, or numbers above INT_MAX. The
 * arrays may be reused.
 */
dart_ret_t dart_type_create_indexed(dart_datatype_t basetype, size_t count, const size_t blocklen[],
                                    const size_t offset[], dart_datatype_t* newtype) DART_NOTHROW;

/**
 * Makes a type of elements of which only the size is known.
 *
 * num_bytes  bytes of an element; 1 up to INT_MAX.
 * newtype    receives the type.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: an impossible size.
 */
dart_ret_t dart_type_create_custom(size_t num_bytes, dart_datatype_t* newtype) DART_NOTHROW;

/**
 * Ends a type that dart_type_create_* has made. Transfers that use it may still be under way.
 *
 * dart_type  the type; becomes DART_TYPE_UNDEFINED.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: a basic type, or none, or one that has ended.
 */
dart_ret_t dart_type_destroy(dart_datatype_t* dart_type) DART_NOTHROW;

// ---- Operations -------------------------------------------------------------------------------

/** Operations of reductions and atomics. */
enum {
    DART_OP_UNDEFINED = 0,
    DART_OP_MIN,
    DART_OP_MAX,
    /** The minimum of the elements with even, the maximum of those with odd indices. */
    DART_OP_MINMAX,
    DART_OP_SUM,
    DART_OP_PROD,
    /** Bit by bit (B), or as truth values (L). */
    DART_OP_BAND,
    DART_OP_LAND,
    DART_OP_BOR,
    DART_OP_LOR,
    DART_OP_BXOR,
    DART_OP_LXOR,
    /** The new value; the old one: for atomics only. */
    DART_OP_REPLACE,
    DART_OP_NO_OP,
    /** The first number that is no operation. */
    DART_OP_LAST
};

/** An operation: one of the numbers above, or one that dart_op_create has made. */
typedef uintptr_t dart_operation_t;

/** Places of the two values of DART_OP_MINMAX in an array. */
#define DART_OP_MINMAX_MIN 0
#define DART_OP_MINMAX_MAX 1

/** A function of the program that combines arrays: inout[i] = in[i] op inout[i]. */
typedef void (*dart_operator_t)(const void* invec, void* inoutvec, size_t len, void* user_data);

/**
 * Makes an operation for dart_reduce and dart_allreduce of elements of one type. Local and cheap.
 *
 * op            the function; it must be associative and not call DART.
 * userdata      passed to the function.
 * commute       whether a op b is b op a. If not, the order of the units counts.
 * dtype         the type of the elements; basic or custom.
 * dtype_is_tmp  whether dtype lasts only as long as the operation.
 * new_op        receives the operation.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: no function, or a strided, indexed or undefined type.
 */
dart_ret_t dart_op_create(dart_operator_t op, void* userdata, bool commute, dart_datatype_t dtype,
                          bool dtype_is_tmp, dart_operation_t* new_op) DART_NOTHROW;

/**
 * Ends an operation that dart_op_create has made.
 *
 * op         the operation; becomes DART_OP_UNDEFINED.
 *
 * RETURNS: DART_OK; DART_ERR_INVAL: an operation that dart_op_create has not made.
 */
dart_ret_t dart_op_destroy(dart_operation_t* op) DART_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // DASH_DART_IF_DART_TYPES_H
