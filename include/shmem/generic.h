// SPDX-License-Identifier: BSD-3-Clause
//
// The type-generic interface (OpenSHMEM 1.6, 6 and the C11 prototypes of each routine): one name,
// such as shmem_put, for the routines of all types. Part of <shmem.h>, after all declarations.
//
// The routine is chosen by the type of the first data pointer: dest of a put, get or collective,
// source of a read (shmem_g, shmem_atomic_fetch), fetch of a nonblocking atomic, ivar or ivars of a
// wait or test. A context may stand before it where the routine has a shmem_ctx_ form, and a team
// stands before it in collectives. Everything else is as documented at the routine itself.
//
// On LP64 systems the exact-width types, size_t and ptrdiff_t are other names of basic types, so
// both languages list basic types only. int64_t is long; long long is a type of its own.

#ifndef SHMEM_INTERNAL_GENERIC_H
#define SHMEM_INTERNAL_GENERIC_H

// C11 and later: macros over _Generic. Empty in C99 and C++.
#include "generic_c11.h"

// C++11 and later: inline overloads, an extension of the specification. Empty in C.
#include "generic_cxx.h"

#endif  // SHMEM_INTERNAL_GENERIC_H
