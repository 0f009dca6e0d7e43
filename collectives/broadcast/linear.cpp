// SPDX-License-Identifier: BSD-3-Clause
//
// The root puts the data to one member after the other, and tells each when it is there. The sync
// before says that all dests may be written.
// COST: a sync + (p-1) (a + n b), all of it at the root. Restriction: a team with links.
#include "collectives/broadcast/algorithms.hpp"
#include "collectives/links.hpp"

namespace tessera::collectives {

void broadcast_linear(const Group& group, void* dest, const void* source, std::size_t bytes,
                      int root, RootDest root_dest) {
    if (bytes == 0) return;
    const Places places(group, root);
    const Links links(group.team(), group.where());
    group.sync();
    if (!places.is_root()) return links.wait(LinkKind::kDone, 0);
    for (int place = 1; place < group.npes(); ++place) {
        const int index = places.index_of(place);
        collective_context.put(dest, source, bytes, group.world_pe(index), group.where());
        links.post(LinkKind::kDone, 0, index);
    }
    copy_at_root(group, dest, source, bytes, root_dest);
}

}  // namespace tessera::collectives
