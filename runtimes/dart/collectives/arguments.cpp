// SPDX-License-Identifier: BSD-3-Clause
//
// Checks of arguments (arguments.hpp).

#include "collectives/arguments.hpp"

#include "core/log.hpp"
#include "core/types.hpp"

namespace tessera::dart {

const Team* team_of_call(dart_team_t id, const char* routine) {
    const Team* team = find_team(id);
    if (team == nullptr) [[unlikely]] {
        fail(DART_ERR_INVAL, routine,
             "team %d does not exist; DART runs, and dart_team_create "
             "has given it?",
             id);
    }
    return team;
}

std::size_t element_bytes(dart_datatype_t type, const char* routine) {
    const std::size_t bytes = contiguous_bytes(type);
    if (bytes == 0) [[unlikely]] {
        fail(DART_ERR_INVAL, routine, "type %ld is neither a basic nor a custom type",
             static_cast<long>(type));
    }
    return bytes;
}

bool is_root(const Team& team, dart_team_unit_t root, const char* routine) {
    if (root.id < 0 || root.id >= team.size) [[unlikely]] {
        fail(DART_ERR_INVAL, routine, "root %d is not in [0, %d), the units of team %d", root.id,
             team.size, team.id);
        return false;
    }
    return true;
}

dart_ret_t result_of(int status, const char* routine) {
    if (status != 0) [[unlikely]] {
        return fail(DART_ERR_OTHER, routine,
                    "a unit is in more than 256 teams at once, or the team has more than 3584 "
                    "units: destroy teams that are no longer needed");
    }
    return DART_OK;
}

}  // namespace tessera::dart
