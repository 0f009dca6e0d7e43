// SPDX-License-Identifier: BSD-3-Clause
//
// The entry points of the collectives of the runtime layer (include/shmemx/collectives.h). On one
// node blocking calls read the sources where they are exposed (exposure/); all others go over the
// streams of the team (streams/). THREADS: like collectives.
#pragma once

#include "collectives/streams/call.hpp"
#include "progress/request.hpp"
#include "teams/team.hpp"

namespace tessera::collectives {

enum class RuntimeCollective : std::uint8_t {
    kBarrier,
    kBroadcast,      // call.source, dest, bytes, root; and out and in, as kExchange
    kExchange,       // call.out, call.in
    kReduce,         // call.source, dest, bytes, root
    kAllreduce,      // call.source, dest, bytes
    kReduceScatter,  // call.out, dest
};

// A call of this member; the caller sets the members that its kind needs.
inline RuntimeCall new_call(const Team& team) { return {team.npes, team.my_index}; }

// Whether the library has room for the team's messages; the same on all members.
inline bool can_carry(const Team& team) { return team.has_streams && team.has_mailboxes; }

// REQUIRES: can_carry(team). RETURNS when: dest is complete and source reusable here.
void run_call(Team& team, RuntimeCollective collective, const RuntimeCall& call, const char* where);

// REQUIRES: can_carry(team). RETURNS: at once; the request.
shmemx_req_t start_call(Team& team, RuntimeCollective collective, const RuntimeCall& call,
                        const char* where);

}  // namespace tessera::collectives
