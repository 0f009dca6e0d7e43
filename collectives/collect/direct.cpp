// SPDX-License-Identifier: BSD-3-Clause
//
// Everybody gets every PE's source, beginning with its right neighbour's so that not all read the
// same one. The first sync says that the sources are ready, the second one that they may change.
// From other nodes all of them are on their way at the same time.
// COST: 2 syncs and p copies, all PEs at once. Any group.
#include "collectives/collect/direct.hpp"

#include "collectives/blocks.hpp"

namespace tessera::collectives {
void fcollect_direct(const Group& group, void* dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    const Blocks blocks(group, bytes, (static_cast<std::size_t>(group.npes()) + 1) * bytes);
    group.sync();
    for_each_from_neighbour(group, [&](int index) {
        char* block = static_cast<char*>(dest) + static_cast<std::size_t>(index) * bytes;
        blocks.get(block, source, index);
    });
    group.deliver();
    group.sync();
}

void collect_direct(const Group& group, void* dest, const void* source, std::size_t bytes) {
    group.show(bytes);
    group.sync();
    std::size_t at = 0;
    for (int index = 0; index < group.npes(); ++index) {
        const std::size_t contribution = group.shown_by(index);
        group.check_room(dest, at + contribution);
        collective_context.get_nbi(static_cast<char*>(dest) + at, source, contribution,
                                   group.world_pe(index), group.where());
        at += contribution;
    }
    group.deliver();
    group.sync();
    group.hide();
}

}  // namespace tessera::collectives
