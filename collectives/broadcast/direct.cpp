// SPDX-License-Identifier: BSD-3-Clause
//
// Everybody gets the data from the root's source, all at the same time. The first sync says that
// the source is ready, the second one that the root may change it.
// COST: 2 syncs, and bytes b for each PE at once; the root's memory is the bottleneck. Any group.
#include "collectives/broadcast/direct.hpp"

#include "collectives/blocks.hpp"

namespace tessera::collectives {

void broadcast_direct(const Group& group, void* dest, const void* source, std::size_t bytes,
                      int root, RootDest root_dest) {
    if (bytes == 0) return;
    const bool is_root = group.my_index() == root;
    group.sync();
    // In place (dest == source) the root has what it needs, and the others copy between PEs.
    if (!is_root || (root_dest == RootDest::kWritten && dest != source)) {
        const Blocks blocks(group, bytes, bytes);
        blocks.get(dest, source, root);
        group.deliver();
    }
    group.sync();
}

}  // namespace tessera::collectives
