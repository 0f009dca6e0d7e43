// SPDX-License-Identifier: BSD-3-Clause
//
// Functions that combine arrays, for operations that <shmemx.h> has no code of: logical ones and
// DART_OP_MINMAX.

#pragma once

#include <dash/dart/if/dart_types.h>
#include <shmemx.h>

namespace tessera::dart {

// REQUIRES: DART_OP_LAND, LOR or LXOR with an integer type, or DART_OP_MINMAX with a basic type.
// RETURNS: the function, for single elements; for pairs with DART_OP_MINMAX.
shmemx_op_fn_t element_function(dart_operation_t op, dart_datatype_t type);

}  // namespace tessera::dart
