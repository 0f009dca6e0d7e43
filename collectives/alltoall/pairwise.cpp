// SPDX-License-Identifier: BSD-3-Clause
//
// Each member puts its blocks to the others, in an order in which no two members put to the same
// one: in step s to member me xor s, so that two exchange with each other, if there are 2^k
// members, else to member me + s. After the first sync all dests may be written; after the second
// one all data is there.
// COST: 2 syncs + (p-1) (a + n b) for blocks of n bytes, all members at once; n p (p-1) b by all
// PEs. Any group.
#include <bit>

#include "collectives/alltoall/alltoall.hpp"
#include "collectives/blocks.hpp"
#include "collectives/cost_terms.hpp"

namespace tessera::collectives {
namespace {

// Calls visit(index) for all members, and this one last.
template <class Visit>
void for_each_pair(const Group& group, Visit visit) {
    const int npes = group.npes();
    const int me = group.my_index();
    const bool by_xor = std::has_single_bit(static_cast<unsigned>(npes));
    for (int step = 1; step < npes; ++step) visit(by_xor ? me ^ step : (me + step) % npes);
    visit(me);
}

void alltoall_pairwise(const Group& group, void* dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    char* mine = static_cast<char*>(dest) + static_cast<std::size_t>(group.my_index()) * bytes;
    const Blocks blocks(group, bytes, 2 * static_cast<std::size_t>(group.npes()) * bytes);
    group.sync();
    for_each_pair(group, [&](int index) {
        const char* block =
            static_cast<const char*>(source) + static_cast<std::size_t>(index) * bytes;
        blocks.put(mine, block, index);
    });
    group.deliver();
    group.sync();
}

void alltoalls_pairwise(const Group& group, void* dest, const void* source,
                        const StridedBlocks& blocks) {
    if (blocks.block_elements == 0) return;
    const auto block_bytes =
        static_cast<std::ptrdiff_t>(blocks.block_elements * blocks.element_bytes);
    const Strided shape{.dest_stride = blocks.dest_stride,
                        .source_stride = blocks.source_stride,
                        .blocks = blocks.block_elements,
                        .element_bytes = blocks.element_bytes};
    char* mine = static_cast<char*>(dest) + blocks.dest_stride * group.my_index() * block_bytes;
    group.sync();
    for_each_pair(group, [&](int index) {
        const char* block =
            static_cast<const char*>(source) + blocks.source_stride * index * block_bytes;
        collective_context.put_strided(mine, block, shape, group.world_pe(index), group.where());
    });
    group.deliver();
    group.sync();
}

Cost alltoall_pairwise_cost(const TeamLayout& team, double n) { return puts_to_all(team, n); }

}  // namespace

extern constinit const Algorithm<Alltoall> kAlltoallPairwise{
    {.name = "pairwise",
     .formula = "2 syncs + (p-1) (a + n b)",
     .best_when = "several nodes",
     .restriction = {.symmetric = Symmetric::kDest},
     .cost = alltoall_pairwise_cost},
    {alltoall_pairwise, alltoalls_pairwise}};

}  // namespace tessera::collectives
