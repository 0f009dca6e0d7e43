// SPDX-License-Identifier: BSD-3-Clause
//
// Places in the program, for the messages of runtimes. Part of <shmemx.h>.
//
// The messages of this library name the line of the program that made the call. A runtime, which
// stands between the program and this library and ends the job with messages of its own, asks for
// the same line.

#ifndef SHMEM_INTERNAL_SHMEMX_PLACES_H
#define SHMEM_INTERNAL_SHMEMX_PLACES_H

#include "../shmem/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Tells where the program's own code stands: the innermost call of the calling thread that neither
 * this library nor a runtime over it makes.
 *
 * text       receives "called by FUNCTION (FILE:LINE)"; "" where the program has no debug
 *            information, and with SHMEM_BACKTRACE=0.
 * bytes      the room in text, 1 or more; a longer text is cut.
 *
 * RETURNS when: text is there; local. COST: milliseconds and more, as a process reads the debug
 * information: for messages only. ERRORS: none. THREADS: any thread, at any time.
 */
void shmemx_call_place(char* text, size_t bytes) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_SHMEMX_PLACES_H
