// SPDX-License-Identifier: BSD-3-Clause
//
// A group: a set of units by their global numbers, always ascending. Groups are local to a unit.
#pragma once

#include <dash/dart/if/dart_team_group.h>

#include <vector>

namespace tessera::dart {

struct Group {
    // Different numbers, ascending.
    std::vector<int> units{};
};

dart_group_t add_group(Group group);
// RETURNS: nullptr: no routine has made it, or it has ended.
Group* find_group(dart_group_t handle);

}  // namespace tessera::dart
