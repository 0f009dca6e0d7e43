// SPDX-License-Identifier: BSD-3-Clause
//
// Rings and queues of messages (inbox.hpp). Threads of a unit share its inbox by a mutex.

#include "messages/inbox.hpp"

#include <shmem.h>

#include <deque>
#include <mutex>

namespace tessera::dart {
namespace {

constexpr std::size_t kSlots = 64;

struct Slot {
    std::uint64_t sequence;
    Part part;
};
static_assert(sizeof(Slot) == 256);

struct Ring {
    alignas(64) std::uint64_t next_ticket;
    alignas(64) Slot slots[kSlots];
};

Ring* ring = nullptr;  // symmetric; lasts as long as the process

std::mutex inbox_mutex;
// Under the mutex:
std::deque<Part> unclaimed;
std::uint64_t head = 0;  // ticket of the next part that this unit takes

// Moves the parts of the ring to the queue. REQUIRES: inbox_mutex.
void drain() {
    for (;; ++head) {
        Slot& slot = ring->slots[head % kSlots];
        if (shmem_uint64_test(&slot.sequence, SHMEM_CMP_EQ, head + 1) == 0) {
            return;
        }
        unclaimed.push_back(slot.part);
        // Free for the next round. Pairs with the fetch in try_post.
        shmem_uint64_atomic_set(&slot.sequence, head + kSlots, shmem_my_pe());
    }
}

bool fits(const Envelope& envelope, const Pattern& pattern) {
    return envelope.source == pattern.source && envelope.tag == pattern.tag &&
           envelope.first_byte == pattern.first_byte &&
           (pattern.block == 0 || envelope.block == pattern.block);
}

}  // namespace

bool start_inbox() {
    if (ring != nullptr) {
        return true;
    }
    ring = static_cast<Ring*>(shmem_align(alignof(Ring), sizeof(Ring)));
    if (ring == nullptr) {
        return false;
    }
    ring->next_ticket = 0;
    for (std::uint64_t i = 0; i < kSlots; ++i) {
        ring->slots[i].sequence = i;
    }
    // No unit may post before all rings are ready.
    shmem_sync_all();
    return true;
}

void stop_inbox() {
    const std::lock_guard guard(inbox_mutex);
    drain();
    unclaimed.clear();
}

std::uint64_t draw_ticket(int unit) {
    return shmem_uint64_atomic_fetch_inc(&ring->next_ticket, unit);
}

bool try_post(int unit, std::uint64_t ticket, const Part& part) {
    Slot& slot = ring->slots[ticket % kSlots];
    if (shmem_uint64_atomic_fetch(&slot.sequence, unit) != ticket) {
        return false;
    }
    const Envelope& envelope = part.envelope;
    const std::size_t inline_bytes = envelope.block == 0 ? envelope.part_bytes : 0;
    shmem_putmem_signal(&slot.part, &part, sizeof envelope + inline_bytes, &slot.sequence,
                        ticket + 1, SHMEM_SIGNAL_SET, unit);
    return true;
}

std::optional<Part> try_take(const Pattern& pattern, std::uint64_t& seen) {
    const std::lock_guard guard(inbox_mutex);
    drain();
    seen = head;
    for (auto part = unclaimed.begin(); part != unclaimed.end(); ++part) {
        if (fits(part->envelope, pattern)) {
            Part taken = *part;
            unclaimed.erase(part);
            return taken;
        }
    }
    return std::nullopt;
}

void wait_for_part(std::uint64_t ticket) {
    // Another thread may take the part meanwhile; then the sequence is that of the next round.
    shmem_uint64_wait_until(&ring->slots[ticket % kSlots].sequence, SHMEM_CMP_NE, ticket);
}

}  // namespace tessera::dart
