// SPDX-License-Identifier: BSD-3-Clause
//
// See group.hpp.
#include "collectives/group.hpp"

#include "base/fatal.hpp"
#include "core/context.hpp"
#include "core/pe_state.hpp"
#include "messaging/deliver.hpp"
#include "messaging/operands.hpp"
#include "shmem/deprecated.h"

namespace tessera::collectives {
namespace {

// Words 0 and 1 of pSync belong to sync_active_set().
constexpr int kShownWord = 2;

}  // namespace

Group::Group(Team& team, const char* where)
    : team_(&team), npes_(team.npes), my_index_(team.my_index), where_(where) {}

Group::Group(const ActiveSet& set, long* psync, const char* where)
    : set_(set),
      psync_(psync),
      npes_(set.size),
      my_index_((world_team.my_index - set.start) >> set.log_stride),
      where_(where) {
    // All PEs: the stride is 1.
    if (pe_state.world_serves_active_sets && npes_ == world_team.npes) {
        check_symmetric(psync, sizeof(long), where);
        team_ = &world_team;
    }
}

void Group::sync() const {
    if (team_ != nullptr) {
        team_->sync(*team_, where_);
    } else {
        sync_active_set(set_, psync_, where_);
    }
}

void Group::deliver() const { tessera::deliver(collective_context); }

void Group::check_room(const void* dest, std::size_t bytes) const {
    check_ends_inside(dest, bytes, where_);
}

void Group::show(std::uint64_t value) const {
    if (team_ != nullptr) {
        team_->my_flags().shown = value;
    } else {
        psync_[kShownWord] = static_cast<long>(value);
    }
}

std::uint64_t Group::shown_by(int index) const {
    if (team_ != nullptr) return team_->shown_by(index);
    return static_cast<std::uint64_t>(
        collective_context.g(psync_ + kShownWord, world_pe(index), where_));
}

void Group::hide() const {
    if (team_ == nullptr) psync_[kShownWord] = SHMEM_SYNC_VALUE;
}

}  // namespace tessera::collectives
