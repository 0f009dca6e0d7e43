// SPDX-License-Identifier: BSD-3-Clause
//
// OpenSHMEM 1.6, as the Tessera library offers it, for C99, C11, C++11 and later. One part per
// chapter of the specification; each says what its routines do.
//
// A program sees the names of the specification, and implementation names that begin with
// SHMEM_INTERNAL_ or shmem_internal_, which it must not use. Extensions are in <shmemx.h>,
// the pshmem_ names for profiling tools in <pshmem.h>. With SHMEM_INLINE defined, short operations
// within a node need no call (shmem/inline.h).

#ifndef SHMEM_INTERNAL_SHMEM_H
#define SHMEM_INTERNAL_SHMEM_H

// In the order of the specification, so the formatter is off.
// clang-format off
#include "shmem/setup.h"
#include "shmem/memory.h"
#include "shmem/teams.h"
#include "shmem/contexts.h"
#include "shmem/rma.h"
#include "shmem/atomics.h"
#include "shmem/signal.h"
#include "shmem/collectives.h"
#include "shmem/sync.h"
#include "shmem/ordering.h"
#include "shmem/locks.h"
#include "shmem/profiling.h"
#include "shmem/deprecated.h"
#ifdef SHMEM_INLINE
#include "shmem/inline.h"
#endif
#include "shmem/generic.h"
// clang-format on

#include "shmem/tables_end.h"

// Programs that adapt to an OpenSHMEM library by its macros take these two for Sandia OpenSHMEM,
// whose features we have as well: shmem4py then uses all of OpenSHMEM 1.5 (docs/run/porting.md).
#ifndef SHMEM_DEF_H
#define SHMEM_DEF_H 1
#endif
#ifndef SHMEM_FUNCTION_ATTRIBUTES
#define SHMEM_FUNCTION_ATTRIBUTES
#endif

#endif  // SHMEM_INTERNAL_SHMEM_H
