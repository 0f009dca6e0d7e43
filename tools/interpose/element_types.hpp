// SPDX-License-Identifier: BSD-3-Clause
//
// The elements of routines of shmemx.h that take the code of a type.
#pragma once

#include <cstddef>

#include "pshmemx.h"

namespace tessera::interpose {

// The bytes of an element of a SHMEMX_TYPE_.
inline std::size_t element_bytes_of(int type) {
    switch (type) {
        case SHMEMX_TYPE_INT8:
        case SHMEMX_TYPE_UINT8: return 1;
        case SHMEMX_TYPE_INT16:
        case SHMEMX_TYPE_UINT16: return 2;
        case SHMEMX_TYPE_INT32:
        case SHMEMX_TYPE_UINT32:
        case SHMEMX_TYPE_FLOAT: return 4;
        case SHMEMX_TYPE_LONG_DOUBLE:
        case SHMEMX_TYPE_COMPLEX_DOUBLE: return 16;
        default: return 8;
    }
}

// The same of a reduction: with SHMEMX_OP_MINLOC and SHMEMX_OP_MAXLOC a value has its location.
inline std::size_t element_bytes_of(int type, int op) {
    if (op != SHMEMX_OP_MINLOC && op != SHMEMX_OP_MAXLOC) return element_bytes_of(type);
    return type == SHMEMX_TYPE_LONG_DOUBLE ? sizeof(shmemx_longdouble_loc_t)
                                           : sizeof(shmemx_int64_loc_t);
}

}  // namespace tessera::interpose
