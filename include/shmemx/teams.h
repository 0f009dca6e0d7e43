// SPDX-License-Identifier: BSD-3-Clause
//
// Teams of any members, in any order, for runtimes. Part of <shmemx.h>. The handles are those of
// OpenSHMEM 1.6, 9.4: every routine that takes a team takes these teams, and shmem_team_destroy
// ends them.
//
// ERRORS, for all: a call outside initialization and finalization, and a handle that is neither
// SHMEM_TEAM_INVALID nor a team that exists, end the job with a message.

#ifndef SHMEM_INTERNAL_SHMEMX_TEAMS_H
#define SHMEM_INTERNAL_SHMEMX_TEAMS_H

#include "../shmem/teams.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Splits a team by colors: all PEs that give the same color become a team, in the order of their
 * keys, and of their numbers in the parent where keys are equal. Collective over the parent.
 * Another team routine, also on the new team, may follow without synchronization.
 *
 * parent_team  the team to split.
 * color        the PE's new team; negative: the PE is in no new team.
 * key          orders the PEs of a color, the smallest first; any values.
 * config       the requests for the team; may be NULL if config_mask is 0.
 * config_mask  SHMEM_TEAM_NUM_CONTEXTS, or 0 for nothing.
 * new_team     receives the team, SHMEM_TEAM_INVALID where color is negative.
 *
 * RETURNS when: the team can be used; the same value on all PEs of the parent: 0, or nonzero, and
 * SHMEM_TEAM_INVALID everywhere, when there is no memory. SHMEM_TEAM_INVALID as parent: at once,
 * nonzero. ERRORS: see the top of this file. THREADS: one thread per PE and parent team at a time.
 */
int shmemx_team_split_color(shmem_team_t parent_team, int color, int key,
                            const shmem_team_config_t* config, long config_mask,
                            shmem_team_t* new_team) SHMEM_INTERNAL_NOTHROW;

/**
 * Creates a team of the PEs of a list: its PE i is PE pes[i] of the parent. Collective over the PEs
 * of the list only, each with the same list; the parent's other PEs do nothing. Creations of lists
 * that have PEs in common come in the same order on those PEs; others may come at the same time.
 *
 * parent_team  the team that the numbers count in. It is not synchronized.
 * pes          different numbers of PEs of the parent, in any order, the calling PE's among them.
 * npes         their number, at least 1.
 * config       the requests for the team; may be NULL if config_mask is 0.
 * config_mask  SHMEM_TEAM_NUM_CONTEXTS, or 0 for nothing.
 * new_team     receives the team.
 *
 * RETURNS when: the team can be used, and all PEs of the list have called it; the same value on all
 * of them: 0, or nonzero, and SHMEM_TEAM_INVALID, when there is no memory. SHMEM_TEAM_INVALID as
 * parent: at once, nonzero. pes may be reused.
 * ERRORS: see the top of this file; also a number out of range or twice in the list, and a list
 * without the calling PE. THREADS: any; different lists also in different threads, of which up to
 * 64 are served at a time; the same list by one thread per PE at a time.
 */
int shmemx_team_create(shmem_team_t parent_team, const int* pes, int npes,
                       const shmem_team_config_t* config, long config_mask,
                       shmem_team_t* new_team) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif  // SHMEM_INTERNAL_SHMEMX_TEAMS_H
