// SPDX-License-Identifier: BSD-3-Clause
//
// A unit proposes the number behind the last one that it has seen, and the highest proposal wins:
// one reduction of a word. When that count has passed the last number, it goes round: from where it
// stands, units look for the next number that is free on all, in combined bit maps of the numbers
// in use. So a number comes back as late as possible.
#include "teams/ids.hpp"

#include <shmemx.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace tessera::dart {

namespace {

// Only one thread creates teams at a time.
std::int32_t next_id = 1;
constexpr std::int32_t kLastProposal = 1 << 30;

constexpr std::size_t kWords = kTeamIds / 64;
using UsedIds = std::array<std::uint64_t, kWords>;

// The first free number behind `start`, and round; kNoTeamId: all are in use.
int next_free(const UsedIds& used, int start) {
    for (int i = 0; i < kTeamIds; ++i) {
        const auto id = static_cast<std::size_t>((start + i) % kTeamIds);
        if ((used[id / 64] >> (id % 64) & 1) == 0) return static_cast<int>(id);
    }
    return kNoTeamId;
}

int free_on_all(const Team& parent, int start) {
    static UsedIds used;
    used.fill(0);
    for (int id = 0; id < kTeamIds; ++id) {
        if (find_team(static_cast<dart_team_t>(id)) != nullptr)
            used[static_cast<std::size_t>(id) / 64] |= std::uint64_t{1} << (id % 64);
    }
    if (shmemx_allreduce(parent.handle, used.data(), used.data(), kWords, SHMEMX_TYPE_UINT64,
                         SHMEMX_OP_OR) != 0) {
        return kNoTeamId;
    }
    return next_free(used, start);
}

}  // namespace

int choose_team_id(const Team& parent) {
    std::int32_t id = 0;
    if (shmemx_allreduce(parent.handle, &id, &next_id, 1, SHMEMX_TYPE_INT32, SHMEMX_OP_MAX) != 0)
        return kNoTeamId;
    // Beyond kTeamIds: the rounds behind the first one.
    next_id = id < kLastProposal ? id + 1 : kTeamIds;
    return id < kTeamIds ? id : free_on_all(parent, id % kTeamIds);
}

int last_team_id() { return std::min(next_id, kTeamIds) - 1; }

void restart_team_ids() { next_id = 1; }

}  // namespace tessera::dart
