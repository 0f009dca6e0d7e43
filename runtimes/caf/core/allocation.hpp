// SPDX-License-Identifier: BSD-3-Clause
//
// The agreement of a team on what it allocates or frees: allocate and deallocate of coarrays are
// collective, and images that differ would use memory that they do not share.

#pragma once

#include <cstddef>
#include <cstdint>

#include "core/team.hpp"

namespace tessera::caf {

struct Allocation {
    const char* statement;  // "allocate", "deallocate"
    const char* verb;       // "allocates", "frees"
    std::size_t bytes;
    // The variable or the coarray, by an address in it. Compared where it is symmetric.
    const void* object;
};

// sync_members(), and the comparison. ERRORS: an image that differs from the first one ends the
// program with a message. RETURNS: the status of sync_members().
// COST: besides the barrier, two stores and two loads from the first image.
int sync_allocation(Team& team, const Allocation& mine);

}  // namespace tessera::caf
