// SPDX-License-Identifier: BSD-3-Clause
//
// All members get the data from the root's source at the same time. After the first sync the source
// is ready; after the second one the root may change it.
// COST: 2 syncs, and bytes b for each PE at once; the root's memory is the bottleneck. Any group.
#include "collectives/blocks.hpp"
#include "collectives/broadcast/broadcast.hpp"
#include "collectives/cost_terms.hpp"

namespace tessera::collectives {
namespace {

void broadcast_direct(const Group& group, void* dest, const void* source, std::size_t bytes,
                      int root, RootDest root_dest) {
    if (bytes == 0) return;
    const bool is_root = group.my_index() == root;
    group.sync();
    // In place (dest == source) the root has the data already, and the others copy between PEs.
    if (!is_root || (root_dest == RootDest::kWritten && dest != source)) {
        const Blocks blocks(group, bytes, bytes);
        blocks.get(dest, source, root);
        group.deliver();
    }
    group.sync();
}

Cost broadcast_direct_cost(const TeamLayout& team, double n) {
    return syncs(2, team) + each_member(team, n, 0) +
           off_node(team, 1, 1, team.off_node_members() * n);
}

}  // namespace

extern constinit const Algorithm<Broadcast> kBroadcastDirect{
    {.name = "direct",
     .formula = "2 syncs + n b",
     .best_when = "one node",
     .restriction = {.symmetric = Symmetric::kSource},
     .cost = broadcast_direct_cost},
    {broadcast_direct, nullptr}};

}  // namespace tessera::collectives
