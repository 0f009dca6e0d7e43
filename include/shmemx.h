// SPDX-License-Identifier: BSD-3-Clause
//
// Extensions of the Tessera library to OpenSHMEM. Every name here begins with shmemx_ or SHMEMX_,
// or is an implementation name as in <shmem.h>.

#ifndef SHMEM_INTERNAL_SHMEMX_H
#define SHMEM_INTERNAL_SHMEMX_H

#include "shmem.h"

/** The version of Tessera that the headers belong to, the one named in SHMEM_VENDOR_STRING. */
#define SHMEMX_VERSION_MAJOR 0
#define SHMEMX_VERSION_MINOR 1
#define SHMEMX_VERSION_PATCH 0

#endif  // SHMEM_INTERNAL_SHMEMX_H
