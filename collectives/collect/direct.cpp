// SPDX-License-Identifier: BSD-3-Clause
//
// Each member gets every PE's source, beginning with its right neighbour's, so that not all read
// the same one. After the first sync the sources are ready; after the second one they may change.
// All sources of other nodes are under way at the same time.
// COST: 2 syncs and p copies, all PEs at once. Any group.
#include "collectives/blocks.hpp"
#include "collectives/collect/collect.hpp"
#include "collectives/cost_terms.hpp"

namespace tessera::collectives {
namespace {

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

Cost fcollect_direct_cost(const TeamLayout& team, double n) {
    return syncs(2, team) + each_member(team, kGather * team.npes * n, 0) +
           off_node(team, 1, team.largest_node * team.off_node_members(),
                    team.largest_node * team.off_node_members() * n);
}

Cost collect_direct_cost(const TeamLayout& team, double n) {
    return fcollect_direct_cost(team, n) + off_node(team, team.off_node_members(), 0, 0);
}

}  // namespace

extern constinit const Algorithm<Collect> kCollectDirect{
    {.name = "direct",
     .formula = "2 syncs + p n b",
     .best_when = "one node",
     .restriction = {.symmetric = Symmetric::kSource},
     .cost = collect_direct_cost},
    collect_direct};

extern constinit const Algorithm<Fcollect> kFcollectDirect{
    {.name = "direct",
     .formula = "2 syncs + p n b",
     .best_when = "one node",
     .restriction = {.symmetric = Symmetric::kSource},
     .cost = fcollect_direct_cost},
    {fcollect_direct, nullptr}};

}  // namespace tessera::collectives
