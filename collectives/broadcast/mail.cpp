// SPDX-License-Identifier: BSD-3-Clause
//
// The root leaves the data in one of its slots and goes on; the others read it there when they
// come. So members may be several broadcasts apart: each takes the next slot, and before the first
// is taken again there is a sync, behind which all have read.
// COST: a + n b, and a sync every 8 calls. Restriction: a team with links on one node, at most 8
// KiB.
#include "collectives/broadcast/algorithms.hpp"
#include "collectives/links.hpp"

namespace tessera::collectives {

void broadcast_mail(const Group& group, void* dest, const void* source, std::size_t bytes, int root,
                    RootDest root_dest) {
    if (bytes == 0) return;
    Team& team = group.team();
    const std::uint32_t slot = team.left++ % kLeftSlots;
    if (slot == 0) group.sync();
    const Links links = Links::of_left(team, group.where());
    if (group.my_index() == root) {
        links.leave_for_all(slot, source, bytes);
        return copy_at_root(group, dest, source, bytes, root_dest);
    }
    collective_context.put(dest, links.left_for_all(root, slot), bytes,
                           group.world_pe(group.my_index()), group.where());
}

}  // namespace tessera::collectives
