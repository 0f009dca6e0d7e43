// SPDX-License-Identifier: BSD-3-Clause
//
// The trace of this process from shmem_init to shmem_finalize, and its state that threads share:
// the parts, the teams, the heap's use, the algorithms. The observer calls it on paths where a lock
// costs little. It makes no collective call of its own: a PE that is linked statically is not
// traced, and must not be missed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "operations.hpp"
#include "pshmem.h"
#include "recorder.hpp"

namespace tessera::trace {

// After an initialization, and after a finalization; only the first and the last one count.
void begin_session(std::uint64_t start_ns);
void end_session(std::uint64_t start_ns);

// The part that has what the threads share. nullptr: nothing is recorded.
Part* main_part();

// ---- Collectives (collectives.cpp) ----

// The members of a collective: a team, or an active set of the deprecated routines.
struct Members {
    shmem_team_t team;
    int start, log_stride, size;  // size 0: `team` counts
};

void end_collective(const interpose::Call& call, const Members& members, std::uint64_t bytes);
// For barriers and syncs, whose operation is known.
void end_barrier(Operation operation, const interpose::Call& call, const Members& members);
// A handle may mean another team from now on.
void forget_teams();

// ---- The symmetric heap (heap_use.cpp) ----

void note_allocation(const void* address, std::size_t bytes);
void note_free(const void* address);

}  // namespace tessera::trace
