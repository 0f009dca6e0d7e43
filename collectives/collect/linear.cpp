// SPDX-License-Identifier: BSD-3-Clause
//
// Each member puts its source to every member, its right neighbour first. After the first sync all
// dests may be written (and the sizes are known, where they differ); after the second one all data
// is there.
// COST: 2 syncs + (p-1) (a + n b), all members at once; n p (p-1) b by all PEs. With different
// sizes p reads of a word more. Any group.
#include "collectives/blocks.hpp"
#include "collectives/collect/collect.hpp"
#include "collectives/cost_terms.hpp"

namespace tessera::collectives {
namespace {

void put_to_all(const Group& group, void* block, const void* source, std::size_t bytes) {
    const Blocks blocks(group, bytes, (static_cast<std::size_t>(group.npes()) + 1) * bytes);
    for_each_from_neighbour(group, [&](int index) { blocks.put(block, source, index); });
    group.deliver();
}

void fcollect_linear(const Group& group, void* dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    group.sync();
    put_to_all(group, static_cast<char*>(dest) + static_cast<std::size_t>(group.my_index()) * bytes,
               source, bytes);
    group.sync();
}

void collect_linear(const Group& group, void* dest, const void* source, std::size_t bytes) {
    group.show(bytes);
    group.sync();
    std::size_t at = 0;
    for (int index = 0; index < group.my_index(); ++index) at += group.shown_by(index);
    group.check_room(dest, at + bytes);
    if (bytes > 0) put_to_all(group, static_cast<char*>(dest) + at, source, bytes);
    group.sync();
    group.hide();
}

Cost fcollect_linear_cost(const TeamLayout& team, double n) { return puts_to_all(team, n); }

Cost collect_linear_cost(const TeamLayout& team, double n) {
    return fcollect_linear_cost(team, n) + off_node(team, team.off_node_members(), 0, 0);
}

}  // namespace

extern constinit const Algorithm<Collect> kCollectLinear{{.name = "linear",
                                                          .formula = "2 syncs + (p-1) (a + n b)",
                                                          .best_when = "several nodes",
                                                          .cost = collect_linear_cost},
                                                         collect_linear};

extern constinit const Algorithm<Fcollect> kFcollectLinear{
    {.name = "linear",
     .formula = "2 syncs + (p-1) (a + n b)",
     .best_when = "few PEs",
     .restriction = {.symmetric = Symmetric::kDest},
     .cost = fcollect_linear_cost},
    {fcollect_linear, nullptr}};

}  // namespace tessera::collectives
