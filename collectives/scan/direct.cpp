// SPDX-License-Identifier: BSD-3-Clause
//
// Slice-parallel: each PE takes 1/p of the vector and runs over the PEs once, adding each one's
// source and writing the sum so far to its dest. No other PE touches its slice between the syncs,
// so dest may be source; the exclusive form copies a source before it overwrites it.
// COST: 2 syncs and n/p (p c + p b) (c: adding, b: writing a byte). Any group.
#include "collectives/cost_terms.hpp"
#include "collectives/scan/in_turn.hpp"
#include "collectives/scan/scan.hpp"

namespace tessera::collectives {
namespace {

void scan_slice(const Group& group, void* dest, const void* source, std::size_t nelems,
                const Kernel& sum, ScanKind kind) {
    if (nelems == 0) return;
    const Slice slice = slice_of(group, nelems, sum.element_bytes);
    const std::size_t begin = slice.begin * sum.element_bytes;
    const std::size_t end = slice.end * sum.element_bytes;
    group.sync();
    for_each_chunk(begin, end, [&](std::size_t at, std::size_t bytes) {
        scan_in_turn(group, {.begin = 0, .end = group.npes()},
                     {.dest = static_cast<char*>(dest) + at,
                      .source = static_cast<const char*>(source) + at,
                      .bytes = bytes},
                     sum, kind, nullptr);
    });
    group.deliver();
    group.sync();
}

Cost scan_direct_cost(const TeamLayout& team, double n) {
    const double count = chunks(n / team.npes) * team.off_node_members();
    return syncs(2, team) + each_member(team, n, n) +
           off_node(team, count, count,
                    2 * team.largest_node * team.off_node_members() * n / team.npes);
}

}  // namespace

extern constinit const Algorithm<Scan> kScanDirect{{.name = "direct",
                                                    .formula = "2 syncs + n (b + c)",
                                                    .best_when = "one node",
                                                    .cost = scan_direct_cost},
                                                   scan_slice};

}  // namespace tessera::collectives
