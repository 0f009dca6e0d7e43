// SPDX-License-Identifier: BSD-3-Clause
//
// A binomial tree: each member combines its own piece with those of its children, in the order of
// the members, and sends the result to its parent. If the order counts, member 0 is the root of the
// tree, whatever the root of the call, and sends the result on; else the call's root is.
// COST: ceil(lg p) (a + s b) + n (b + lg p c) for pieces of s bytes, at most. A member that has
// children and is not the root combines in two pieces of scratch memory.

#include "collectives/cost_terms.hpp"
#include "collectives/reduce/to_owners.hpp"
#include "collectives/streams/binomial.hpp"
#include "collectives/streams/call.hpp"

namespace tessera::collectives {
namespace {

// The result is combined and sent in groups: pieces, or elements that are cut into parts.
constexpr std::uint32_t kScratchGroups = kScratchPieces;

// This member's part in the reduction.
struct Role {
    explicit Role(const RuntimeCall& call)
        : pieces(vector_pieces(call)),
          top(call.function.is_commutative ? call.root : 0),
          tree((call.me - top + call.npes) % call.npes, call.npes),
          is_sending_result(tree.is_root() && call.me != call.root),
          takes_result(!tree.is_root() && call.me == call.root),
          combines_in_dest(tree.is_root() && call.me == call.root) {}

    Pieces pieces;
    int top;
    Binomial tree;
    bool is_sending_result;
    bool takes_result;
    bool combines_in_dest;

    bool is_leaf() const { return tree.children() == 0; }
    bool sends() const { return !combines_in_dest; }
    // Steps of a group: this member's own elements, those of each child, the result.
    std::uint32_t combined() const {
        if (is_leaf() && !combines_in_dest) return 0;
        return 1 + static_cast<std::uint32_t>(tree.children());
    }
    std::uint32_t steps() const { return combined() + (takes_result ? 1 : 0); }
    int member_at(const RuntimeCall& call, int place) const { return (place + top) % call.npes; }
};

std::uint32_t count_sends(const RuntimeCall& call) {
    const Role role(call);
    return role.sends() ? role.pieces.count() : 0;
}

std::uint32_t count_receives(const RuntimeCall& call) {
    const Role role(call);
    return role.pieces.count() * role.steps();
}

Message send(const RuntimeCall& call, std::uint32_t number) {
    const Role role(call);
    const int to = role.is_sending_result ? call.root : role.member_at(call, role.tree.parent());
    Message message = role.pieces.send(to, call.source, number);
    if (role.is_leaf()) return message;
    const std::uint32_t parts = role.pieces.parts();
    const std::uint32_t group = number / parts;
    message.needs = (group * role.steps() + role.combined()) * parts;
    message.source = call.scratch_group(group) + (number % parts) * call.slot_bytes;
    return message;
}

Message receive(const RuntimeCall& call, std::uint32_t number) {
    const Role role(call);
    const std::uint32_t parts = role.pieces.parts();
    const std::uint32_t step = number / parts % role.steps();
    const std::uint32_t group = number / parts / role.steps();
    const std::uint32_t piece = group * parts + number % parts;
    if (role.takes_result && step + 1 == role.steps())
        return role.pieces.receive(role.member_at(call, 0), call.dest, piece, Action::kCopy);
    Message message =
        step == 0
            ? role.pieces.own(call.source, call.dest, piece)
            : role.pieces.receive(role.member_at(call, role.tree.child(static_cast<int>(step) - 1)),
                                  call.dest, piece, Action::kCombineBehind);
    if (role.combines_in_dest) return message;
    message.dest = call.scratch_group(group);
    if (step == 0) message.dest += (number % parts) * call.slot_bytes;
    // The group that was in this part of the scratch memory has been sent.
    if (group >= kScratchGroups) message.needs = (group - kScratchGroups + 1) * parts;
    return message;
}

}  // namespace

const Schedule kReduceSchedule = {.name = "binomial",
                                  .count_sends = count_sends,
                                  .count_receives = count_receives,
                                  .send = send,
                                  .receive = receive};

namespace {

// A member that has sent its part does not wait for others.
Cost stream_reduce_cost(const TeamLayout& team, double n) {
    const double off_node_levels = off_node_rounds(team);
    const StreamLayout layout = modelled_streams(team);
    const double waits = pieces(n, static_cast<double>(layout.slot_bytes())) / 2;
    return Cost{.latencies = team.is_oversubscribed() ? kWaitForRunPe : on_node_rounds(team),
                .copied_critical_path = kStreamCall + 2 * on_node_rounds(team) * n,
                .combined_critical_path = lg(team.npes) * n} +
           off_node(team, waits * off_node_levels, off_node_levels, off_node_levels * n);
}

}  // namespace

extern constinit const Algorithm<ReduceToRoot> kReduceToRootStream{
    {.name = "stream",
     .formula = "lg p a + n (b + lg p c)",
     .best_when = "nonblocking calls; any arrays",
     .restriction = kStreamsAssociative,
     .cost = stream_reduce_cost,
     .schedule = &kReduceSchedule},
    nullptr};

}  // namespace tessera::collectives
