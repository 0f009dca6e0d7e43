// SPDX-License-Identifier: BSD-3-Clause
//
// See mutex.hpp. The swap or compare-and-swap of the word, and the gate in a queue node, order two
// holders: the earlier one releases, the later one acquires.
#include "core/mutex.hpp"

#include "base/failures.hpp"
#include "base/fatal.hpp"
#include "base/wait.hpp"

namespace tessera {

void fail_too_many_pes(const char* where) {
    fatal("%s: this job has %u PEs; locks of single PEs work with at most %u", where,
          address_map.npes, NodeName::kPesMax);
}

void Mutex::lock() {
    HeldLocks& held = held_locks();
    const NodeName name = held.add(key_, LockUse::kMutex, where_);
    if (name.is_none()) [[unlikely]]
        fail_recursive();
    const NodeName before = survives_failures() ? join(name) : NodeName(swap(name.bits()));
    if (before.is_none()) [[likely]] {
        held.node(name.index()).set_state(NodeState(name.generation(), StateKind::kHolder));
    } else {
        wait_behind(before, name);
    }
    acquire_after_lock();
}

// Puts the node at the end of the queue, where the swap would put it. The node tells its place
// before it is there: if this PE dies meanwhile, the others know its place. RETURNS: the node
// before it.
NodeName Mutex::join(NodeName node) {
    QueueNode& mine = my_queue_node(node.index());
    NodeName before;
    for (;;) {
        mine.set_state(before.is_none() ? NodeState(node.generation(), StateKind::kHolder)
                                        : NodeState(node.generation(), before));
        const NodeName found(compare_swap(before.bits(), node.bits()));
        if (found == before) return before;
        before = found;
    }
}

// The gate tells queries that the caller is the holder now. Its state stays as it is: the PE behind
// it may be writing to the same cache line.
void Mutex::wait_behind(NodeName before, NodeName node) {
    QueueNode& mine = my_queue_node(node.index());
    mine.set_state(NodeState(node.generation(), before));
    link_behind(before, node);
    if (mine.granted.reaches_soon(1)) return;
    const auto is_inherited = [](void* name) { return has_fallen(*static_cast<NodeName*>(name)); };
    mine.granted.wait_unless(is_inherited, &before, 1, where_);
    // Queries take the granted gate, or this, for the sign of a holder.
    if (!mine.granted.has_reached(1))
        mine.set_state(NodeState(node.generation(), StateKind::kHolder));
}

bool Mutex::try_lock() {
    HeldLocks& held = held_locks();
    const NodeName name = held.add(key_, LockUse::kMutex, where_);
    if (name.is_none()) return false;
    const std::uint64_t free = 0;
    // As in join().
    held.node(name.index()).set_state(NodeState(name.generation(), StateKind::kHolder));
    if (compare_swap(free, name.bits()) != free) {
        held.remove(name.index());
        // A program may repeat the call until it succeeds.
        drive_progress();
        return false;
    }
    acquire_after_lock();
    return true;
}

void Mutex::unlock() {
    HeldLocks& held = held_locks();
    const HeldLocks::Found found = held.find(key_);
    if (found.index == 0) fail_not_held();
    complete_before_unlock();
    QueueNode& mine = held.node(found.index);
    const NodeState state(mine.state.load(std::memory_order_relaxed));  // Written by this PE.
    const NodeName name(address_map.my_pe, found.index, state.generation());
    const std::uint64_t free = 0;
    // Acquire: pairs with link_behind() in the PE of the next node.
    const bool is_awaited = mine.next.load(std::memory_order_acquire) != 0;
    if (is_awaited || compare_swap(name.bits(), free) != name.bits()) {
        hand_over(name, mine);
    }
    held.remove(found.index);
}

void Mutex::hand_over(NodeName name, const QueueNode& node) {
    NodeName next;
    wait_until(
        [&] {
            next = successor_of(node);
            if (next.is_none() && failure_count() > 0) next = find_unlinked_successor(name);
            return !next.is_none();
        },
        where_);
    open_granted(next);
}

// The successor may have died before it was linked to this node, but it has told that it waits
// behind it. One that lives is not taken, though it waits behind this node: it would link itself
// later, perhaps to the next use of the node. RETURNS: the name of a dead one; none: there is none.
NodeName Mutex::find_unlinked_successor(NodeName mine) {
    NodeName node(default_context.fetch(word(), key_.pe, where_));
    while (node != mine) {
        const NodeState state = state_of_reachable(node);
        if (state.generation() != node.generation()) return {};
        const NodeName place = state.before();
        if (place.index() == 0) {
            if (is_dead(node.pe())) fail_lost_place(node.pe());
            return {};  // Its PE will go on.
        }
        if (place.place() == mine.place()) return is_dead(node.pe()) ? node : NodeName();
        node = NodeName(place.pe(), place.index(), state_of_reachable(place).generation());
    }
    return {};
}

int Mutex::owner() {
    if (held_locks().find(key_).index != 0) return address_map.my_pe;
    int pe = -1;
    // The search starts again where the queue has moved on meanwhile.
    wait_until(
        [&] {
            const NodeName last(default_context.fetch(word(), key_.pe, where_));
            pe = -1;
            if (last.is_none()) return true;
            pe = holder_at_or_before(last);
            return pe >= 0;
        },
        where_);
    return pe;
}

// Goes from the last node to the holder's. A node that waits with the same generation before and
// after another word was read has waited all the time, so the node before it was in the queue.
// RETURNS: the PE; -1: the queue has moved on.
int Mutex::holder_at_or_before(NodeName node) {
    for (;;) {
        const NodeState state = state_of(node);
        if (state.generation() != node.generation()) return -1;
        if (state.is(StateKind::kHolder)) return node.pe();
        const NodeName place = state.before();
        if (place.index() == 0) {
            // It has just joined, or has just left; a dead one stays as it is.
            if (state.is(StateKind::kJoining) && is_dead(node.pe())) fail_lost_place(node.pe());
            return -1;
        }
        const NodeState state_before = state_of(place);
        const bool has_lock = is_granted(node);
        if (state_of(node) != state) return -1;
        if (has_lock) return node.pe();
        node = NodeName(place.pe(), place.index(), state_before.generation());
    }
}

void Mutex::fail_recursive() const {
    fatal("%s: this %s holds the mutex at %p of PE %d already; mutexes are not reentrant", where_,
          key_.thread == 0 ? "PE" : "thread", key_.lock, key_.pe);
}

void Mutex::fail_not_held() {
    const int holder = owner();
    if (holder < 0) {
        fatal("%s: the mutex at %p of PE %d is not locked; lock it before", where_, key_.lock,
              key_.pe);
    }
    fatal(
        "%s: this %s does not hold the mutex at %p of PE %d, PE %d does; only the holder may "
        "unlock a mutex",
        where_, key_.thread == 0 ? "PE" : "thread", key_.lock, key_.pe, holder);
}

}  // namespace tessera
