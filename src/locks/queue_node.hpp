// SPDX-License-Identifier: BSD-3-Clause
//
// The nodes of lock queues (MCS: Mellor-Crummey and Scott, 1991), for locks/mutex.hpp and
// locks/rwlock.hpp. A PE that waits for a lock, or holds one, has a node in its own internal
// segment, so that it waits on its own memory. Locks and nodes name other nodes by one word, which
// is equal on all PEs (the packed pointer of Ravichandrasekaran 2015, 4.5):
//
//   name    PE (20 bits) | index of the node (18) | generation (26); 0: no node
//   state   generation (26) | PE (20) and index (18) of the node before it in the queue,
//           or index 0 and a StateKind
//
// The generation tells two uses of a node apart. Hot path.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/gate.hpp"
#include "base/platform.hpp"

namespace tessera {

class NodeName {
  public:
    static constexpr unsigned kIndexBits = 18;
    static constexpr unsigned kGenerationBits = 26;
    static constexpr std::uint32_t kPesMax = 1U << 20;
    static constexpr std::uint32_t kGenerations = 1U << kGenerationBits;

    constexpr NodeName() = default;
    explicit constexpr NodeName(std::uint64_t bits) : bits_(bits) {}
    constexpr NodeName(int pe, std::uint32_t index, std::uint32_t generation)
        : bits_(((static_cast<std::uint64_t>(pe) << kIndexBits | index) << kGenerationBits) |
                generation % kGenerations) {}

    constexpr int pe() const { return static_cast<int>(place() >> kIndexBits); }
    constexpr std::uint32_t index() const {
        return static_cast<std::uint32_t>(place() % (1U << kIndexBits));
    }
    constexpr std::uint32_t generation() const {
        return static_cast<std::uint32_t>(bits_ % kGenerations);
    }
    // PE and index alone: 38 bits, 0 for no node.
    constexpr std::uint64_t place() const { return bits_ >> kGenerationBits; }
    static constexpr NodeName at(std::uint64_t place) { return NodeName(place << kGenerationBits); }
    // The same node in its next use.
    constexpr NodeName next_use() const {
        constexpr std::uint64_t kGeneration = kGenerations - 1;
        return NodeName((bits_ & ~kGeneration) | ((bits_ + 1) & kGeneration));
    }
    // In the word of a mutex: it is free, but its last holder failed with it. No node has index 0.
    static constexpr NodeName abandoned() { return NodeName(1); }
    constexpr std::uint64_t bits() const { return bits_; }
    constexpr bool is_none() const { return bits_ == 0; }
    constexpr bool is_free() const { return bits_ <= abandoned().bits_; }
    constexpr bool operator==(const NodeName&) const = default;

  private:
    std::uint64_t bits_ = 0;
};

// The state of a node that does not wait behind another one.
enum class StateKind : std::uint64_t { kFree = 0, kJoining = 1, kHolder = 2 };

class NodeState {
  public:
    explicit constexpr NodeState(std::uint64_t bits) : bits_(bits) {}
    constexpr NodeState(std::uint32_t generation, StateKind kind)
        : NodeState(generation, static_cast<std::uint64_t>(kind) << NodeName::kIndexBits) {}
    // The node waits behind `before`.
    constexpr NodeState(std::uint32_t generation, NodeName before)
        : NodeState(generation, before.place()) {}

    constexpr std::uint32_t generation() const {
        return static_cast<std::uint32_t>(bits_ >> kNodeBits);
    }
    constexpr bool is(StateKind kind) const {
        return place() == static_cast<std::uint64_t>(kind) << NodeName::kIndexBits;
    }
    // The node before this one, without generation; an index of 0: it does not wait.
    constexpr NodeName before() const { return NodeName::at(place()); }
    constexpr std::uint64_t bits() const { return bits_; }
    constexpr bool operator==(const NodeState&) const = default;

  private:
    static constexpr unsigned kNodeBits = 64 - NodeName::kGenerationBits;
    constexpr NodeState(std::uint32_t generation, std::uint64_t place)
        : bits_(static_cast<std::uint64_t>(generation % NodeName::kGenerations) << kNodeBits |
                place) {}
    constexpr std::uint64_t place() const { return bits_ & ((std::uint64_t{1} << kNodeBits) - 1); }
    std::uint64_t bits_;
};

// Numbers of the gate `granted`: the last holder has given the lock back, or has failed with it.
// The PE of the node sets the second one itself where no PE is left that could post.
inline constexpr std::uint32_t kGranted = 1;
inline constexpr std::uint32_t kInherited = 2;

// A node in shared memory. Its PE resets it while no other PE knows its name.
//    0  next: name of the node behind this one; written once in a use by the PE of that node
//    8  state: NodeState; written by the node's PE, read by queries of other PEs
//   16  granted: kGranted when the lock is this node's; posted by the PE of the node before it
//   20  drained: 1 when the last reader has left; posted by that reader's PE (rwlock.hpp)
struct alignas(kCacheLineBytes) QueueNode {
    std::atomic<std::uint64_t> next;
    std::atomic<std::uint64_t> state;
    Gate granted;
    Gate drained;

    // Begins a use, but for the state and, where it is needed, `drained`.
    void reset() {
        // A query that reads a gate of this use sees that the last use is over. Pairs with
        // base/gate.hpp:has_reached. The rest is relaxed: the node's name reaches other PEs by the
        // atomic that puts it into the queue.
        std::atomic_thread_fence(std::memory_order_release);
        next.store(0, std::memory_order_relaxed);
        granted.reset(0);
    }
    void mark_free(std::uint32_t generation) { set_state(NodeState(generation, StateKind::kFree)); }
    // A query that sees this reads `granted` next, and must not find that of the last use. Pairs
    // with locks/lock_queue.cpp:state_of.
    void mark_waiting(NodeName node, NodeName before) {
        state.store(NodeState(node.generation(), before).bits(), std::memory_order_release);
    }
    // Relaxed: queries of other PEs tell uses apart by the generation, and read nothing else.
    void set_state(NodeState to) { state.store(to.bits(), std::memory_order_relaxed); }
};
static_assert(sizeof(QueueNode) == kCacheLineBytes);

// In each PE's internal segment; index 0 is never used. So many locks can a PE hold or wait for.
inline constexpr std::uint32_t kQueueNodes = 1U << NodeName::kIndexBits;

}  // namespace tessera
