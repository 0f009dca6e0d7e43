// SPDX-License-Identifier: BSD-3-Clause
//
// The blocks go round in a ring: in each step every member passes the block that it got last, the
// first time its own, on to its right neighbour. All data moves between neighbours, so that between
// nodes one block leaves and one enters each node in a step, if members of a node follow each
// other. Where sizes differ they are exchanged first (contributions.hpp).
//
// A member ends when it has its right neighbour's block, which has come all the way round: then all
// have begun.
// COST: fcollect: p a + (p-1) n b; n p (p-1) b by all PEs. collect: ceil(lg p) a more; more than
// 1024 members use linear.cpp. Restriction: a team with links.
#include <cstdint>

#include "collectives/collect/algorithms.hpp"
#include "collectives/collect/contributions.hpp"
#include "collectives/links.hpp"

namespace tessera::collectives {
namespace {

constexpr int kFromLeft = kLinkRounds - 1;  // round of the links

// Runs the steps; `pass_on(block, index)` puts one block into member index's dest.
template <class PassOn>
void go_round(const Group& group, const Links& links, PassOn pass_on) {
    const int npes = group.npes();
    const int right = (group.my_index() + 1) % npes;
    for (int step = 0; step + 1 < npes; ++step) {
        const auto number = static_cast<std::uint32_t>(step);
        pass_on((group.my_index() - step + npes) % npes, right);
        links.post(LinkKind::kDone, kFromLeft, right, number);
        links.wait(LinkKind::kDone, kFromLeft, number);
    }
}

}  // namespace

void fcollect_ring(const Group& group, void* dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    const int npes = group.npes();
    const Links links(group.team(), group.where(), static_cast<std::uint32_t>(npes));
    const BlockArray blocks(group, dest, bytes);
    links.post(LinkKind::kReady, 0, (group.my_index() - 1 + npes) % npes);
    blocks.fill_in(source);
    links.wait(LinkKind::kReady, 0);
    go_round(group, links, [&](int block, int index) { blocks.pass_on(block, 1, index); });
}

void collect_ring(const Group& group, void* dest, const void* source, std::size_t bytes) {
    const int npes = group.npes();
    if (npes > Contributions::kMembersMax) return collect_linear(group, dest, source, bytes);
    const Links links(group.team(), group.where(), static_cast<std::uint32_t>(npes));
    const Contributions blocks(group, links, dest, bytes);
    blocks.fill_in(source);
    go_round(group, links, [&](int block, int index) { blocks.pass_on(block, index); });
}

}  // namespace tessera::collectives
