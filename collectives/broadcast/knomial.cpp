// SPDX-License-Identifier: BSD-3-Clause
//
// A tree of radix 4 (tree.hpp):
//
//   up    each member tells its parent that it and all members below it have begun
//   down  each member, when it has the data, puts it into its children's dest, those with the
//         largest trees first
//
// COST: ceil(log4 p) (a + 3 (a + n b)), at most; p-1 messages up and down, n (p-1) b by all PEs.
// Restriction: a team with links.
#include "collectives/broadcast/algorithms.hpp"
#include "collectives/broadcast/tree.hpp"
#include "collectives/links.hpp"

namespace tessera::collectives {
namespace {

constexpr int kFromParent = Tree::kRoundsUp;  // round of the links

}  // namespace

void broadcast_knomial(const Group& group, void* dest, const void* source, std::size_t bytes,
                       int root, RootDest root_dest) {
    if (bytes == 0) return;
    const Places places(group, root);
    const Links links(group.team(), group.where());
    const Tree tree(places.mine(), group.npes());
    tree.for_each_child([&](int child, int digit) {
        const Tree::Place gate = Tree::gate_of_child(child, digit);
        links.wait(gate.kind, gate.round);
    });
    if (!places.is_root()) {
        const Tree::Place gate = tree.gate_at_parent();
        links.post(gate.kind, gate.round, places.index_of(tree.parent()));
        links.wait(LinkKind::kDone, kFromParent);
    }
    const void* data = places.is_root() ? source : dest;
    tree.for_each_child([&](int child, int) {
        const int index = places.index_of(child);
        collective_context.put(dest, data, bytes, group.world_pe(index), group.where());
        links.post(LinkKind::kDone, kFromParent, index);
    });
    if (places.is_root()) copy_at_root(group, dest, source, bytes, root_dest);
}

}  // namespace tessera::collectives
