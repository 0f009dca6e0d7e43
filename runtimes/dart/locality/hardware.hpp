// SPDX-License-Identifier: BSD-3-Clause
//
// The hardware that the calling unit runs on, and that of all units.

#pragma once

#include <dash/dart/if/dart_locality_types.h>

#include <vector>

namespace tessera::dart {

// The hardware of a unit, and the node, whose units share memory.
struct Location {
    dart_hwinfo_t hardware;
    int node;
};

// dart_init of every unit calls this. The first call reads where the unit runs and tells the other
// units; later calls do nothing, because units stay where they are.
void start_locations();

// RETURNS: the location of each unit of the program. REQUIRES: start_locations().
const std::vector<Location>& locations();

}  // namespace tessera::dart
