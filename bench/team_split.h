// SPDX-License-Identifier: BSD-3-Clause
//
// Split the world's team and give the parts back, where the library has teams (OpenSHMEM 1.5): the
// one difference between versions in bench/micro, kept in one place.
#pragma once

#include "bench/measure.h"

#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5

enum { kHasTeams = 1 };

// Two halves, each PE in one, and back. Collective.
static inline void split_halves(void) {
    const int half = npes / 2, is_upper = me >= half;
    shmem_team_t lower = SHMEM_TEAM_INVALID, upper = SHMEM_TEAM_INVALID;
    if (half > 0) shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, half, NULL, 0, &lower);
    shmem_team_split_strided(SHMEM_TEAM_WORLD, half, 1, npes - half, NULL, 0, &upper);
    const shmem_team_t mine = is_upper ? upper : lower;
    const int expected = is_upper ? me - half : me;
    if (shmem_team_my_pe(mine) != expected) {
        give_up("team split: expected to be PE %d of a half, am %d", expected,
                shmem_team_my_pe(mine));
    }
    shmem_team_destroy(mine);
}

#else

enum { kHasTeams = 0 };
static inline void split_halves(void) {}

#endif
