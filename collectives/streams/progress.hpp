// SPDX-License-Identifier: BSD-3-Clause
//
// The progress of one call: sends and receives as long as streams have room and messages are there.
// A template over the streams, so that a test runs schedules of many members in one process.
#pragma once

#include <cstring>

#include "base/copy.hpp"
#include "collectives/streams/call.hpp"

namespace tessera::collectives {

struct Position {
    std::uint32_t sent = 0;      // sends of the call that are done, from the first one on
    std::uint32_t received = 0;  // receives that are done
};

// Does what the schedule says with a message, which lies at `data`.
inline void act_on(const RuntimeCall& call, const Message& message, const char* data) {
    if (message.action == Action::kCopy) {
        // An array that is sent in place is its own copy.
        if (message.bytes > 0 && message.dest != data) {
            if (message.is_local) {
                std::memmove(message.dest, data,
                             message.bytes);  // The program's arrays may overlap.
            } else {
                copy_bytes(message.dest, data, message.bytes);
            }
        }
        return;
    }
    std::size_t bytes = message.bytes;
    if (bytes < call.element_bytes) {  // A part: the element is put together first.
        char* const element = call.engine_scratch(0);
        std::memcpy(element + message.part_at, data, bytes);
        if (!message.is_last_part) return;
        data = element;
        bytes = call.element_bytes;
    }
    const std::size_t nelems = bytes / call.element_bytes;
    if (message.action == Action::kCombineBehind)
        return call.function.combine(message.dest, data, nelems);
    call.function.combine_before(data, message.dest, nelems, call.element_bytes,
                                 call.engine_scratch(1));
}

// RETURNS: whether something was sent.
template <class Streams>
bool send_next(const RuntimeCall& call, Position& position, Streams& streams) {
    if (position.sent == call.sends) return false;
    const Message message = call.schedule->send(call, position.sent);
    if (message.needs > position.received) return false;
    if (message.peer != kNoMember) {
        if (!streams.can_send(message.peer)) return false;
        if (message.is_direct) {
            streams.put(message.peer, message.place, message.source, message.bytes);
            streams.send(message.peer, nullptr, 0);
        } else {
            streams.send(message.peer, message.source, message.bytes);
        }
    }
    ++position.sent;
    return true;
}

// RETURNS: whether something was received.
template <class Streams>
bool receive_next(const RuntimeCall& call, Position& position, Streams& streams) {
    if (position.received == call.receives) return false;
    const Message message = call.schedule->receive(call, position.received);
    if (message.needs > position.sent) return false;
    if (message.is_local) {
        act_on(call, message, message.source);
    } else if (message.peer != kNoMember) {
        const char* data = streams.next(message.peer);
        if (data == nullptr) return false;
        act_on(call, message, message.is_direct ? message.source : data);
        streams.take(message.peer);
    }
    ++position.received;
    return true;
}

// RETURNS: whether the call is complete on this member.
template <class Streams>
bool advance(const RuntimeCall& call, Position& position, Streams& streams) {
    for (bool has_moved = true; has_moved;) {
        has_moved = send_next(call, position, streams);
        has_moved = receive_next(call, position, streams) || has_moved;
    }
    return position.sent == call.sends && position.received == call.receives;
}

}  // namespace tessera::collectives
