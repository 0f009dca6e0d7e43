// SPDX-License-Identifier: BSD-3-Clause
//
// A unit proposes the number behind the last one that it has seen, and the highest proposal wins:
// one reduction of a word. When that count has passed the last number, units look for numbers that
// have become free: they combine bit maps of the numbers in use.
#include "teams/ids.hpp"

#include <shmemx.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace tessera::dart {

namespace {

// Only one thread creates teams at a time.
std::int32_t next_id = 1;

constexpr std::size_t kWords = kTeamIds / 64;
using UsedIds = std::array<std::uint64_t, kWords>;

int free_on_all(const Team& parent) {
    static UsedIds used;
    used.fill(0);
    for (int id = 0; id < kTeamIds; ++id) {
        if (find_team(static_cast<dart_team_t>(id)) != nullptr) {
            used[static_cast<std::size_t>(id) / 64] |= std::uint64_t{1} << (id % 64);
        }
    }
    if (shmemx_allreduce(parent.handle, used.data(), used.data(), kWords, SHMEMX_TYPE_UINT64,
                         SHMEMX_OP_OR) != 0) {
        return kNoTeamId;
    }
    const auto word = std::find_if(used.begin(), used.end(), [](auto bits) { return ~bits != 0; });
    if (word == used.end()) {
        return kNoTeamId;
    }
    return static_cast<int>(word - used.begin()) * 64 + std::countr_one(*word);
}

}  // namespace

int choose_team_id(const Team& parent) {
    std::int32_t id = 0;
    if (shmemx_allreduce(parent.handle, &id, &next_id, 1, SHMEMX_TYPE_INT32, SHMEMX_OP_MAX) != 0) {
        return kNoTeamId;
    }
    next_id = std::min(id + 1, kTeamIds);
    return id < kTeamIds ? id : free_on_all(parent);
}

int last_team_id() { return next_id - 1; }

void restart_team_ids() { next_id = 1; }

}  // namespace tessera::dart
