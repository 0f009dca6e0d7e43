// SPDX-License-Identifier: BSD-3-Clause
//
// One message for each member of another node, with the blocks of all members of this node. On a
// node of m members, the member in place i packs, from the sources of all, the blocks for the
// places i, i + m, ... of each other node, and puts them to those members' buffers
// (messaging/mailboxes.hpp). Blocks of the own node are copied from the sources directly. After the
// node's first sync its sources are ready; after the last sync all messages have arrived. Then each
// member takes its blocks out of its buffer.
// COST: lg m a + a sync; m n bytes in each message, of which a member of N equal nodes sends N - 1
// instead of p - m; each block is copied once more on both sides. Restriction: a team with
// mailboxes on several nodes, p n <= 64 KiB. Reference: Träff, Hunold, "Decomposing collectives for
// exploiting multi-lane communication", 2020.
#include <cstring>

#include "collectives/alltoall/alltoall.hpp"
#include "collectives/cost_terms.hpp"
#include "collectives/patterns/on_node.hpp"
#include "messaging/mailboxes.hpp"

namespace tessera::collectives {
namespace {

constexpr std::size_t kPackedBytesMax = 65536;
static_assert(kPackedBytesMax <= kMailboxRounds * kSlotBytes, "fits into the buffer");

class Exchange {
  public:
    Exchange(const Group& group, const Mailboxes& mailboxes, void* dest, const void* source,
             std::size_t bytes)
        : group_(group),
          nodes_(group.team().by_node),
          mailboxes_(mailboxes),
          dest_(static_cast<char*>(dest)),
          source_(static_cast<const char*>(source)),
          bytes_(bytes) {}

    void copy_on_node() const {
        const char* mine = source_ + offset(group_.my_index());
        for (int i = 0; i < my_size(); ++i) {
            const int index = nodes_.member(nodes_.mine, (nodes_.index_on_node + i) % my_size());
            get(dest_ + offset(index), mine, index);
        }
    }

    // RETURNS when: all messages have been handed over. They have arrived after deliver().
    void send_to_nodes() {
        for (int i = 1; i < nodes_.count(); ++i) {
            const int node = (nodes_.mine + i) % nodes_.count();
            for (int at = nodes_.index_on_node; at < nodes_.size(node); at += my_size())
                send(nodes_.member(node, at));
        }
    }

    void unpack() const {
        for (int node = 0; node < nodes_.count(); ++node) {
            if (node == nodes_.mine) continue;
            const char* block = mailboxes_.buffer() + offset_of(node);
            for (int at = 0; at < nodes_.size(node); ++at, block += bytes_)
                std::memcpy(dest_ + offset(nodes_.member(node, at)), block, bytes_);
        }
    }

  private:
    std::size_t offset(int blocks) const { return static_cast<std::size_t>(blocks) * bytes_; }
    // The position of a node's blocks in every member's buffer.
    std::size_t offset_of(int node) const { return offset(nodes_.begin(node)); }
    int my_size() const { return nodes_.size(nodes_.mine); }

    void get(char* to, const char* from, int index) const {
        collective_context.get(to, from, bytes_, group_.world_pe(index), group_.where());
    }
    void send(int index) {
        const std::size_t message_bytes = offset(my_size());
        if (used_ + message_bytes > sizeof packed_) {
            group_.deliver();  // Messages under way leave from this memory.
            used_ = 0;
        }
        char* message = packed_ + used_;
        used_ += message_bytes;
        for (int at = 0; at < my_size(); ++at)
            get(message + offset(at), source_ + offset(index), nodes_.member(nodes_.mine, at));
        mailboxes_.put_nbi(index, offset_of(nodes_.mine), message, message_bytes);
    }

    const Group& group_;
    const TeamNodes& nodes_;
    const Mailboxes& mailboxes_;
    char* dest_;
    const char* source_;
    std::size_t bytes_;
    std::size_t used_ = 0;
    alignas(kCacheLineBytes) char packed_[kPackedBytesMax];
};

void alltoall_hierarchical(const Group& group, void* dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    const Mailboxes mailboxes(group.team(), group.where());
    Exchange exchange(group, mailboxes, dest, source, bytes);
    sync_node(group.team().by_node, mailboxes, 0);
    exchange.send_to_nodes();
    exchange.copy_on_node();
    group.deliver();
    group.sync();
    exchange.unpack();
}

Cost alltoall_hierarchical_cost(const TeamLayout& team, double n) {
    return syncs(1, team) +
           Cost{.latencies = team.is_oversubscribed() ? 1 : lg(team.largest_node)} +
           each_member(team, 3 * team.npes * n, 0) +
           off_node(team, kDelivery, team.largest_node * (team.nodes - 1),
                    team.largest_node * team.off_node_members() * n);
}

}  // namespace

extern constinit const Algorithm<Alltoall> kAlltoallHierarchical{
    {.name = "hierarchical",
     .formula = "sync + (N-1) (A + m n B) + p n b",
     .best_when = "small blocks, several nodes of several PEs",
     .restriction = {.symmetric = Symmetric::kSource,
                     .mailboxes = true,
                     .several_nodes = true,
                     .contiguous = true,
                     .total_max = kPackedBytesMax},
     .cost = alltoall_hierarchical_cost},
    {alltoall_hierarchical, nullptr}};

}  // namespace tessera::collectives
