// SPDX-License-Identifier: BSD-3-Clause
//
// SHMEM_DEBUG=1: checks that the members of a team agree on the arguments of a collective of the
// runtime layer, before the call. A difference ends the job with both values. COST without
// SHMEM_DEBUG: a load. REQUIRES: can_carry(team) (runtime_calls.hpp). THREADS: like collectives.
#pragma once

#include <cstddef>

#include "collectives/streams/call.hpp"
#include "settings/config.hpp"
#include "teams/team.hpp"

namespace tessera::collectives {

struct Agreed {
    std::size_t nelems = 0;
    std::size_t element_bytes = 1;
    int root = 0;
};

void compare_arguments(Team& team, const Agreed& mine, const char* where);
void compare_parts(Team& team, const RuntimeCall& call, const char* where);
void compare_counts(Team& team, const std::size_t* counts, const char* where);

// The same routine with the same arguments.
inline void check_agreement(Team& team, const Agreed& mine, const char* where) {
    if (config().debug) compare_arguments(team, mine, where);
}
// Each member gives as much as the other one takes.
inline void check_parts(Team& team, const RuntimeCall& call, const char* where) {
    if (config().debug) compare_parts(team, call, where);
}
// The same count for each member.
inline void check_counts(Team& team, const std::size_t* counts, const char* where) {
    if (config().debug) compare_counts(team, counts, where);
}

}  // namespace tessera::collectives
