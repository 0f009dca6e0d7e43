// SPDX-License-Identifier: BSD-3-Clause
//
// The PEs of one collective call: a team, or an active set of the deprecated routines with its
// pSync. Algorithms are written against this and know neither. Lives for one call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectives/barrier/active_set.hpp"
#include "teams/team.hpp"

namespace tessera::collectives {

class Group {
  public:
    // `where` names the public routine.
    Group(Team& team, const char* where);
    // REQUIRES: is_in_active_set().
    Group(const ActiveSet& set, long* psync, const char* where);

    bool is_team() const { return team_ != nullptr; }
    // REQUIRES: is_team().
    Team& team() const { return *team_; }

    int npes() const { return npes_; }
    int my_index() const { return my_index_; }
    int world_pe(int index) const {
        return team_ != nullptr ? team_->world_pe(index) : set_.start + (index << set_.log_stride);
    }
    const char* where() const { return where_; }

    // RETURNS when: all PEs of the group have called it; the earlier stores of each PE are visible
    // to all.
    void sync() const;

    // For osh_hang: the root of the call.
    void note_root(int root) const {
        if (team_ != nullptr) team_->flags->calls.note_root(root);
    }

    // To be called before the sync that announces the data. RETURNS when: this PE's puts to other
    // PEs of the group are visible there, and its gets are complete here.
    void deliver() const;

    // Ends the job when dest is too small for the contributions of all members (collect).
    void check_room(const void* dest, std::size_t bytes) const;

    // Shows a number that the others may read between this PE's next sync and the one after it.
    void show(std::uint64_t value) const;
    std::uint64_t shown_by(int index) const;
    // After the last sync of a call that used show(): pSync must be as it was.
    void hide() const;

  private:
    Team* team_ = nullptr;  // nullptr: an active set
    ActiveSet set_;
    long* psync_ = nullptr;
    int npes_;
    int my_index_;
    const char* where_;
};

// Calls visit(index) for all PEs of the group, the caller's right neighbour first, so that not all
// PEs read the same memory at the same time.
template <class Visit>
void for_each_from_neighbour(const Group& group, Visit visit) {
    int index = group.my_index();
    for (int i = 0; i < group.npes(); ++i) {
        if (++index == group.npes()) index = 0;
        visit(index);
    }
}

}  // namespace tessera::collectives
