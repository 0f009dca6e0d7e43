/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An array that a collective gets. fortran/descriptor.c, which each Fortran compiler's descriptors
 * need one of, makes it of them.
 */
#pragma once

#include <stddef.h>

enum tessera_prif_type {
    TESSERA_PRIF_OTHER, /* bytes */
    TESSERA_PRIF_INTEGER,
    TESSERA_PRIF_REAL,
    TESSERA_PRIF_COMPLEX,
    TESSERA_PRIF_EXTENDED_REAL,    /* kind 10 */
    TESSERA_PRIF_EXTENDED_COMPLEX, /* kind 10 */
    TESSERA_PRIF_CHARACTER
};

struct tessera_prif_array {
    void* base;
    size_t element_bytes;
    enum tessera_prif_type type;
    int rank; /* -1: an array of assumed size, whose last extent no one knows */
    size_t extents[15];
    ptrdiff_t strides[15]; /* bytes */
};
