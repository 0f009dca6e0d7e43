// SPDX-License-Identifier: BSD-3-Clause
//
// Everybody leaves its vector in its own room, says so to all at once, and combines all of them
// where they lie, in the order of the members, so that all get the same bits. Nobody waits for
// anything but the data; in place is safe, for the source has been left.
// COST: a, p lines of flags, and n b + n p c, all PEs at once. Restriction: a team with links on
// one node, at most 8 KiB. Any operation.
#include <cstring>

#include "collectives/reduce/algorithms.hpp"

namespace tessera::collectives {

void reduce_mail(const Reduction& call) {
    const Links links(call.group.team(), call.group.where());
    std::memcpy(links.room(), call.source, call.bytes());
    links.show_mine();
    std::memcpy(call.dest, links.room_of(0), call.bytes());
    for (int index = 1; index < call.group.npes(); ++index) {
        call.kernel.combine(call.dest, links.room_of(index), call.nelems);
    }
}

}  // namespace tessera::collectives
