// SPDX-License-Identifier: BSD-3-Clause
//
// See exchange.hpp.
#include "tools/check/race/exchange.hpp"

#include <map>
#include <mutex>
#include <tuple>

namespace tessera::check::race {

namespace {

using interpose::ActiveSet;

std::map<std::tuple<int, int, int>, shmem_team_t> teams;
std::mutex mutex;

shmem_team_t team_of(const ActiveSet& set) {
    std::lock_guard guard(mutex);
    shmem_team_t& team = teams[{set.start, set.log_stride, set.size}];
    if (team == SHMEM_TEAM_INVALID) {
        std::vector<int> pes;
        for (int i = 0; i < set.size; ++i) pes.push_back(set.start + i * (1 << set.log_stride));
        pshmemx_team_create(SHMEM_TEAM_WORLD, pes.data(), set.size, nullptr, 0, &team);
    }
    return team;
}

}  // namespace

shmem_team_t team_of(const interpose::Call& call) {
    return call.set.size > 0 ? team_of(call.set) : call.team;
}

Clock join_of(shmem_team_t team, const Clock& mine) {
    Clock joined(mine.size());
    pshmemx_allreduce(team, joined.data(), mine.data(), mine.size() * kLanes, SHMEMX_TYPE_UINT32,
                      SHMEMX_OP_MAX);
    return joined;
}

Clock take_from(shmem_team_t team, const Clock& mine, int root) {
    Clock taken(mine);
    pshmemx_broadcast(team, taken.data(), mine.data(), mine.size(), sizeof(Progress), root);
    return taken;
}

void end_exchange() { teams.clear(); }

}  // namespace tessera::check::race
