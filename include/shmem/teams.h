// SPDX-License-Identifier: BSD-3-Clause
//
// Teams (OpenSHMEM 1.6, 9.4): the handle type, the predefined handles and the configuration. A team
// is an ordered set of PEs; PE numbers in a call that names a team count within that team.
//
// Part of <shmem.h>. The handles are address constants, so they initialize static objects in C and
// C++, and no data symbol of the library is needed for them. Copying and comparing handles is all a
// program may do with them.

#ifndef SHMEM_INTERNAL_TEAMS_H
#define SHMEM_INTERNAL_TEAMS_H

#include "types.h"

/**
 * An opaque team handle: local to the PE, never valid on another one. May be assigned, and compared
 * with SHMEM_TEAM_INVALID and the predefined handles.
 */
typedef struct shmem_internal_team* shmem_team_t;

/** No team. What a split gives to PEs outside the new team, and every failed creation. */
#define SHMEM_TEAM_INVALID ((shmem_team_t)0)

/** All PEs of the program, in PE order. */
#define SHMEM_TEAM_WORLD ((shmem_team_t)1)

/** The PEs whose heaps this PE can reach by loads and stores (shmem_ptr), itself included. */
#define SHMEM_TEAM_SHARED ((shmem_team_t)2)

/** What a program may ask of a new team. Only members whose mask bit is set are read. */
typedef struct {
    /** Contexts that one PE will have open on the team at the same time. Default 0. */
    int num_contexts;
} shmem_team_config_t;

/** Mask bit of shmem_team_config_t.num_contexts. */
#define SHMEM_TEAM_NUM_CONTEXTS (1L << 0)

#endif  // SHMEM_INTERNAL_TEAMS_H
