// SPDX-License-Identifier: BSD-3-Clause
//
// The groups of PEs that every collective is called with: predefined teams, teams of every kind of
// split, which overlap and run at the same time, and active sets.
#pragma once

#include <shmem.h>

#include <span>
#include <string>
#include <vector>

namespace tessera::conformance {

struct Group {
    std::string name;
    std::vector<int> pes;  // the members' numbers in the world, in the group's order
    int my_index = -1;     // -1: this PE is no member
    shmem_team_t team = SHMEM_TEAM_INVALID;
    int start = 0;  // start of an active set
    int log_stride = 0;

    bool is_member() const { return my_index >= 0; }
    int size() const { return static_cast<int>(pes.size()); }
};

// A collective's status; those of active sets have none.
inline constexpr int kNoStatus = 0;

// Each a list that is the same on all PEs but for PEs that are in different groups at the same
// time, like rows. The first call is collective.
std::span<const Group> team_groups();
std::span<const Group> active_set_groups();

// The working arrays of active sets, as the specification wants them: pSync, its elements
// SHMEM_SYNC_VALUE, and pWrk for reductions of any type. There are two pSync, used in turn: all PEs
// change them, then the members of a set call a collective.
void change_psync();
long* psync();
void* work_array();
// REQUIRES: all PEs have returned from the last collective.
void expect_psync_restored();

// Lets the PE whose turn it is come late: collectives must not rely on the others being there.
void come_late_in_turn(unsigned turn);

}  // namespace tessera::conformance
