// SPDX-License-Identifier: BSD-3-Clause
//
// The barriers of teams, one algorithm a file (active sets: active_set.hpp). All of them:
// RETURNS when: all members have called it; the earlier stores of each member are visible to all.
//
// A team uses the same algorithm for all its life, because each gate has one writer. In every sync
// a member waits for all gates that are posted to it. So nothing is under way to its flags when it
// returns, and the slot may go to another team with another algorithm.
#pragma once

#include "collectives/algorithm.hpp"
#include "messaging/deliver.hpp"
#include "teams/team.hpp"

namespace tessera::collectives {

struct Barrier {
    static constexpr Collective kCollective = Collective::kBarrier;
    using Run = SyncFunction;
};

// COST: one indirect call, then the algorithm's.
inline void sync(Team& team, const char* where) {
    team.flags->calls.note(where);
    team.sync(team, where);
}

// quiet on the default context, then sync.
inline void barrier(Team& team, const char* where) {
    deliver(default_context);
    team.flags->calls.note(where);
    team.sync_after_quiet(team, where);
}

}  // namespace tessera::collectives
