// SPDX-License-Identifier: BSD-3-Clause
//
// The entry points of the collectives of the runtime layer (include/shmemx/collectives.h). They
// choose among the same lists as those of the specification (choice.hpp). An algorithm that needs
// symmetric arrays serves private ones through the team's staging memory (staging.hpp).
// THREADS: like collectives.
#pragma once

#include "collectives/choice.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/streams/call.hpp"
#include "progress/request.hpp"
#include "teams/team.hpp"

namespace tessera::collectives {

// ---- Calls of one member ----

// The caller sets the members that its collective needs:
//   broadcast                 source, dest, bytes, root; and out and in, as a move
//   moves                     out, in; bytes of a block where all blocks are equal
//   reduce to a root          source, dest, bytes, root, function
//   reduce                    source, dest, bytes, function
//   reduce_scatter            out, dest, function
inline RuntimeCall new_call(const Team& team) { return {team.npes, team.my_index}; }

RuntimeCall broadcast_call(const Team& team, void* dest, const void* source, std::size_t bytes,
                           int root);
RuntimeCall allgather_call(const Team& team, void* dest, const void* source, std::size_t bytes);
RuntimeCall alltoall_call(const Team& team, void* dest, const void* source, std::size_t bytes);
RuntimeCall vector_call(const Team& team, void* dest, const void* source, std::size_t bytes,
                        std::size_t element_bytes, const ReduceFunction& function);

// The parts of an array: the same for all members, a block of `bytes` for each, or none.
MemberParts same_for_all(const void* array, std::size_t bytes, int only = kAllMembers);
MemberParts block_for_each(const void* array, std::size_t bytes);
inline MemberParts no_parts() { return {.only = kNoMember}; }

// ---- Running them ----

// Whether the library has room for the team's messages; the same on all members.
inline bool can_carry(const Team& team) { return team.has_streams; }

// REQUIRES: can_carry(team). RETURNS when: dest is complete and source reusable here.
void run_call(Team& team, Collective collective, const RuntimeCall& call, const char* where);

// REQUIRES: can_carry(team). RETURNS: at once; the request.
shmemx_req_t start_call(Team& team, Collective collective, const RuntimeCall& call,
                        const char* where);

// Runs a call by an algorithm that takes it in this form (Algorithm::takes_runtime_calls()).
// RETURNS: whether the call is done; false, on all members alike: a source is out of reach, and
// nothing has happened.
bool run_by(const AlgorithmTraits& algorithm, Team& team, const RuntimeCall& call,
            const char* where);

// Runs a call by the algorithm that is chosen for it. If that one cannot do it, `call` notes why,
// and another one is chosen. `direct(algorithm)` runs one that takes the arguments in the form of
// its collective, and returns false if it cannot.
template <class Kind, class Direct>
void perform(const Group& group, Call& call, const RuntimeCall& arguments, Direct direct) {
    while (true) {
        const Algorithm<Kind>& algorithm = pick<Kind>(group, call);
        if (algorithm.takes_runtime_calls()) {
            if (run_by(algorithm, group.team(), arguments, group.where())) return;
            call.is_out_of_reach = true;
        } else {
            if (direct(algorithm)) return;
            call.can_stage = false;
        }
    }
}

}  // namespace tessera::collectives
