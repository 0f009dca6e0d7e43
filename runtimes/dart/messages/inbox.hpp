// SPDX-License-Identifier: BSD-3-Clause
//
// Where messages of dart_send arrive: a ring of slots on each unit, in symmetric memory, and behind
// it a queue in private memory of messages that this unit has taken out of the ring but no
// dart_recv has asked for yet.
//
//   ring of the receiver          ticket t goes to slot t % kSlots
//   +--------+--------+--------+
//   | slot 0 | slot 1 |  ...   |  sequence == t: free for ticket t; t + 1: has its message
//   +--------+--------+--------+
//
// A sender draws a ticket by a fetch-and-add, waits for its slot to be free, and puts the message
// with the sequence as signal. Tickets keep the order of the messages of one sender.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tessera::dart {

// Payload that a slot has room for; more goes by a block of the sender (message.hpp).
inline constexpr std::size_t kInlineBytes = 208;

struct Envelope {
    std::int32_t source;
    std::int32_t tag;
    std::uint64_t message_bytes;  // of the whole message
    std::uint64_t first_byte;     // of this part
    std::uint64_t part_bytes;
    std::uint64_t block;  // shmemx_gptr_t of the sender's block; null: the payload is inline
};

struct Part {
    Envelope envelope;
    char payload[kInlineBytes];
};

// Called by the first dart_init, collectively. RETURNS: false: not enough symmetric memory.
bool start_inbox();

// Called by dart_exit behind a barrier: forgets messages that no dart_recv has asked for.
void stop_inbox();

// A place in the order of the parts for a unit, which is to be used by try_post.
std::uint64_t draw_ticket(int unit);
// Sends a part to a unit's ring. RETURNS: false: its slot is not free yet; call again with the same
// ticket.
bool try_post(int unit, std::uint64_t ticket, const Part& part);

// A receiver asks for the first part of a message, or for the next one of a message whose first
// part it has.
struct Pattern {
    std::int32_t source;
    std::int32_t tag;
    std::uint64_t block;  // null: a first part
    std::uint64_t first_byte;
};

// Takes the oldest part that fits out of the inbox. `seen` receives the ticket that this unit's
// ring has come to.
std::optional<Part> try_take(const Pattern& pattern, std::uint64_t& seen);

// Waits until the ring has the part with a ticket, or has had it.
void wait_for_part(std::uint64_t ticket);

}  // namespace tessera::dart
