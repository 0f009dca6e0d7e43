// SPDX-License-Identifier: BSD-3-Clause
//
// Teams (OpenSHMEM 1.6, 9.4): handles, configuration, creation and queries. A team is an ordered
// set of PEs; PE numbers in a call that names a team count within that team. Its collectives are in
// shmem/collectives.h, its contexts in shmem/contexts.h.
//
// Part of <shmem.h>. The handles are address constants, so they initialize static objects in C and
// C++, and no data symbol of the library is needed for them. Copying and comparing handles is all a
// program may do with them.
//
// ERRORS, for all, here and in collectives: a call outside initialization and finalization, and a
// handle that is neither SHMEM_TEAM_INVALID nor a team that exists, end the job with a message.
// Each routine says what it does with SHMEM_TEAM_INVALID.

#ifndef SHMEM_INTERNAL_TEAMS_H
#define SHMEM_INTERNAL_TEAMS_H

#include "types.h"

/**
 * An opaque team handle: local to the PE, never valid on another one. May be assigned, and compared
 * with SHMEM_TEAM_INVALID and the predefined handles.
 */
typedef struct shmem_internal_team* shmem_team_t;

/** No team: the result on PEs outside the new team, and of every failed creation. */
#define SHMEM_TEAM_INVALID SHMEM_INTERNAL_NO_HANDLE(shmem_team_t)

// A program that declares variables of these names in a namespace of its own defines
// SHMEMX_TEAM_OBJECTS: then the predefined teams are no macros, but objects of the library with the
// same values (docs/run/porting.md).
#ifndef SHMEMX_TEAM_OBJECTS
/** All PEs of the program, in PE order. */
#define SHMEM_TEAM_WORLD SHMEM_INTERNAL_HANDLE(shmem_team_t, 1)

/** The PEs whose heaps this PE can reach by loads and stores (shmem_ptr), itself included. */
#define SHMEM_TEAM_SHARED SHMEM_INTERNAL_HANDLE(shmem_team_t, 2)
#else
#ifdef __cplusplus
extern "C" {
#endif
/** All PEs of the program, in PE order. */
extern const shmem_team_t SHMEM_TEAM_WORLD;

/** The PEs whose heaps this PE can reach by loads and stores (shmem_ptr), itself included. */
extern const shmem_team_t SHMEM_TEAM_SHARED;
#ifdef __cplusplus
}
#endif
#endif

/** Requests of a program for a new team. Only members whose mask bit is set are read. */
typedef struct {
    /** Contexts that one PE will have open on the team at the same time. Default 0. */
    int num_contexts;
} shmem_team_config_t;

/** Mask bit of shmem_team_config_t.num_contexts. */
#define SHMEM_TEAM_NUM_CONTEXTS (1L << 0)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The number of the calling PE in a team, 0 to shmem_team_n_pes(team) - 1.
 *
 * team       a team that the PE is in.
 *
 * RETURNS when: at once; local; the number, or -1 for SHMEM_TEAM_INVALID.
 * ERRORS: see the top of this file. THREADS: any thread. OpenSHMEM 1.6, 9.4, shmem_team_my_pe.
 */
int shmem_team_my_pe(shmem_team_t team) SHMEM_INTERNAL_NOTHROW;

/**
 * The number of PEs in a team.
 *
 * team       a team that the PE is in.
 *
 * RETURNS when: at once; local; the number, or -1 for SHMEM_TEAM_INVALID.
 * ERRORS: see the top of this file. THREADS: any thread. OpenSHMEM 1.6, 9.4, shmem_team_n_pes.
 */
int shmem_team_n_pes(shmem_team_t team) SHMEM_INTERNAL_NOTHROW;

/**
 * Gives the configuration of a team: the values requested at its creation, and defaults.
 *
 * team         a team that the PE is in.
 * config_mask  SHMEM_TEAM_NUM_CONTEXTS, or 0 for nothing.
 * config       receives the members whose bit is set; may be NULL if config_mask is 0.
 *
 * RETURNS when: at once; local; 0, or nonzero and nothing written for SHMEM_TEAM_INVALID.
 * ERRORS: see the top of this file. THREADS: any thread.
 * OpenSHMEM 1.6, 9.4, shmem_team_get_config.
 */
int shmem_team_get_config(shmem_team_t team, long config_mask,
                          shmem_team_config_t* config) SHMEM_INTERNAL_NOTHROW;

/**
 * Translates a PE number of one team into that of another.
 *
 * src_team   the team that src_pe counts in.
 * src_pe     PE number in src_team.
 * dest_team  the team to count in.
 *
 * RETURNS when: at once; local; the number in dest_team, or -1 if the PE is not in both teams, a
 * number is out of range or a team is SHMEM_TEAM_INVALID.
 * ERRORS: see the top of this file. THREADS: any thread.
 * OpenSHMEM 1.6, 9.4, shmem_team_translate_pe.
 */
