// SPDX-License-Identifier: BSD-3-Clause
//
// Everybody leaves its block in its own room, says so to all at once, and reads all others' blocks
// as they come: nobody waits for anything but the data.
// COST: a, p lines of flags, and n b to leave + p n b to read, all PEs at once. Restriction: a team
// with links on one node, at most 8 KiB a member.
#include <cstring>

#include "collectives/collect/algorithms.hpp"
#include "collectives/links.hpp"

namespace tessera::collectives {

void fcollect_mail(const Group& group, void* dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    const Links links(group.team(), group.where());
    std::memcpy(links.room(), source, bytes);
    links.show_mine();
    for_each_from_neighbour(group, [&](int index) {
        collective_context.put(static_cast<char*>(dest) + static_cast<std::size_t>(index) * bytes,
                               links.room_of(index), bytes, group.world_pe(group.my_index()),
                               group.where());
    });
}

}  // namespace tessera::collectives
