// SPDX-License-Identifier: BSD-3-Clause
//
// A binomial tree over the members, counted from the root: a member receives the data from its
// parent piece by piece, and passes each piece on to its children, those with the largest subtrees
// first.
// COST: ceil(lg p) (a + s b) + n b for pieces of s bytes, at most.

#include "collectives/broadcast/broadcast.hpp"
#include "collectives/cost_terms.hpp"
#include "collectives/streams/binomial.hpp"
#include "collectives/streams/call.hpp"

namespace tessera::collectives {
namespace {

Binomial tree_of(const RuntimeCall& call) {
    return {(call.me - call.root + call.npes) % call.npes, call.npes};
}
int member_at(const RuntimeCall& call, int place) { return (place + call.root) % call.npes; }
bool is_root(const RuntimeCall& call) { return call.me == call.root; }

std::uint32_t count_sends(const RuntimeCall& call) {
    return vector_pieces(call).count() * static_cast<std::uint32_t>(tree_of(call).children());
}

// The root copies its source to its dest, if they differ.
std::uint32_t count_receives(const RuntimeCall& call) {
    const bool has_data = is_root(call) && call.dest == call.source;
    return has_data ? 0 : vector_pieces(call).count();
}

Message send(const RuntimeCall& call, std::uint32_t number) {
    const Binomial tree = tree_of(call);
    const auto children = static_cast<std::uint32_t>(tree.children());
    const int child = tree.child(static_cast<int>(children - 1 - number % children));
    const std::uint32_t piece = number / children;
    return vector_pieces(call).send(member_at(call, child), is_root(call) ? call.source : call.dest,
                                    piece, is_root(call) ? 0 : piece + 1);
}

Message receive(const RuntimeCall& call, std::uint32_t number) {
    const Pieces pieces = vector_pieces(call);
    if (is_root(call)) return pieces.own(call.source, call.dest, number);
    return pieces.receive(member_at(call, tree_of(call).parent()), call.dest, number,
                          Action::kCopy);
}

}  // namespace

const Schedule kBroadcastSchedule = {.name = "binomial",
                                     .count_sends = count_sends,
                                     .count_receives = count_receives,
                                     .send = send,
                                     .receive = receive};

namespace {

// The root, and a member that has passed the data on, do not wait for others, unless the pieces are
// more than the slots of a stream.
Cost stream_broadcast_cost(const TeamLayout& team, double n) {
    const double off_node_levels = off_node_rounds(team);
    const StreamLayout layout = modelled_streams(team);
    const double waits = (1 + pieces(n, static_cast<double>(layout.slot_bytes()))) / 2;
    return Cost{.latencies = team.is_oversubscribed() ? kWaitForRunPe : on_node_rounds(team),
                .copied_critical_path = kStreamCall + 2 * kPush * on_node_rounds(team) * n,
                .copied_total = 2 * kPush * (team.largest_node - 1) * n} +
           off_node(team, waits * off_node_levels, off_node_levels, off_node_levels * n);
}

}  // namespace

extern constinit const Algorithm<Broadcast> kBroadcastStream{
    {.name = "stream",
     .formula = "lg p (a + n b)",
     .best_when = "nonblocking calls; any arrays",
     .restriction = kStreams,
     .cost = stream_broadcast_cost,
     .schedule = &kBroadcastSchedule},
    {}};

}  // namespace tessera::collectives
