// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: teams by their numbers. A number is an index, so a lookup is a load and a compare.
//
// The units of a team are in ascending order of their global numbers. Members at equal distances,
// which are most teams, are a formula; others are a list.
#pragma once

#include <dash/dart/if/dart_team_group.h>
#include <dash/dart/if/dart_types.h>
#include <shmem.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/node.hpp"
#include "core/segments.hpp"

namespace tessera::dart {

class Team {
  public:
    // A unit's calls of collectives, as others of the team see them (collectives/arguments.hpp). In
    // team memory; its owner alone writes.
    struct Calls {
        std::uint64_t made;
        std::uint64_t last_failed;  // the number of the last call with a mistake of this unit
    };

    // REQUIRES: units that ascend, and calls that are 0; the team frees them.
    Team(dart_team_t team_id, shmem_team_t team_handle, const std::vector<int>& units,
         Calls* calls);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    // REQUIRES: 0 <= unit < size.
    int global_unit(int unit) const {
        return list_ == nullptr ? first_ + unit * stride_ : list_[static_cast<std::size_t>(unit)];
    }
    // RETURNS: the number in the team; -1: the unit is no member.
    int unit_of(int global_unit) const;
    std::vector<int> units() const;

    // One more call of a collective. Others that see it see, too, whether it has failed.
    void note_call(bool is_possible) {
        const std::uint64_t call = calls_->made + 1;
        if (!is_possible) [[unlikely]]
            store(calls_->last_failed, call);
        store(calls_->made, call);
    }
    // Whether a unit has come to the calling unit's last call, and with a mistake.
    bool has_made_call(int unit) const;
    bool has_failed(int unit) const;

    const dart_team_t id;
    const shmem_team_t handle;
    const int size;
    const int my_id;  // -1: this unit is no member
    SegmentTable segments;

  private:
    // For has_made_call() and has_failed() of other units. Pairs with src/core/context.hpp:fetch.
    static void store(std::uint64_t& word, std::uint64_t value) {
        std::atomic_ref(word).store(value, std::memory_order_release);
        if (!node.is_coherent) [[unlikely]]
            publish(word);
    }
    static void publish(const std::uint64_t& word);

    Calls* const calls_;
    int first_ = 0;
    int stride_ = 1;
    std::unique_ptr<int[]> list_{};  // nullptr: the units are a formula
};

// Numbers of teams: [0, kTeamIds).
inline constexpr int kTeamIds = INT16_MAX + 1;
namespace detail {
inline std::atomic<Team*> teams[kTeamIds];
}

// RETURNS: nullptr: this unit is in no team of that number, or DART does not run. Pairs with
// teams/teams.cpp:add_team, teams/live_teams.cpp:start_teams and teams/live_teams.cpp:end_team.
inline Team* find_team(dart_team_t id) {
    const auto index = static_cast<std::uint16_t>(id);
    if (index >= kTeamIds) [[unlikely]]
        return nullptr;
    return detail::teams[index].load(std::memory_order_acquire);
}

}  // namespace tessera::dart
