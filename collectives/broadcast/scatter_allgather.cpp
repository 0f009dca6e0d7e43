// SPDX-License-Identifier: BSD-3-Clause
//
// For long data: the root puts one of p blocks to each member, and then the blocks go around a ring
// until every member has all. No member sends more than about twice the data. The root, which has
// all blocks, begins the ring with its neighbour and receives nothing at its end. After the first
// sync all dests may be written.
// COST: a sync + 2 (p-1) a + 2 n (p-1)/p b; n (p-1) b by all PEs. Restriction: a team with
// mailboxes. Reference: van de Geijn, "On Global Combine Operations", 1994; Thakur, Rabenseifner,
// Gropp, "Optimization of Collective Communication Operations in MPICH", 2005.
#include <algorithm>

#include "collectives/broadcast/broadcast.hpp"
#include "collectives/cost_terms.hpp"
#include "messaging/mailboxes.hpp"

namespace tessera::collectives {
namespace {

constexpr int kScattered = 0;  // rounds of the mailboxes, both of kind kDone
constexpr int kFromLeft = 1;

class Blocks {
  public:
    Blocks(const Group& group, void* dest, const void* data, std::size_t bytes)
        : group_(group),
          dest_(static_cast<char*>(dest)),
          data_(static_cast<const char*>(data)),
          bytes_(bytes) {
        // No two blocks share a cache line.
        const std::size_t lines = (bytes + kCacheLineBytes - 1) / kCacheLineBytes;
        const auto blocks = static_cast<std::size_t>(group.npes());
        block_bytes_ = (lines + blocks - 1) / blocks * kCacheLineBytes;
    }

    void put(int block, int index) const {
        const std::size_t begin = std::min(bytes_, static_cast<std::size_t>(block) * block_bytes_);
        const std::size_t end = std::min(bytes_, begin + block_bytes_);
        if (begin == end) return;  // There are fewer lines than members.
        collective_context.put(dest_ + begin, data_ + begin, end - begin, group_.world_pe(index),
                               group_.where());
    }

  private:
    const Group& group_;
    char* dest_;
    const char* data_;
    std::size_t bytes_;
    std::size_t block_bytes_;
};

void broadcast_scatter_allgather(const Group& group, void* dest, const void* source,
                                 std::size_t bytes, int root, RootDest root_dest) {
    if (bytes == 0) return;
    const TreePosition position(group, root);
    const int npes = group.npes();
    const int mine = position.mine();
    const int last = npes - 2;  // step of the ring
    const Mailboxes mailboxes(group.team(), group.where(), static_cast<std::uint32_t>(npes));
    const Blocks blocks(group, dest, position.is_root() ? source : dest, bytes);
    group.sync();
    if (position.is_root()) {
        for (int other = 1; other < npes; ++other) {
            blocks.put(other, position.index_of(other));
            mailboxes.post(GateKind::kDone, kScattered, position.index_of(other));
        }
    } else {
        mailboxes.wait(GateKind::kDone, kScattered);
    }
    // In step s a member passes on the block that it got in step s-1, the first time its own.
    for (int step = 0; step <= last; ++step) {
        const auto number = static_cast<std::uint32_t>(step);
        if (mine != npes - 1) {
            const int right = position.index_of(mine + 1);
            blocks.put((mine - step + npes) % npes, right);
            mailboxes.post(GateKind::kDone, kFromLeft, right, number);
        }
        if (!position.is_root()) mailboxes.wait(GateKind::kDone, kFromLeft, number);
    }
    if (position.is_root()) copy_at_root(dest, source, bytes, root_dest);
}

Cost broadcast_scatter_allgather_cost(const TeamLayout& team, double n) {
    const double p = team.npes;
    return Cost{.latencies = 2 * lg4(p) + p - 1} +
           each_member(team, kPush * (n + n * (p - 1) / p), 0) +
           off_node(team, lg4(team.nodes) + p - 1, p, 2 * n);
}

}  // namespace

extern constinit const Algorithm<Broadcast> kBroadcastScatterAllgather{
    {.name = "scatter_allgather",
     .formula = "sync + 2 (p-1) a + 2 n b",
     .best_when = "long messages, several nodes of one PE",
     .restriction = kMailboxesPutting,
     .cost = broadcast_scatter_allgather_cost},
    {broadcast_scatter_allgather, nullptr}};

}  // namespace tessera::collectives
