// SPDX-License-Identifier: BSD-3-Clause
//
// Each member gets its block from every PE, beginning with its right neighbour. After the first
// sync the sources are ready; after the second one they may change. All blocks of other nodes are
// under way at the same time.
// COST: 2 syncs and p copies of a block, all PEs at once. Any group.
#include "collectives/alltoall/alltoall.hpp"
#include "collectives/blocks.hpp"
#include "collectives/cost_terms.hpp"

namespace tessera::collectives {
namespace {

void alltoall_direct(const Group& group, void* dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    const char* mine =
        static_cast<const char*>(source) + static_cast<std::size_t>(group.my_index()) * bytes;
    const Blocks blocks(group, bytes, 2 * static_cast<std::size_t>(group.npes()) * bytes);
    group.sync();
    for_each_from_neighbour(group, [&](int index) {
        blocks.get(static_cast<char*>(dest) + static_cast<std::size_t>(index) * bytes, mine, index);
    });
    group.deliver();
    group.sync();
}

void alltoalls_direct(const Group& group, void* dest, const void* source,
                      const StridedBlocks& blocks) {
    if (blocks.block_elements == 0) return;
    const auto block_elements = static_cast<std::ptrdiff_t>(blocks.block_elements);
    const auto element_bytes = static_cast<std::ptrdiff_t>(blocks.element_bytes);
    const Strided shape{.dest_stride = blocks.dest_stride,
                        .source_stride = blocks.source_stride,
                        .blocks = blocks.block_elements,
                        .element_bytes = blocks.element_bytes};
    const char* mine = static_cast<const char*>(source) +
                       blocks.source_stride * group.my_index() * block_elements * element_bytes;
    group.sync();
    for_each_from_neighbour(group, [&](int index) {
        char* block =
            static_cast<char*>(dest) + blocks.dest_stride * index * block_elements * element_bytes;
        collective_context.get_strided(block, mine, shape, group.world_pe(index), group.where());
    });
    group.sync();
}

Cost alltoall_direct_cost(const TeamLayout& team, double n) {
    return syncs(2, team) + each_member(team, team.npes * n, 0) +
           off_node(team, 1, team.largest_node * team.off_node_members(),
                    team.largest_node * team.off_node_members() * n);
}

}  // namespace

extern constinit const Algorithm<Alltoall> kAlltoallDirect{
    {.name = "direct",
     .formula = "2 syncs + p n b",
     .best_when = "one node",
     .restriction = {.symmetric = Symmetric::kSource},
     .cost = alltoall_direct_cost},
    {alltoall_direct, alltoalls_direct}};

}  // namespace tessera::collectives
