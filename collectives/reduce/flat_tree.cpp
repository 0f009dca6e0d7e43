// SPDX-License-Identifier: BSD-3-Clause
//
// Flat tree (Ravichandrasekaran 2015, 3.2.4): the first member reads all sources in order,
// combines them, and writes the result to all. dest may be source: a chunk is written when all
// sources of it have been read.
// COST: T_FT = p a + 2 n (p-1) b + n (p-1) c. Any group, any operation.
#include <cstring>

#include "collectives/cost_terms.hpp"
#include "collectives/reduce/reduce.hpp"

namespace tessera::collectives {
namespace {

void reduce_flat_tree(const Reduction& call) {
    const Group& group = call.group;
    group.sync();
    if (group.my_index() == 0) {
        alignas(kCacheLineBytes) Chunk result;
        alignas(kCacheLineBytes) Chunk copy;
        for_each_chunk(0, call.bytes(), [&](std::size_t at, std::size_t bytes) {
            std::memcpy(result, call.source + at, bytes);
            for (int index = 1; index < group.npes(); ++index) {
                call.kernel.combine(result, call.operand(index, call.source + at, bytes, copy),
                                    bytes / call.element_bytes());
            }
            for (int index = 0; index < group.npes(); ++index)
                call.put(index, call.dest + at, result, bytes);
        });
        group.deliver();
    }
    group.sync();
}

Cost reduce_flat_tree_cost(const TeamLayout& team, double n) {
    const double p = team.npes;
    return syncs(2, team) +
           Cost{.copied_critical_path = p * (n + 2 * kLine),
                .copied_total = p * (n + 2 * kLine),
                .combined_critical_path = (p - 1) * n,
                .combined_total = (p - 1) * n} +
           off_node(team, 2 * chunks(n) * team.off_node_members(), 0, team.off_node_members() * n);
}

}  // namespace

extern constinit const Algorithm<Reduce> kReduceFlatTree{
    {.name = "flat_tree",
     .formula = "p a + 2 n (p-1) b + n (p-1) c",
     .best_when = "hardly ever: for comparison",
     .cost = reduce_flat_tree_cost},
    reduce_flat_tree};

}  // namespace tessera::collectives
