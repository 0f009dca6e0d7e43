// SPDX-License-Identifier: BSD-3-Clause
//
// The root leaves the data in its next slots and goes on; the others read it there when they come.
// So members may be several broadcasts apart: all count the slots that are used, and before the
// first is taken again there is a sync, behind which all have read.
// COST: a + n b, and a sync every 32 calls; every 8 calls of the longest. Restriction: a team with
// links on one node, at most 8 KiB.
#include "collectives/broadcast/algorithms.hpp"
#include "collectives/links.hpp"

namespace tessera::collectives {

void broadcast_mail(const Group& group, void* dest, const void* source, std::size_t bytes, int root,
                    RootDest root_dest) {
    if (bytes == 0) return;
    Team& team = group.team();
    const auto slots = static_cast<std::uint32_t>((bytes + kLeftSlotBytes - 1) / kLeftSlotBytes);
    if (slots > team.left_free) {
        group.sync();
        team.left_free = kLeftSlots;
    }
    const std::uint32_t slot = kLeftSlots - team.left_free;
    team.left_free -= slots;
    const Links links = Links::of_left(team, group.where());
    if (group.my_index() == root) {
        links.leave_for_all(slot, source, bytes);
        return copy_at_root(group, dest, source, bytes, root_dest);
    }
    collective_context.put(dest, links.left_for_all(root, slot), bytes,
                           group.world_pe(group.my_index()), group.where());
}

}  // namespace tessera::collectives