int shmem_team_translate_pe(shmem_team_t src_team, int src_pe,
                            shmem_team_t dest_team) SHMEM_INTERNAL_NOTHROW;

/**
 * Creates a team of every stride-th PE of a team: its PE i is PE start + i * stride of the parent.
 * Collective over the parent, with the same start, stride and size on all its PEs. Another team
 * routine, also on the new team, may follow without synchronization.
 *
 * parent_team  the team to split.
 * start        parent's PE number of the new team's PE 0.
 * stride       distance of neighbours; negative reverses the order; 0 only with size 1.
 * size         number of PEs of the new team, at least 1.
 * config       the requests for the team; may be NULL if config_mask is 0.
 * config_mask  SHMEM_TEAM_NUM_CONTEXTS, or 0 for nothing.
 * new_team     receives the team on its PEs, SHMEM_TEAM_INVALID on the parent's others.
 *
 * RETURNS when: the team can be used; the same value on all PEs of the parent: 0, or nonzero, and
 * SHMEM_TEAM_INVALID everywhere, when the PEs named are not inside the parent or there is no
 * memory. SHMEM_TEAM_INVALID as parent: at once, nonzero. ERRORS: see the top of this file.
 * THREADS: one thread per PE and parent team at a time. OpenSHMEM 1.6, 9.4,
 * shmem_team_split_strided.
 */
int shmem_team_split_strided(shmem_team_t parent_team, int start, int stride, int size,
                             const shmem_team_config_t* config, long config_mask,
                             shmem_team_t* new_team) SHMEM_INTERNAL_NOTHROW;

/**
 * Creates two teams on each PE of a team, the row and the column it is in when the parent's PEs are
 * laid out in rows of xrange: PE p is in row p / xrange at place p % xrange. The last row may be
 * short. Collective over the parent, with the same xrange on all its PEs.
 *
 * parent_team   the team to split.
 * xrange        PEs in a row, at least 1; more than the parent has acts as one row.
 * xaxis_config, yaxis_config  the requests for the teams; may be NULL if the mask is 0.
 * xaxis_mask, yaxis_mask      SHMEM_TEAM_NUM_CONTEXTS, or 0 for nothing.
 * xaxis_team    receives the team of the PE's row, in the parent's order.
 * yaxis_team    receives the team of the PE's column, in the parent's order.
 *
 * RETURNS when: the teams can be used; the same value on all PEs of the parent: 0, or nonzero, and
 * SHMEM_TEAM_INVALID for both teams everywhere, when xrange is not positive or one of the teams
 * could not be created. SHMEM_TEAM_INVALID as parent: at once, nonzero.
 * ERRORS: see the top of this file. THREADS: one thread per PE and parent team at a time.
 * OpenSHMEM 1.6, 9.4, shmem_team_split_2d.
 */
int shmem_team_split_2d(shmem_team_t parent_team, int xrange,
                        const shmem_team_config_t* xaxis_config, long xaxis_mask,
                        shmem_team_t* xaxis_team, const shmem_team_config_t* yaxis_config,
                        long yaxis_mask, shmem_team_t* yaxis_team) SHMEM_INTERNAL_NOTHROW;

/**
 * Destroys a team and its shareable contexts; private ones must be destroyed before. Collective
 * over the team. SHMEM_TEAM_INVALID does nothing.
 *
 * team       a team from a split; no predefined team.
 *
 * RETURNS when: the handle is no longer valid on the calling PE; if the team has had collectives,
 * all members have called it.
 * ERRORS: see the top of this file; also a predefined team.
 * THREADS: one thread per PE, with no other routine on the team at the same time.
 * OpenSHMEM 1.6, 9.4, shmem_team_destroy.
 */
void shmem_team_destroy(shmem_team_t team) SHMEM_INTERNAL_NOTHROW;

/**
 * A pointer through which the calling PE can load and store a symmetric object of another PE of a
 * team: shmem_ptr with a PE number that counts in the team.
 *
 * team       a team that the PE is in.
 * dest       symmetric address of the object.
 * pe         PE number in the team; the own number gives dest itself.
 *
 * RETURNS when: at once; the pointer, or NULL if loads and stores cannot reach the object or the
 * team is SHMEM_TEAM_INVALID.
 * ERRORS: see the top of this file; also a PE number out of range. THREADS: any thread.
 * OpenSHMEM 1.6, 9.1, shmem_team_ptr.
 */
void* shmem_team_ptr(shmem_team_t team, const void* dest, int pe) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_TEAMS_H
