// SPDX-License-Identifier: BSD-3-Clause
//
// Where messages of dart_send arrive. Each unit has a list of messages in the order in which they
// came. A message stays in local memory of its sender, as one or more parts, and the parts of all
// senders are linked to one list (the queue of Mellor-Crummey and Scott):
//
//   inbox of the receiver            parts in local memory of the senders
//   head -> | part | -> | part | -> | part | <- tail
//
// A sender swaps its part into `tail`, and links it to the part that was there, or to `head` if
// there was none; then it counts it in `arrivals`, which the receiver waits for. So a sender never
// waits for a receiver, and the memory for messages that no dart_recv has asked for is that of the
// senders. The receiver takes parts off the list into a queue of its own, and tells each sender
// when it needs a part no more.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tessera::dart {

// The payload that the receiver fetches together with the envelope.
inline constexpr std::size_t kInlineBytes = 192;

struct Envelope {
    std::int32_t source;
    std::int32_t tag;
    std::uint64_t message;        // the sender's number for it
    std::uint64_t message_bytes;  // length of the whole message
    std::uint64_t first_byte;     // where this part begins
    std::uint64_t part_bytes;
};

// A part in the memory of its sender. A longer payload goes on behind it.
struct MessagePart {
    std::uint64_t next;  // shmemx_gptr_t of the part behind it; null: none yet
    std::uint64_t uses;  // kUses: the receiver needs it no more
    Envelope envelope;
    char payload[kInlineBytes];

    // The receiver has gone on to the next part, and has copied the payload.
    static constexpr std::uint64_t kUses = 2;
};
static_assert(sizeof(MessagePart) == 248);

// A part that the receiver has taken off the list, with the start of its payload.
struct Arrival {
    MessagePart part;
    std::uint64_t place;  // shmemx_gptr_t

    bool is_inline() const { return part.envelope.part_bytes <= kInlineBytes; }
};

// Called by the first dart_init, collectively. RETURNS: false: not enough symmetric memory.
bool start_inbox();

// Called by dart_exit behind a barrier: forgets messages that no dart_recv has asked for.
void stop_inbox();

// Appends a part of this unit, which stays until its uses are kUses, to a unit's list.
void post(int unit, MessagePart* part);

// A receiver asks for the first part of a message, or for the next one of a message whose first
// part it has.
struct Pattern {
    std::int32_t source;
    std::int32_t tag;
    std::uint64_t first_byte;
    std::uint64_t message;  // if first_byte is not 0
};

// Takes the oldest part that fits out of the inbox. `seen` receives the number of parts that this
// unit has taken off its list.
std::optional<Arrival> try_take(const Pattern& pattern, std::uint64_t& seen);

// The receiver has copied the payload of a part that is not inline.
void end_copy(const Arrival& arrival);

// Waits until more parts have come than `seen`.
void wait_for_arrival(std::uint64_t seen);

}  // namespace tessera::dart
