// SPDX-License-Identifier: BSD-3-Clause
//
// See team.hpp.
#include "teams/team.hpp"

#include "base/fatal.hpp"
#include "core/address_map.hpp"

namespace tessera {

Team& world_team = *new Team;

void Team::fail_index(int index, const char* where) const {
    check_initialized(where);
    fatal("%s: pe %d is not in [0, %d), the PEs of the context's team", where, index, npes);
}

}  // namespace tessera
