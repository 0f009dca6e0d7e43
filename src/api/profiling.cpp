// SPDX-License-Identifier: BSD-3-Clause
//
// Profiling control (OpenSHMEM 1.6, 10). The pshmem_ names come from SHMEM_ENTRY.
#include "shmem/profiling.h"

#include "api/entry.hpp"

// Does nothing by itself: a tool replaces it.
SHMEM_ENTRY(void, shmem_pcontrol, int, ...) {}
