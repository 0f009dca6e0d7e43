// SPDX-License-Identifier: BSD-3-Clause
//
// Profiling (OpenSHMEM 1.6, 10): the one routine a program calls. Part of <shmem.h>. The pshmem_
// names that a profiling tool calls are declared in <pshmem.h>.

#ifndef SHMEM_INTERNAL_PROFILING_H
#define SHMEM_INTERNAL_PROFILING_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Controls a profiling tool. The library itself ignores it; a tool replaces it.
 *
 * level      0 or less: profiling off; 1: normal detail; 2: flush; more: defined by the tool.
 * ...        defined by the tool.
 *
 * RETURNS when: at once; local. ERRORS: none. THREADS: any thread.
 * OpenSHMEM 1.6, 10, shmem_pcontrol.
 */
void shmem_pcontrol(int level, ...) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_PROFILING_H
