// SPDX-License-Identifier: BSD-3-Clause
//
// The localities of a team: its tree of domains, and the place of each of its units. They are made
// out of what each unit knows of all others (hardware.hpp), so without communication, and by the
// first question, because most teams are never asked for.
//
//   .        GLOBAL   the whole team
//   .0       NODE     units that share memory
//   .0.0     MODULE   the host; DART counts accelerators as further modules
//   .0.0.0   NUMA, PACKAGE, CACHE, CORE, as the machine nests them

#pragma once

#include <dash/dart/if/dart_locality_types.h>

#include <vector>

#include "core/team.hpp"

namespace tessera::dart {

struct TeamLocality {
    dart_domain_locality_t* root = nullptr;
    std::vector<dart_unit_locality_t> units{};
};

// Fills an empty one.
void make_locality(TeamLocality& locality, const Team& team);

}  // namespace tessera::dart
