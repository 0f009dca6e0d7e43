// SPDX-License-Identifier: BSD-3-Clause
//
// Lists and queues of messages (inbox.hpp). Threads of a unit share its inbox by a mutex.

#include "messages/inbox.hpp"

#include <shmem.h>
#include <shmemx.h>

#include <deque>
#include <mutex>

namespace tessera::dart {
namespace {

static_assert(SHMEMX_GPTR_NULL == 0);

struct Inbox {
    alignas(64) std::uint64_t tail;  // the last part; null: the list is empty
    // On one line: a sender changes one behind the other.
    alignas(64) std::uint64_t head;  // the first part of a list that was empty
    std::uint64_t arrivals;
};

Inbox* inbox = nullptr;  // symmetric; lasts as long as the process

std::mutex inbox_mutex;
// Under the mutex:
std::deque<Arrival> unclaimed;
std::uint64_t taken = 0;  // parts off the list
// The part that was taken last, if the one behind it is not known yet; else null.
std::uint64_t last = SHMEMX_GPTR_NULL;
bool is_last_inline = false;

MessagePart* part_at(std::uint64_t place) {
    return static_cast<MessagePart*>(shmemx_gptr_addr(place));
}

void add_uses(std::uint64_t place, std::uint64_t uses) {
    shmem_uint64_atomic_add(&part_at(place)->uses, uses, shmemx_gptr_pe(place));
}

// The receiver does not need the link of the last part any more.
void leave_last() {
    add_uses(last, is_last_inline ? MessagePart::kUses : 1);
    last = SHMEMX_GPTR_NULL;
}

// RETURNS: the part behind the last one; null: it is not linked yet.
std::uint64_t next_place() {
    const int me = shmem_my_pe();
    if (last != SHMEMX_GPTR_NULL)
        return shmem_uint64_atomic_fetch(&part_at(last)->next, shmemx_gptr_pe(last));
    const std::uint64_t first = shmem_uint64_atomic_fetch(&inbox->head, me);
    if (first != SHMEMX_GPTR_NULL) shmem_uint64_atomic_set(&inbox->head, SHMEMX_GPTR_NULL, me);
    return first;
}

// Moves the parts of the list to the queue. REQUIRES: inbox_mutex.
void drain() {
    const int me = shmem_my_pe();
    while (taken < shmem_uint64_atomic_fetch(&inbox->arrivals, me)) {
        const std::uint64_t place = next_place();
        if (place == SHMEMX_GPTR_NULL) {
            return;  // Its sender is about to link it.
        }
        if (last != SHMEMX_GPTR_NULL) leave_last();
        Arrival& arrival = unclaimed.emplace_back();
        arrival.place = place;
        shmem_getmem(&arrival.part, part_at(place), sizeof arrival.part, shmemx_gptr_pe(place));
        last = place;
        is_last_inline = arrival.is_inline();
        ++taken;
    }
    // An empty list: the next sender finds none before it, and links its part to `head`.
    if (last != SHMEMX_GPTR_NULL &&
        shmem_uint64_atomic_compare_swap(&inbox->tail, last, SHMEMX_GPTR_NULL, me) == last) {
        leave_last();
    }
}

bool fits(const Envelope& envelope, const Pattern& pattern) {
    return envelope.source == pattern.source && envelope.tag == pattern.tag &&
           envelope.first_byte == pattern.first_byte &&
           (pattern.first_byte == 0 || envelope.message == pattern.message);
}

}  // namespace

bool start_inbox() {
    if (inbox == nullptr) inbox = static_cast<Inbox*>(shmem_calloc(1, sizeof(Inbox)));
    return inbox != nullptr;
}

void stop_inbox() {
    const std::lock_guard guard(inbox_mutex);
    const int me = shmem_my_pe();
    for (std::uint64_t* word : {&inbox->tail, &inbox->head, &inbox->arrivals})
        shmem_uint64_atomic_set(word, 0, me);
    unclaimed.clear();
    taken = 0;
    last = SHMEMX_GPTR_NULL;
}

void post(int unit, MessagePart* part) {
    const std::uint64_t place = shmemx_gptr_of(part, shmem_my_pe());
    // The receiver finds the whole part behind the swap.
    shmem_fence();
    const std::uint64_t before = shmem_uint64_atomic_swap(&inbox->tail, place, unit);
    if (before == SHMEMX_GPTR_NULL) {
        shmem_uint64_atomic_set(&inbox->head, place, unit);
    } else {
        shmem_uint64_atomic_set(&part_at(before)->next, place, shmemx_gptr_pe(before));
    }
    shmem_uint64_atomic_inc(&inbox->arrivals, unit);
}

std::optional<Arrival> try_take(const Pattern& pattern, std::uint64_t& seen) {
    const std::lock_guard guard(inbox_mutex);
    drain();
    seen = taken;
    for (auto arrival = unclaimed.begin(); arrival != unclaimed.end(); ++arrival) {
        if (fits(arrival->part.envelope, pattern)) {
            Arrival found = *arrival;
            unclaimed.erase(arrival);
            return found;
        }
    }
    return std::nullopt;
}

void end_copy(const Arrival& arrival) { add_uses(arrival.place, 1); }

void wait_for_arrival(std::uint64_t seen) {
    // Another thread may take the part meanwhile; the count has passed `seen` all the same.
    shmem_uint64_wait_until(&inbox->arrivals, SHMEM_CMP_NE, seen);
}

}  // namespace tessera::dart
