// SPDX-License-Identifier: BSD-3-Clause
//
// A member's end of one set of a team's streams (teams/team_streams.hpp): it sends messages of up
// to a slot to any member and takes those of each member in order. No call waits for another
// member: a sender first asks whether a slot is free, a receiver whether a message is there.
// THREADS: one at a time (collectives/streams/engine.cpp has the lock). Lives as long as the team.
#pragma once

#include <cstring>
#include <vector>

#include "base/copy.hpp"
#include "core/context.hpp"
#include "teams/stream_blocks.hpp"
#include "teams/team.hpp"
#include "teams/team_streams.hpp"

namespace tessera {

class StreamSet {
  public:
    // REQUIRES: team.has_streams.
    StreamSet(const Team& team, int set)
        : team_(team),
          layout_(stream_layout(team)),
          set_(set),
          streams_(static_cast<std::size_t>(team.npes), Stream{.sent = team.first_stream_number,
                                                               .received = team.first_stream_number,
                                                               .freed = team.first_stream_number}),
          last_number_(team.first_stream_number) {}

    std::size_t slot_bytes() const { return layout_.slot_bytes(); }

    // Whether the next message to member `to` has a free slot there.
    bool can_send(int to) const {
        const std::uint32_t number = stream(to).sent + 1;
        // The numbers of a stream begin behind first_stream_number, where all slots are free.
        if (number - team_.first_stream_number <= kStreamSlots) return true;
        return gate(mine(), layout_.freed(set_, to)).has_reached(number - kStreamSlots);
    }
    // RETURNS when: `data` is reusable. REQUIRES: can_send(to), bytes <= slot_bytes().
    void send(int to, const void* data, std::size_t bytes) {
        Stream& to_them = stream(to);
        const std::uint32_t number = ++to_them.sent;
        raise(number);
        const std::size_t slot = layout_.slot(set_, team_.my_index, number);
        const std::size_t arrived = layout_.arrived(set_, team_.my_index);
        if (char* theirs = mapped(to)) {
            if (bytes > 0) std::memcpy(theirs + slot, data, bytes);
            return post(to, arrived, number);
        }
        FabricTransport::PutWithGates what{.dest = mine() + slot,
                                           .data = data,
                                           .bytes = bytes,
                                           .gate = &gate(mine(), arrived),
                                           .number = number};
        // The same message tells which slots are free again.
        if (to_them.freed != to_them.received) {
            to_them.freed = to_them.received;
            what.other_gate = &gate(mine(), layout_.freed(set_, team_.my_index));
            what.other_number = to_them.received;
        }
        address_map.fabric->put_with_gates(transport_context(), what, team_.world_pe(to));
    }

    // Puts data into the heap of member `to`. RETURNS when: `data` is reusable; the next message to
    // that member comes behind it.
    void put(int to, std::size_t heap_offset, const void* data, std::size_t bytes) {
        const int pe = team_.world_pe(to);
        char* const name = reinterpret_cast<char*>(address_map.heap_base) + heap_offset;
        if (char* theirs = address_map.known_heap(name, bytes, pe))
            return copy_bytes(theirs, data, bytes);
        Context::transport(pe, name).put(transport_context(), name, data, bytes, pe);
    }

    // The next message of member `from`, until take(); nullptr: it has not come.
    const char* next(int from) const {
        const std::uint32_t number = stream(from).received + 1;
        if (!gate(mine(), layout_.arrived(set_, from)).has_reached(number)) return nullptr;
        return mine() + layout_.slot(set_, from, number);
    }
    // The slot is free again. The sender learns it when half of the slots are.
    void take(int from) {
        Stream& from_them = stream(from);
        raise(++from_them.received);
        if (from_them.received - from_them.freed < kStreamSlots / 2) return;
        from_them.freed = from_them.received;
        post(from, layout_.freed(set_, team_.my_index), from_them.received);
    }

    // Behind every number that this member has posted or waits for.
    std::uint32_t last_number() const { return last_number_; }

  private:
    struct Stream {
        std::uint32_t sent;      // to that member
        std::uint32_t received;  // from it
        std::uint32_t freed;     // messages that the member knows to be freed
    };

    Stream& stream(int member) { return streams_[static_cast<std::size_t>(member)]; }
    const Stream& stream(int member) const { return streams_[static_cast<std::size_t>(member)]; }
    void raise(std::uint32_t number) {
        if (static_cast<std::int32_t>(number - last_number_) > 0) last_number_ = number;
    }
    static TransportContext& transport_context() { return stream_context.transport_context(); }
    // Also the symmetric name of the block of a member of another node.
    char* mine() const { return stream_block(team_.slot); }
    // The block of a member as this PE maps it; nullptr: the member is on another node.
    char* mapped(int index) const { return mapped_stream_block(team_.world_pe(index), team_.slot); }
    static Gate& gate(char* block, std::size_t at) { return *reinterpret_cast<Gate*>(block + at); }

    // The message, or the reads of it, come before the post. Wakes the member if it sleeps in a
    // wait: the fence orders the post before the load of that. Pairs with base/gate.hpp:has_reached
    // and base/wait.cpp:sleep_unless.
    void post(int index, std::size_t at, std::uint32_t number) const {
        const int pe = team_.world_pe(index);
        if (char* theirs = mapped(index)) {
            gate(theirs, at).post(number);
            std::atomic_thread_fence(std::memory_order_seq_cst);
            Sleeper* sleeper = address_map.peers[static_cast<std::uint32_t>(pe)].sleeper;
            if (sleeper->is_sleeping()) sleeper->wake();
            return;
        }
        address_map.fabric->post_gate_behind(transport_context(), gate(mine(), at), number, pe);
    }

    const Team& team_;
    StreamLayout layout_;
    int set_;
    std::vector<Stream> streams_;
    std::uint32_t last_number_;
};

}  // namespace tessera
