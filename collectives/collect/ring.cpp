// SPDX-License-Identifier: BSD-3-Clause
//
// The blocks go round in a ring: in each step every member passes the block that it got last, the
// first time its own, on to its right neighbour. All data moves between neighbours, so that between
// nodes one block leaves and one enters each node in a step, if members of a node follow each
// other. Where sizes differ they are exchanged first, by Bruck's algorithm through the mail.
//
// A member ends when it has its right neighbour's block, which has come all the way round: then all
// have begun.
// COST: fcollect: p a + (p-1) n b; n p (p-1) b by all PEs. collect: ceil(lg p) a more; more than
// 1024 members use linear.cpp. Restriction: a team with links.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "collectives/collect/algorithms.hpp"
#include "collectives/links.hpp"

namespace tessera::collectives {
namespace {

constexpr int kFromLeft = kLinkRounds - 1;  // round of the links
constexpr int kMembersMax = 1024;           // whose sizes fit into one mail

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

// The sizes of all members' contributions, sizes[i] that of member my_index + i.
using Sizes = std::uint64_t[kMembersMax];
static_assert(sizeof(Sizes) <= kMailBytesMin);

// In round s everybody gets the sizes that the member 2^s further has.
// RETURNS when: all members have begun.
void exchange_sizes(const Group& group, const Links& links, Sizes& sizes) {
    const int npes = group.npes();
    const int me = group.my_index();
    int round = 0;
    for (int have = 1; have < npes; have *= 2, ++round) {
        const std::size_t bytes =
            sizeof sizes[0] * static_cast<std::size_t>(std::min(have, npes - have));
        links.send((me - have + npes) % npes, round, sizes, bytes);
        std::memcpy(sizes + have, links.receive(round), bytes);
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
    const int me = group.my_index();
    if (npes > kMembersMax) return collect_linear(group, dest, source, bytes);
    const Links links(group.team(), group.where(), static_cast<std::uint32_t>(npes));
    Sizes sizes;
    sizes[0] = bytes;
    exchange_sizes(group, links, sizes);
    const auto size_of = [&](int index) {
        return sizes[index < me ? index - me + npes : index - me];
    };
    char* block = static_cast<char*>(dest);
    for (int index = 0; index < me; ++index) block += size_of(index);
    if (bytes > 0) {
        collective_context.put(block, source, bytes, group.world_pe(me), group.where());
    }
    // `block` follows what is passed on: backwards from one's own, and around.
    std::uint64_t total = 0;
    for (int index = 0; index < npes; ++index) total += sizes[index];
    int at = me;
    go_round(group, links, [&](int index, int right) {
        if (index != at) {
            block = index < at ? block - size_of(index)
                               : static_cast<char*>(dest) + total - size_of(index);
            at = index;
        }
        if (size_of(index) == 0) return;
        collective_context.put(block, block, size_of(index), group.world_pe(right), group.where());
    });
}

}  // namespace tessera::collectives
