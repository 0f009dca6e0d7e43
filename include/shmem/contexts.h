// SPDX-License-Identifier: BSD-3-Clause
//
// Communication contexts (OpenSHMEM 1.6, 9.5) and sessions (9.9): handles, options, configuration,
// creation and queries. Operations are ordered and completed per context; a routine without a
// context argument uses SHMEM_CTX_DEFAULT. PE numbers in a call with a context count within the
// context's team.
//
// Part of <shmem.h>. The handles are address constants, as those of teams are (shmem/teams.h).
//
// ERRORS, for all: a handle that is neither SHMEM_CTX_INVALID nor a context that exists ends the
// job with a message. Each routine says what it does with SHMEM_CTX_INVALID.

#ifndef SHMEM_INTERNAL_CONTEXTS_H
#define SHMEM_INTERNAL_CONTEXTS_H

#include "teams.h"
#include "types.h"

/**
 * An opaque context handle: local to the PE. May be assigned and compared. A type of its own, not
 * void*, so that the type-generic routines can tell it from a data pointer.
 */
typedef struct shmem_internal_ctx* shmem_ctx_t;

/** No context: the result of a failed creation. Fence, quiet and destroy on it do nothing. */
#define SHMEM_CTX_INVALID SHMEM_INTERNAL_NO_HANDLE(shmem_ctx_t)

/** The context of every routine without a context argument: all PEs, no options, any thread. */
#define SHMEM_CTX_DEFAULT SHMEM_INTERNAL_HANDLE(shmem_ctx_t, 1)

/** Option: the program never uses the context from two threads at the same time. */
#define SHMEM_CTX_SERIALIZED (1L << 1)

/** Option: only the thread that created the context uses it, and destroys it. */
#define SHMEM_CTX_PRIVATE (1L << 0)

/** Option: fence and quiet on the context need not order or complete plain memory stores. */
#define SHMEM_CTX_NOSTORE (1L << 2)

/** Hints of a program about a session. Only members whose mask bit is set are read. */
typedef struct {
    /** Operations that the session will issue, if known. Default SIZE_MAX: not known. */
    size_t total_ops;
} shmem_ctx_session_config_t;

/** Mask bit of shmem_ctx_session_config_t.total_ops. */
#define SHMEM_CTX_SESSION_TOTAL_OPS (1L << 0)

/**
 * Session option: the library may hold operations back and issue them together, until fence, quiet,
 * a wait of the calling thread, the end of the session, or the last one of total_ops. Pays for
 * streams of atomics without a result, on one node on contexts that one thread uses at a time, and
 * of puts of up to 8 bytes to other nodes.
 */
#define SHMEM_CTX_SESSION_BATCH (1L << 3)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Creates a context on all PEs: shmem_team_create_ctx with SHMEM_TEAM_WORLD. Not collective.
 *
 * options    0, or SHMEM_CTX_SERIALIZED, SHMEM_CTX_PRIVATE and SHMEM_CTX_NOSTORE joined with |.
 * ctx        receives the context, or SHMEM_CTX_INVALID.
 *
 * RETURNS when: at once; local; 0, or nonzero when there is no context left to create.
 * ERRORS: see the top of this file. THREADS: as the thread level allows.
 * OpenSHMEM 1.6, 9.5, shmem_ctx_create.
 */
int shmem_ctx_create(long options, shmem_ctx_t* ctx) SHMEM_INTERNAL_NOTHROW;

/**
 * Creates a context on a team. Not collective; the other PEs of the team take no notice.
 *
 * team       a team that the PE is in. The context must be destroyed before it.
 * options    0, or SHMEM_CTX_SERIALIZED, SHMEM_CTX_PRIVATE and SHMEM_CTX_NOSTORE joined with |.
 * ctx        receives the context, or SHMEM_CTX_INVALID.
 *
 * RETURNS when: at once; local; 0, or nonzero when there is no context left to create or the team
 * is SHMEM_TEAM_INVALID.
 * ERRORS: see the top of this file; also a team that does not exist. THREADS: as the thread level
 * allows. OpenSHMEM 1.6, 9.5, shmem_team_create_ctx.
 */
int shmem_team_create_ctx(shmem_team_t team, long options, shmem_ctx_t* ctx) SHMEM_INTERNAL_NOTHROW;

/**
 * Completes the operations of a context, as shmem_ctx_quiet does, and destroys it. Not collective.
 *
 * ctx        a created context, or SHMEM_CTX_INVALID, which does nothing.
 *
 * RETURNS when: its operations are complete and the handle is no longer valid.
 * ERRORS: see the top of this file; also SHMEM_CTX_DEFAULT. THREADS: with no other routine on the
 * context at the same time; a private context by the thread that created it.
 * OpenSHMEM 1.6, 9.5, shmem_ctx_destroy.
 */
void shmem_ctx_destroy(shmem_ctx_t ctx) SHMEM_INTERNAL_NOTHROW;

/**
 * The team of a context.
 *
 * ctx        any context.
 * team       receives the team: SHMEM_TEAM_WORLD for SHMEM_CTX_DEFAULT and shmem_ctx_create.
 *
 * RETURNS when: at once; local; 0, or nonzero and SHMEM_TEAM_INVALID for SHMEM_CTX_INVALID.
 * ERRORS: see the top of this file. THREADS: any thread. OpenSHMEM 1.6, 9.5, shmem_ctx_get_team.
 */
int shmem_ctx_get_team(shmem_ctx_t ctx, shmem_team_t* team) SHMEM_INTERNAL_NOTHROW;

/**
 * Starts a session on a context: tells how the operations up to shmem_ctx_session_stop will be
 * issued, so that they can be made faster. On a context with a session it adds the options to those
 * in force and replaces the configuration members named. Orders and completes nothing, and changes
 * no result.
 *
 * ctx          any context; SHMEM_CTX_INVALID does nothing.
 * options      0, or SHMEM_CTX_SESSION_BATCH.
 * config       the hints about the session; may be NULL if config_mask is 0.
 * config_mask  SHMEM_CTX_SESSION_TOTAL_OPS, or 0 for nothing.
 *
 * RETURNS when: at once; local.
 * ERRORS: see the top of this file. THREADS: as the thread level and the context's options allow.
 * OpenSHMEM 1.6, 9.9, shmem_ctx_session_start.
 */
void shmem_ctx_session_start(shmem_ctx_t ctx, long options,
                             const shmem_ctx_session_config_t* config,
                             long config_mask) SHMEM_INTERNAL_NOTHROW;

/**
 * Ends the session of a context and issues the operations held back. Orders and completes nothing.
 *
 * ctx        any context; SHMEM_CTX_INVALID, and a context without a session, do nothing.
 *
 * RETURNS when: at once; local.
 * ERRORS: see the top of this file. THREADS: as the thread level and the context's options allow.
 * OpenSHMEM 1.6, 9.9, shmem_ctx_session_stop.
 */
void shmem_ctx_session_stop(shmem_ctx_t ctx) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_CONTEXTS_H
