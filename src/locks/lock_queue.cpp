// SPDX-License-Identifier: BSD-3-Clause
//
// See lock_queue.hpp.
#include "locks/lock_queue.hpp"

#include "base/failures.hpp"
#include "base/fatal.hpp"
#include "base/wait.hpp"
#include "core/context.hpp"
#include "core/internal_segment.hpp"

namespace tessera {
namespace {

// The sleeper of a PE, by which this PE finds the internal segment; nullptr: on another node.
Sleeper* sleeper_of(NodeName node) { return address_map.peers[node.pe()].sleeper; }

QueueNode& node_in(Sleeper* sleeper, std::uint32_t index) {
    return *queue_node_of(segment_of(sleeper), index);
}

std::uint64_t atomic_on_other_node(const AtomicRequest& request, NodeName node) {
    return address_map.fabric->atomic(collective_context.transport_context(), request, node.pe());
}

void open(Gate QueueNode::*gate, NodeName node, std::uint32_t number) {
    if (Sleeper* sleeper = sleeper_of(node)) [[likely]]
        return (node_in(sleeper, node.index()).*gate).post(number);
    address_map.fabric->post_gate(my_queue_node(node.index()).*gate, number, node.pe());
}

}  // namespace

QueueNode& my_queue_node(std::uint32_t index) {
    return node_in(address_map.peers[address_map.my_pe].sleeper, index);
}

void link_behind(NodeName before, NodeName node) {
    if (Sleeper* sleeper = sleeper_of(before)) [[likely]] {
        // seq_cst, so that it sees whether the PE sleeps in wait_for_successor(). Pairs with
        // locks/lock_queue.cpp:wait_for_successor, locks/lock_queue.hpp:successor_of and
        // base/wait.cpp:sleep_unless.
        node_in(sleeper, before.index()).next.store(node.bits(), std::memory_order_seq_cst);
        if (sleeper->is_sleeping()) sleeper->wake();
        return;
    }
    atomic_on_other_node({.dest = &my_queue_node(before.index()).next,
                          .op = AtomicOp::kSwap,
                          .operand = node.bits()},
                         before);
}

NodeName wait_for_successor(const QueueNode& node, const char* where) {
    std::uint64_t next = 0;
    // Pairs with locks/lock_queue.cpp:link_behind.
    wait_until([&] { return (next = node.next.load(std::memory_order_acquire)) != 0; }, where);
    return NodeName(next);
}

void open_granted(NodeName node, std::uint32_t grant) { open(&QueueNode::granted, node, grant); }
void open_drained(NodeName node) { open(&QueueNode::drained, node, 1); }

NodeState state_of(NodeName node) {
    if (Sleeper* sleeper = sleeper_of(node)) {
        // Pairs with locks/queue_node.hpp:mark_waiting.
        return NodeState(node_in(sleeper, node.index()).state.load(std::memory_order_acquire));
    }
    return NodeState(atomic_on_other_node({.dest = &my_queue_node(node.index()).state}, node));
}

bool is_granted(NodeName node) {
    if (Sleeper* sleeper = sleeper_of(node))
        return node_in(sleeper, node.index()).granted.has_reached(1);
    // A Gate is its number times 2, and a mark (base/gate.hpp).
    return atomic_on_other_node(
               {.dest = &my_queue_node(node.index()).granted, .bytes = sizeof(Gate)}, node) >= 2;
}

void fail_lost_place(int pe) {
    fatal(
        "shmemx_mutex: PE %d died while it joined, or waited in, the queue of a mutex that this PE "
        "needs, and its place cannot be known",
        pe);
}

NodeState state_of_reachable(NodeName node) {
    if (sleeper_of(node) == nullptr && is_dead(node.pe())) fail_lost_place(node.pe());
    return state_of(node);
}

// A node that does not have the lock after the generation of the node before it was read waits
// behind that generation: the PE before has not used its node again.
bool has_fallen(NodeName node) {
    while (is_dead(node.pe())) {
        const NodeState state = state_of_reachable(node);
        // The PE gave the lock to the node behind before it died.
        if (state.generation() != node.generation() || state.is(StateKind::kFree)) return false;
        if (state.is(StateKind::kHolder) || is_granted(node)) return true;
        if (state.is(StateKind::kJoining)) fail_lost_place(node.pe());
        const NodeName before = state.before();
        const std::uint32_t generation = state_of_reachable(before).generation();
        if (is_granted(node)) return true;
        node = NodeName(before.pe(), before.index(), generation);
    }
    return false;
}

}  // namespace tessera
