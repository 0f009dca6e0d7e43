// SPDX-License-Identifier: BSD-3-Clause
//
// The operations on the queues of locks: links, grants and queries of nodes (locks/queue_node.hpp
// has their layout), of this PE and of others. Hot path.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/platform.hpp"
#include "locks/queue_node.hpp"

namespace tessera {

// This PE's node, which is also the symmetric address of the node with this index on other PEs.
QueueNode& my_queue_node(std::uint32_t index);

// Makes `node` the one behind `before`. RETURNS when: the PE of `before` will see it.
void link_behind(NodeName before, NodeName node);
// The node behind this one; none: it is not linked yet. Pairs with
// locks/lock_queue.cpp:link_behind.
inline NodeName successor_of(const QueueNode& node) {
    return NodeName(node.next.load(std::memory_order_acquire));
}
// The same, of a node that has joined the queue but may not be linked yet.
NodeName wait_for_successor(const QueueNode& node, const char* where);
// Opens a gate of the node; this PE's earlier stores, and its completed puts, are visible there.
void open_granted(NodeName node, std::uint32_t grant = kGranted);
void open_drained(NodeName node);

// For queries: the words of a node of any PE, read by acquiring loads in the order of the calls.
NodeState state_of(NodeName node);
bool is_granted(NodeName node);

// After failures. As state_of(), but ends the job if the PE of the node is dead and its memory
// cannot be reached.
NodeState state_of_reachable(NodeName node);
// Whether the lock has come to this node of a dead PE, which will not pass it on; the node behind
// it inherits. Ends the job where the place of the dead PE in the queue cannot be known.
bool has_fallen(NodeName node);
[[noreturn]] TESSERA_COLD void fail_lost_place(int pe);

}  // namespace tessera
