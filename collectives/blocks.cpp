// SPDX-License-Identifier: BSD-3-Clause
//
// See blocks.hpp.
#include "collectives/blocks.hpp"

#include "collectives/choice.hpp"

namespace tessera::collectives {

bool Blocks::exceed_caches(const Group& group, std::size_t touched) {
    if (!group.is_team()) return false;  // An active set does not know its PEs on this node.
    const double members = group.team().largest_node;
    return members * static_cast<double>(touched) > machine().cache_bytes;
}

}  // namespace tessera::collectives
