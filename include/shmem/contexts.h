// SPDX-License-Identifier: BSD-3-Clause
//
// Communication contexts (OpenSHMEM 1.6, 9.5) and sessions (9.9): the handle type, the predefined
// handles, options and configuration. Operations are ordered and completed per context; a routine
// without a context argument uses SHMEM_CTX_DEFAULT.
//
// Part of <shmem.h>. The handles are address constants, as those of teams are (shmem/teams.h).

#ifndef SHMEM_INTERNAL_CONTEXTS_H
#define SHMEM_INTERNAL_CONTEXTS_H

#include "types.h"

/**
 * An opaque context handle: local to the PE. May be assigned and compared. A type of its own, not
 * void*, so that the type-generic routines can tell it from a data pointer.
 */
typedef struct shmem_internal_ctx* shmem_ctx_t;

/** No context. What a failed creation gives; fence, quiet and destroy on it do nothing. */
#define SHMEM_CTX_INVALID ((shmem_ctx_t)0)

/** The context of every routine without a context argument: all PEs, no options, any thread. */
#define SHMEM_CTX_DEFAULT ((shmem_ctx_t)1)

/** Option: the program never uses the context from two threads at the same time. */
#define SHMEM_CTX_SERIALIZED (1L << 0)

/** Option: only the thread that created the context uses it, and destroys it. */
#define SHMEM_CTX_PRIVATE (1L << 1)

/** Option: fence and quiet on the context need not order or complete plain memory stores. */
#define SHMEM_CTX_NOSTORE (1L << 2)

/** What a program may tell about a session. Only members whose mask bit is set are read. */
typedef struct {
    /** Operations that the session will issue, if known. Default SIZE_MAX: not known. */
    size_t total_ops;
} shmem_ctx_session_config_t;

/** Mask bit of shmem_ctx_session_config_t.total_ops. */
#define SHMEM_CTX_SESSION_TOTAL_OPS (1L << 0)

/** Session option: operations may be held back and issued together. */
#define SHMEM_CTX_SESSION_BATCH (1L << 3)

#endif  // SHMEM_INTERNAL_CONTEXTS_H
