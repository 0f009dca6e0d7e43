// SPDX-License-Identifier: BSD-3-Clause
//
// Codes of element types and operations, for routines of <shmemx.h> that work on arrays of any
// basic type: accumulate, fetch_op, compare_swap, and the collectives for runtimes. A runtime that
// has codes of its own translates them by two tables. 0 is no code, so that memory which was never
// set is found out.

#ifndef SHMEM_INTERNAL_SHMEMX_TYPES_H
#define SHMEM_INTERNAL_SHMEMX_TYPES_H

/** Types of elements: integers by their width, the others by their names in C. */
#define SHMEMX_TYPE_INT8 1
#define SHMEMX_TYPE_INT16 2
#define SHMEMX_TYPE_INT32 3
#define SHMEMX_TYPE_INT64 4
#define SHMEMX_TYPE_UINT8 5
#define SHMEMX_TYPE_UINT16 6
#define SHMEMX_TYPE_UINT32 7
#define SHMEMX_TYPE_UINT64 8
#define SHMEMX_TYPE_FLOAT 9
#define SHMEMX_TYPE_DOUBLE 10
#define SHMEMX_TYPE_LONG_DOUBLE 11
#define SHMEMX_TYPE_COMPLEX_FLOAT 12
#define SHMEMX_TYPE_COMPLEX_DOUBLE 13

/**
 * Operations on two elements, a (of dest, or of the lower PE) and b (of source, or of the higher
 * PE): a + b and a * b, which wrap around for integers;
 */
#define SHMEMX_OP_SUM 1
#define SHMEMX_OP_PROD 2
/** the smaller and the larger one, for types that are not complex; a where neither is; */
#define SHMEMX_OP_MIN 3
#define SHMEMX_OP_MAX 4
/** bit by bit, for integers; */
#define SHMEMX_OP_AND 5
#define SHMEMX_OP_OR 6
#define SHMEMX_OP_XOR 7
/** b, and a; */
#define SHMEMX_OP_REPLACE 8
#define SHMEMX_OP_NO_OP 9
/** the smallest and the largest one with its location, for collectives only. */
#define SHMEMX_OP_MINLOC 10
#define SHMEMX_OP_MAXLOC 11

#endif  // SHMEM_INTERNAL_SHMEMX_TYPES_H
