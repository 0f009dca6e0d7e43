// SPDX-License-Identifier: BSD-3-Clause
//
// Start and end of DART. A program may start and end it as often as it likes.

#ifndef DASH_DART_IF_DART_INITIALIZATION_H
#define DASH_DART_IF_DART_INITIALIZATION_H

#include <stdbool.h>

#include "dart_types.h"
#include "dart_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Starts DART. Collective over the program.
 *
 * argc, argv     the arguments of main; stay as they are.
 * thread_safety  receives the thread level: always DART_THREAD_MULTIPLE.
 *
 * RETURNS: DART_OK; DART_ERR_OTHER: DART runs already. THREADS: one.
 */
dart_ret_t dart_init(int* argc, char*** argv) DART_NOTHROW;
dart_ret_t dart_init_thread(int* argc, char*** argv,
                            dart_thread_support_level_t* thread_safety) DART_NOTHROW;

/**
 * Ends DART, with all teams and all global memory that the program still has. Collective over the
 * program.
 *
 * RETURNS: DART_OK; DART_ERR_NOTINIT: DART does not run. THREADS: one.
 */
dart_ret_t dart_exit(void) DART_NOTHROW;

/** Tells whether DART runs: from the begin of dart_init to the end of dart_exit. Local. */
bool dart_initialized(void) DART_NOTHROW;

/**
 * Ends all units of the program. Does not return.
 *
 * errorcode  the exit code of the program.
 */
void dart_abort(int errorcode) DART_NOTHROW __attribute__((noreturn));

#ifdef __cplusplus
}
#endif

#endif  // DASH_DART_IF_DART_INITIALIZATION_H
