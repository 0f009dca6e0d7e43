// SPDX-License-Identifier: BSD-3-Clause
//
// See rwlock.hpp. Order between two holders: the atomics on the state, and the gates of nodes,
// acquire and release.
#include "locks/rwlock.hpp"

#include "base/fatal.hpp"
#include "base/wait.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t kOneReader = 1;
constexpr std::uint64_t kDraining = std::uint64_t{1} << 25;
constexpr std::uint64_t kReaders = kDraining - 1;
constexpr unsigned kNodeShift = NodeName::kGenerationBits;
constexpr std::uint64_t kRest = kReaders | kDraining;
static_assert(kRest == (std::uint64_t{1} << kNodeShift) - 1);

std::uint64_t last_place(std::uint64_t state) { return state >> kNodeShift; }
std::uint64_t with_last(std::uint64_t state, NodeName node) {
    return node.place() << kNodeShift | (state & kRest);
}

const char* name_of(LockUse use) { return use == LockUse::kReading ? "reading" : "writing"; }

}  // namespace

RwLock::RwLock(RwLockWords* words, int pe, std::uint64_t thread, const char* where)
    : words_(words), key_{.lock = words, .pe = pe, .thread = thread}, where_(where) {}

// A reader enters without a queue; all others get behind the last node. RETURNS: the state before.
std::uint64_t RwLock::join(NodeName node, LockUse use) {
    std::uint64_t seen = 0;
    for (;;) {
        const bool enters = use == LockUse::kReading && last_place(seen) == 0;
        const std::uint64_t before = seen;
        seen = change_state(before, enters ? before + kOneReader : with_last(before, node));
        if (seen == before) return before;
    }
}

// RETURNS: the name of a node that may join the queue; none: the caller has the lock.
NodeName RwLock::prepare(LockUse use) {
    const HeldLocks::Held held = held_locks().add(key_, use, where_);
    if (held.name.is_none()) return {};
    held.node->drained.reset(0);
    held.node->set_state(NodeState(held.name.generation(), StateKind::kJoining));
    return held.name;
}

void RwLock::lock(LockUse use) {
    const NoCancellationPoint not_in_the_queue;
    const NodeName name = prepare(use);
    if (name.is_none()) [[unlikely]]
        fail_held_already();
    const std::uint64_t before = join(name, use);
    const std::uint64_t last = last_place(before);
    if (last != 0) {
        link_behind(NodeName::at(last), name);
        my_queue_node(name.index()).granted.wait_for(1, where_);
    }
    if (use == LockUse::kWriting) {
        if (before != 0) drain_readers(name);
    } else if (last != 0) {
        const std::uint64_t state =
            default_context.fetch_add(&words_->state, kOneReader, key_.pe, where_);
        pass_head_on(name, state + kOneReader);
    }
    acquire_after_lock();
}

bool RwLock::try_lock(LockUse use) {
    const NoCancellationPoint not_in_the_queue;
    const NodeName name = prepare(use);
    if (name.is_none()) return false;
    const bool reads = use == LockUse::kReading;
    // A reader tries again while other readers come and go.
    for (std::uint64_t seen = 0; reads ? last_place(seen) == 0 : seen == 0;) {
        const std::uint64_t before = seen;
        seen = change_state(before, reads ? before + kOneReader : with_last(before, name));
        if (seen != before) continue;
        acquire_after_lock();
        return true;
    }
    held_locks().remove(key_, name);
    release_held();
    drive_progress();
    return false;
}

void RwLock::unlock(LockUse use) {
    const NoCancellationPoint not_in_the_queue;
    const NodeName name = find_held(use).name;
    complete_before_unlock();
    if (use == LockUse::kReading) {
        held_locks().remove(key_, name);
        return leave_as_reader();
    }
    pass_head_on(name, with_last(0, name));
    held_locks().remove(key_, name);
}

// The writer at the head of the queue waits here. No reader enters meanwhile. The mark goes with
// the head.
void RwLock::drain_readers(NodeName node) {
    const Context& context = default_context;
    if ((context.fetch(&words_->state, key_.pe, where_) & kReaders) == 0) return;
    context.swap(&words_->drainer, node.bits(), key_.pe, where_);
    const std::uint64_t state = context.fetch_or(&words_->state, kDraining, key_.pe, where_);
    if ((state & kReaders) != 0) my_queue_node(node.index()).drained.wait_for(1, where_);
    context.fetch_and(&words_->state, ~kDraining, key_.pe, where_);
}

// A reader that is inside calls it, or the writer that unlocks. `state_at_head` is the likely state
// if no node is behind this one.
void RwLock::pass_head_on(NodeName node, std::uint64_t state_at_head) {
    const QueueNode& mine = my_queue_node(node.index());
    // Pairs with locks/lock_queue.cpp:link_behind.
    const bool is_awaited = mine.next.load(std::memory_order_acquire) != 0;
    for (std::uint64_t seen = state_at_head; !is_awaited && last_place(seen) == node.place();) {
        const std::uint64_t before = seen;
        seen = change_state(before, before & kRest);
        if (seen == before) return;
    }
    open_granted(wait_for_successor(mine, where_));
}

// Without a mark no writer waits for the count, or the writer will see it.
void RwLock::leave_as_reader() {
    const std::uint64_t before =
        default_context.fetch_add(&words_->state, ~std::uint64_t{0}, key_.pe, where_);
    if ((before & kReaders) != kOneReader || (before & kDraining) == 0) return;
    open_drained(NodeName(default_context.fetch(&words_->drainer, key_.pe, where_)));
}

void RwLock::fail_held_already() const {
    const HeldLocks::Held found = held_locks().find(key_);
    fatal(
        "%s: this %s has locked the rwlock at %p of PE %d for %s already; rwlocks are neither "
        "reentrant nor can a reader become a writer",
        where_, key_.thread == 0 ? "PE" : "thread", key_.lock, key_.pe, name_of(found.use));
}

HeldLocks::Held RwLock::find_held(LockUse use) const {
    const HeldLocks::Held found = held_locks().find(key_);
    const char* caller = key_.thread == 0 ? "PE" : "thread";
    if (found.name.is_none()) {
        fatal(
            "%s: this %s has not locked the rwlock at %p of PE %d; only the PE or thread that "
            "has locked it may unlock it",
            where_, caller, key_.lock, key_.pe);
    }
    if (found.use != use) {
        fatal(
            "%s: this %s has locked the rwlock at %p of PE %d for %s; unlock it by the routine "
            "for %s",
            where_, caller, key_.lock, key_.pe, name_of(found.use), name_of(found.use));
    }
    return found;
}

}  // namespace tessera
