// SPDX-License-Identifier: BSD-3-Clause
//
// Operations of reductions and atomics: which types have them, and their codes of <shmemx.h>.

#pragma once

#include <dash/dart/if/dart_types.h>
#include <shmemx.h>

#include <cstddef>

namespace tessera::dart {

// An operation that dart_op_create has made.
struct CreatedOperation {
    dart_operator_t function = nullptr;
    void* user_data = nullptr;
    bool commutes = false;
    dart_datatype_t type = DART_TYPE_UNDEFINED;
    std::size_t element_bytes = 0;
};

// RETURNS: nullptr: dart_op_create has not made it, or it has ended.
const CreatedOperation* find_operation(dart_operation_t op);

// A nonblocking reduction is under way with an operation of dart_op_create, which stays until the
// request has ended.
void note_use(dart_operation_t op, shmemx_req_t request);

inline bool is_basic(dart_operation_t op) { return op > DART_OP_UNDEFINED && op < DART_OP_LAST; }

// The code SHMEMX_TYPE_* of a basic type. DART_TYPE_BYTE is an unsigned integer here.
// REQUIRES: a basic type.
int type_code(dart_datatype_t type);

// The code SHMEMX_OP_* of a basic operation. RETURNS: 0: there is none, because it is logical or
// DART_OP_MINMAX.
int operation_code(dart_operation_t op);

// Whether elements of a basic type have a basic operation: bits and truth values are those of
// integers. MINMAX, REPLACE and NO_OP are possible for all; the caller excludes what it has not.
bool is_possible(dart_operation_t op, dart_datatype_t type);

}  // namespace tessera::dart
