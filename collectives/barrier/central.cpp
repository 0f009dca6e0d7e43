// SPDX-License-Identifier: BSD-3-Clause
//
// Central counter: everybody adds one, the last one releases all (base/central_sync.hpp).
// COST: p a for the counter's line, but each PE sleeps and wakes at most once, so it wins when PEs
// share cores. Restriction: all members on one node.
#include "collectives/barrier/algorithms.hpp"

namespace tessera::collectives {

void sync_central(Team& team, const char* where) {
    team.central->meet(static_cast<std::uint32_t>(team.npes), where);
}

}  // namespace tessera::collectives
