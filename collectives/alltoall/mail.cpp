// SPDX-License-Identifier: BSD-3-Clause
//
// Everybody leaves all its blocks in its own room, says so to all at once, and reads its block in
// each of the others' rooms as they come: nobody waits for anything but the data.
// COST: a, p lines of flags, and 2 p n b, all PEs at once. Restriction: a team with links on one
// node, p n <= 8 KiB.
#include <cstring>

#include "collectives/alltoall/algorithms.hpp"
#include "collectives/links.hpp"

namespace tessera::collectives {

void alltoall_mail(const Group& group, void* dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    const Links links(group.team(), group.where());
    std::memcpy(links.room(), source, static_cast<std::size_t>(group.npes()) * bytes);
    links.show_mine();
    const std::size_t mine = static_cast<std::size_t>(group.my_index()) * bytes;
    for_each_from_neighbour(group, [&](int index) {
        collective_context.put(static_cast<char*>(dest) + static_cast<std::size_t>(index) * bytes,
                               links.room_of(index) + mine, bytes, group.world_pe(group.my_index()),
                               group.where());
    });
}

}  // namespace tessera::collectives
