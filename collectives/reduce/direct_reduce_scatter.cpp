// SPDX-License-Identifier: BSD-3-Clause
//
// Slice-parallel: each PE takes 1/p of the vector, combines it from all sources in place, in the
// order of the PEs, and writes the result to all. A short vector is not worth sharing out: every PE
// combines all of it. Either way all PEs compute an element in the same order, so all get the same
// bits. dest may be source: only the slice's own PE touches an element of the slice between the
// syncs, and short vectors are written after the second sync.
// COST: 2 syncs; n/p (p c + p b) for long vectors, n p c for short ones (c: combining, b: writing a
// byte). Any group, any operation.
#include <cstring>

#include "collectives/cost_terms.hpp"
#include "collectives/reduce/reduce.hpp"

namespace tessera::collectives {
namespace {

constexpr std::size_t kShortBytes = 512;
// The cost of beginning to read or write another array, in copied bytes.
constexpr double kPiece = 1000;

// `result` = the elements at `source` of all PEs, combined.
void combine_all(const Reduction& call, const char* source, std::size_t bytes, Chunk& result) {
    alignas(kCacheLineBytes) Chunk copy;
    std::memcpy(result, call.operand(0, source, bytes, copy), bytes);
    for (int index = 1; index < call.group.npes(); ++index) {
        call.kernel.combine(result, call.operand(index, source, bytes, copy),
                            bytes / call.element_bytes());
    }
}

void reduce_short(const Reduction& call) {
    alignas(kCacheLineBytes) Chunk result;
    call.group.sync();
    combine_all(call, call.source, call.bytes(), result);
    call.group.sync();
    std::memcpy(call.dest, result, call.bytes());
}

void reduce_slice(const Reduction& call) {
    if (call.bytes() <= kShortBytes) return reduce_short(call);
    const Group& group = call.group;
    const std::size_t element_bytes = call.element_bytes();
    const Slice slice = slice_of(group, call.nelems, element_bytes);
    alignas(kCacheLineBytes) Chunk result;
    group.sync();
    for_each_chunk(slice.begin * element_bytes, slice.end * element_bytes,
                   [&](std::size_t at, std::size_t bytes) {
                       combine_all(call, call.source + at, bytes, result);
                       for_each_from_neighbour(group, [&](int index) {
                           call.put(index, call.dest + at, result, bytes);
                       });
                   });
    group.deliver();
    group.sync();
}

Cost reduce_direct_reduce_scatter_cost(const TeamLayout& team, double n) {
    if (n <= kShortBytes) {  // Each combines all of it.
        return syncs(2, team) + each_member(team, n, team.npes * n) +
               off_node(team, team.off_node_members(), team.largest_node * team.off_node_members(),
                        team.largest_node * team.off_node_members() * n);
    }
    const double count = chunks(n / team.npes) * team.off_node_members();
    return syncs(2, team) + each_member(team, n + 2 * team.npes * kPiece, n) +
           off_node(team, 2 * count, 0,
                    2 * team.largest_node * team.off_node_members() * n / team.npes);
}

}  // namespace

extern constinit const Algorithm<Reduce> kReduceDirectReduceScatter{
    {.name = "direct_reduce_scatter",
     .formula = "2 syncs + n (b + c)",
     .best_when = "one node",
     .cost = reduce_direct_reduce_scatter_cost},
    reduce_slice};

}  // namespace tessera::collectives
