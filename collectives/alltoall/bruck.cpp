// SPDX-License-Identifier: BSD-3-Clause
//
// Bruck, for small blocks: few messages, but each block travels several times. Block i is the one
// that has i places to go. In round s each member sends the blocks whose number has bit s to the
// member 2^s further, in one message, and receives as many in their place. After the last round
// every block is at its destination.
// COST: ceil(lg p) (a + n p/2 b) for blocks of n bytes, and 2 n p b to pack and unpack them in each
// round; n p^2/2 lg p b by all PEs. Restriction: a team with mailboxes; n p <= 16384, so that the
// half of the blocks fits into one slot. Reference: as collect/bruck.cpp.
#include <cstring>

#include "collectives/alltoall/alltoall.hpp"
#include "collectives/cost_terms.hpp"
#include "messaging/mailboxes.hpp"

namespace tessera::collectives {
namespace {

// So that half of the blocks fits into one slot.
constexpr std::size_t kTotalBytesMax = 2 * kSlotBytes;
static_assert(kTotalBytesMax == 16384);

void alltoall_bruck(const Group& group, void* dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    const int npes = group.npes();
    const int me = group.my_index();
    const auto member = [&](int distance) { return (me + distance + npes) % npes; };
    alignas(kCacheLineBytes) char travelling[kTotalBytesMax];
    alignas(kCacheLineBytes) char message[kTotalBytesMax / 2];
    const auto block = [&](int i) { return travelling + static_cast<std::size_t>(i) * bytes; };
    for (int i = 0; i < npes; ++i) {
        const std::size_t at = static_cast<std::size_t>(member(i)) * bytes;
        std::memcpy(block(i), static_cast<const char*>(source) + at, bytes);
    }
    const Mailboxes mailboxes(group.team(), group.where());
    int round = 0;
    for (int bit = 1; bit < npes; bit *= 2, ++round) {
        std::size_t packed = 0;
        for (int i = bit; i < npes; ++i) {
            if ((i & bit) == 0) continue;
            std::memcpy(message + packed, block(i), bytes);
            packed += bytes;
        }
        mailboxes.send(member(bit), round, message, packed);
        const char* got = mailboxes.receive(round);
        for (int i = bit; i < npes; ++i) {
            if ((i & bit) == 0) continue;
            std::memcpy(block(i), got, bytes);
            got += bytes;
        }
    }
    for (int i = 0; i < npes; ++i) {
        const std::size_t at = static_cast<std::size_t>(member(-i)) * bytes;
        std::memcpy(static_cast<char*>(dest) + at, block(i), bytes);
    }
}

Cost alltoall_bruck_cost(const TeamLayout& team, double n) {
    const double round_bytes = team.npes / 2 * n;
    return Cost{.latencies = on_node_rounds(team)} +
           each_member(team, (3 * round_bytes * lg(team.npes)) + (2 * team.npes * n), 0) +
           off_node(team, off_node_rounds(team) + 0.5 * on_node_rounds(team),
                    team.largest_node * off_node_rounds(team) + team.largest_node - 1,
                    team.largest_node * round_bytes * lg(team.npes));
}

}  // namespace

extern constinit const Algorithm<Alltoall> kAlltoallBruck{
    {.name = "bruck",
     .formula = "lg p (a + p/2 n b)",
     .best_when = "small blocks, several nodes",
     .restriction = {.symmetric = Symmetric::kNothing,
                     .mailboxes = true,
                     .contiguous = true,
                     .total_max = kTotalBytesMax},
     .cost = alltoall_bruck_cost},
    {alltoall_bruck, nullptr}};

}  // namespace tessera::collectives
