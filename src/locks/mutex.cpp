// SPDX-License-Identifier: BSD-3-Clause
//
// See mutex.hpp. The swap or compare-and-swap of the word, and the gate in a queue node, order two
// holders: the earlier one releases, the later one acquires.
#include "locks/mutex.hpp"

#include "base/failures.hpp"
#include "base/fatal.hpp"
#include "base/wait.hpp"

namespace tessera {

void fail_too_many_pes(const char* where) {
    fatal("%s: this job has %u PEs; locks of single PEs work with at most %u", where,
          address_map.npes, NodeName::kPesMax);
}

// Puts the node at the end of the queue, as the swap does. The node tells its place before it is
// there: if this PE dies meanwhile, the others know its place. RETURNS: the node before it.
NodeName Mutex::join_in_sight(Mutex mutex, NodeName node) {
    QueueNode& mine = my_queue_node(node.index());
    for (NodeName before;;) {
        if (before.is_free()) {
            mine.set_state(NodeState(node.generation(), StateKind::kHolder));
        } else {
            mine.mark_waiting(node, before);
        }
        const NodeName found(mutex.compare_swap(before.bits(), node.bits()));
        if (found == before) return before;
        before = found;
    }
}

// A gate that is granted tells queries that the caller is the holder now. Its state stays as it is:
// the PE behind it may be writing to the same cache line.
void Mutex::wait_behind(Mutex mutex, NodeName before, NodeName node) {
    QueueNode& mine = my_queue_node(node.index());
    const auto take_over = [&] {
        mine.set_state(NodeState(node.generation(), StateKind::kHolder));
        mine.granted.reset(kInherited);
    };
    if (before == NodeName::abandoned()) return take_over();
    mine.mark_waiting(node, before);
    link_behind(before, node);
    if (mine.granted.reaches_soon(1)) return;
    const auto is_inherited = [](void* name) { return has_fallen(*static_cast<NodeName*>(name)); };
    mine.granted.wait_unless(is_inherited, &before, 1, mutex.where_);
    // No PE is left that could post.
    if (!mine.granted.has_reached(1)) take_over();
}

// The mutex was not free. A program may repeat the call until it is.
void Mutex::give_up(Mutex mutex, NodeName name) {
    held_locks().remove(mutex.key_, name);
    release_held();
    drive_progress();
}

// The last node in the queue may be of a PE that has died, and the mutex its own. RETURNS: whether
// the caller has it now. REQUIRES: its node tells that it is the holder.
bool Mutex::inherit(Mutex mutex, NodeName last, NodeName node) {
    const bool is_orphaned =
        last == NodeName::abandoned() || (failure_count() > 0 && has_fallen(last));
    if (!is_orphaned || mutex.compare_swap(last.bits(), node.bits()) != last.bits()) return false;
    my_queue_node(node.index()).granted.reset(kInherited);
    return true;
}

void Mutex::abandon() const {
    const HeldLocks::Held held = held_locks().find(key_);
    if (held.name.is_none()) fail_not_held(*this);
    complete_before_unlock();
    if (compare_swap(held.name.bits(), NodeName::abandoned().bits()) != held.name.bits())
        hand_over(*this, held.name, kInherited);
    held_locks().remove(key_, held.name);
}

bool Mutex::is_inherited() const {
    const HeldLocks::Held held = held_locks().find(key_);
    if (held.name.is_none()) fail_not_held(*this);
    return held.node->granted.has_reached(kInherited);
}

void Mutex::hand_over(Mutex mutex, NodeName name, std::uint32_t grant) {
    const QueueNode& node = my_queue_node(name.index());
    NodeName next;
    wait_until(
        [&] {
            next = successor_of(node);
            if (next.is_none() && failure_count() > 0) next = mutex.find_unlinked_successor(name);
            return !next.is_none();
        },
        mutex.where_);
    open_granted(next, grant);
}

// The successor may have died before it was linked to this node, but it has told that it waits
// behind it. One that lives is not taken, though it waits behind this node: it would link itself
// later, perhaps to the next use of the node. RETURNS: the name of a dead one; none: there is none.
NodeName Mutex::find_unlinked_successor(NodeName mine) const {
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

int Mutex::owner() const {
    if (!held_locks().find(key_).name.is_none()) return address_map.my_pe;
    int pe = -1;
    // The search starts again where the queue has moved on meanwhile.
    wait_until(
        [&] {
            const NodeName last(default_context.fetch(word(), key_.pe, where_));
            pe = -1;
            if (last.is_free()) return true;
            pe = holder_at_or_before(last);
            return pe >= 0;
        },
        where_);
    return pe;
}

// Goes from the last node to the holder's. A node that waits with the same generation before and
// after another word was read has waited all the time, so the node before it was in the queue.
// RETURNS: the PE; -1: the queue has moved on.
int Mutex::holder_at_or_before(NodeName node) const {
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

void Mutex::fail_recursive(Mutex mutex) {
    fatal("%s: this %s holds the mutex at %p of PE %d already; mutexes are not reentrant",
          mutex.where_, mutex.key_.thread == 0 ? "PE" : "thread", mutex.key_.lock, mutex.key_.pe);
}

void Mutex::fail_not_held(Mutex mutex) {
    const LockKey& key = mutex.key_;
    const int holder = mutex.owner();
    if (holder < 0) {
        fatal("%s: the mutex at %p of PE %d is not locked; lock it before", mutex.where_, key.lock,
              key.pe);
    }
    fatal(
        "%s: this %s does not hold the mutex at %p of PE %d, PE %d does; only the holder may "
        "unlock a mutex",
        mutex.where_, key.thread == 0 ? "PE" : "thread", key.lock, key.pe, holder);
}

}  // namespace tessera
