// SPDX-License-Identifier: BSD-3-Clause
//
// A group: a set of units by their global numbers, always ascending. Groups are local to a unit.
#pragma once

#include <vector>

// The object that a dart_group_t points to.
struct dart_group_struct {
    // Different numbers, ascending.
    std::vector<int> units;
};
