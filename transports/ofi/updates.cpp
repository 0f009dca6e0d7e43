// SPDX-License-Identifier: BSD-3-Clause
//
// See transport.hpp: words, atomics without result and short puts, which gather in packets
// (kUpdates in message.hpp). The target executes those of a packet in their order, and packets in
// the order in which they set out.
#include <cstring>

#include "transports/ofi/transport.hpp"

namespace tessera::ofi {
namespace {

// Packets in flight up to which an update is sent at once; beyond, it waits for their
// acknowledgements, and gathers with those that follow. A few words, with a fence between, do not
// wait for each other. A put that only a quiet completes hardly ever comes alone.
constexpr std::uint32_t kInFlightOfWords = 4;
constexpr std::uint32_t kInFlightOfPuts = 1;
// More updates than that in a burst are a stream, and the next burst is expected to have as many.
constexpr std::uint32_t kBurstMax = 8;
// Two of them fit the least packet. Longer puts are writes by the provider.
constexpr std::size_t kGatheredBytesMax = (kPacketBytesMin - sizeof(Header)) / 2 - sizeof(Update);

}  // namespace

// The packet that a context fills for a PE. It belongs to this object from the constructor to
// leave().
class OfiTransport::Filling {
  public:
    Filling(OfiTransport& transport, OfiContext& context, int pe)
        : transport_(transport),
          context_(context),
          slot_(context.slot_of(pe)),
          pe_(pe),
          guard_(context),
          // Acquire: pairs with the store by which another thread left the packet.
          packet_(slot_.open.exchange(nullptr, std::memory_order_acquire)) {
        if (packet_ == nullptr && slot_.in_flight.load(std::memory_order_relaxed) == 0) {
            slot_.expected = slot_.burst > kBurstMax ? slot_.burst : 0;
            slot_.burst = 0;
        }
    }

    // PEs share a slot.
    bool is_of_other_pe() const { return packet_ != nullptr && packet_->pe != pe_; }

    void add(const AtomicRequest& request) {
        const SegmentOffset at = transport_.setup_.segments.offset_of(request.dest);
        packet_with(sizeof(Update))
            .append({.word = RemoteWord::pack(at.segment, at.offset, request.bytes, request.op),
                     .operand = request.operand});
    }
    // REQUIRES: bytes <= kUpdateBytesMax.
    void add(void* dest, const void* source, std::size_t bytes) {
        const SegmentOffset at = transport_.setup_.segments.offset_of(dest);
        packet_with(sizeof(Update) + padded(bytes))
            .append({.word = RemoteWord::pack_bytes(at.segment, at.offset), .operand = bytes},
                    source);
    }

    // `in_flight_max`: packets in flight up to which this one is sent at once.
    void leave(std::uint32_t in_flight_max) {
        if (packet_ != nullptr && packet_->is_full()) send();
        if (context_.is_batching.load(std::memory_order_relaxed)) {
            store();
            // The last announced operation: send without waiting for more.
            const bool is_last =
                context_.batch_remaining.fetch_sub(1, std::memory_order_relaxed) == 1;
            if (is_last) {
                for (PacketSlot& each : context_.slots) transport_.send_open(each);
            }
            return;
        }
        leave_unchanged(slot_.expected != 0 ? kInFlightOfPuts : in_flight_max);
    }
    // The same for a put that a quiet completes. The expected ones behind it come first: a stream
    // is one message then, that sets out before the quiet where the program's streams are alike.
    void leave_nonblocking() {
        const bool is_awaiting = slot_.burst < slot_.expected && packet_ != nullptr &&
                                 !packet_->is_full() &&
                                 !context_.is_batching.load(std::memory_order_relaxed);
        if (!is_awaiting) return leave(kInFlightOfPuts);
        store();
    }
    void leave_unchanged(std::uint32_t in_flight_max) {
        store();
        // Too little in flight for an acknowledgement to send it soon. seq_cst: pairs with
        // MessageHandlers::finish().
        if (slot_.count_in_flight() < in_flight_max) transport_.send_open(slot_);
    }

  private:
    void store() {
        if (packet_ != nullptr) slot_.open.store(packet_, std::memory_order_seq_cst);
    }
    void send() {
        transport_.send(packet_, slot_);
        packet_ = nullptr;
    }
    Packet& packet_with(std::size_t room) {
        ++slot_.burst;
        context_.updates.fetch_add(1, std::memory_order_relaxed);
        if (packet_ != nullptr && (is_of_other_pe() || !packet_->has_room(room))) send();
        if (packet_ == nullptr) packet_ = transport_.sender_.start_packet(pe_, slot_);
        return *packet_;
    }

    OfiTransport& transport_;
    OfiContext& context_;
    PacketSlot& slot_;
    const int pe_;
    const OfiContext::Guard guard_;
    Packet* packet_;
};

bool OfiTransport::goes_as_word(const OfiContext& context, const void* dest,
                                std::size_t bytes) const {
    return takes_updates(context) && is_word(dest, bytes);
}

// Where the provider writes no word whole the target's CPU copies writes, too.
bool OfiTransport::goes_as_update(const OfiContext& context, std::size_t bytes) const {
    return keeps_order_ && bytes <= kGatheredBytesMax && takes_updates(context) &&
           bytes <= capabilities().ordered_write_bytes && confirms(bytes);
}

// A put that comes alone is a write, which needs no CPU of the target beyond the provider's. It
// counts as a packet: those behind it gather until it is delivered.
void OfiTransport::write_first(OfiContext& context, void* dest, const void* source,
                               std::size_t bytes, int pe) {
    const RemotePeer& peer = peer_with(dest, pe);
    const Target target = target_of(dest, pe);
    PacketSlot& slot = context.slot_of(pe);
    context.updates.fetch_add(1, std::memory_order_relaxed);
    slot.in_flight.fetch_add(PacketSlot::kOneWrite, std::memory_order_seq_cst);
    queue_.post(
        [&] {
            return write_delivered(peer, source, bytes, target, injects(bytes) ? FI_INJECT : 0,
                                   &slot.delivery);
        },
        pe);
}

bool OfiTransport::put_update(OfiContext& context, void* dest, const void* source,
                              std::size_t bytes, Returns returns, int pe) {
    const bool goes_whole = goes_as_word(context, dest, bytes);
    if (!goes_whole && !goes_as_update(context, bytes)) return false;
    PacketSlot& slot = context.slot_of(pe);
    const bool may_be_write = !goes_whole && !is_behind_fence(context, slot);
    const bool is_nonblocking = returns == Returns::kAtOnce;
    const bool is_first_of_stream = is_nonblocking && slot.burst > kBurstMax;
    const bool is_copied = is_nonblocking || injects(bytes);
    if (may_be_write && is_copied && capabilities().delivery_complete && slot.is_idle() &&
        !is_first_of_stream && !context.is_batching.load(std::memory_order_relaxed)) {
        write_first(context, dest, source, bytes, pe);
        return true;
    }
    peer_with(dest, pe);
    Filling filling(*this, context, pe);
    if (may_be_write && filling.is_of_other_pe()) {
        filling.leave_unchanged(kInFlightOfPuts);
        return false;
    }
    if (goes_whole) {
        filling.add(word_of(dest, source, bytes));
    } else {
        filling.add(dest, source, bytes);
    }
    if (is_nonblocking) {
        filling.leave_nonblocking();
    } else {
        filling.leave(kInFlightOfWords);
    }
    return true;
}

bool OfiTransport::put_by_message(OfiContext& context, void* dest, const void* source,
                                  std::size_t bytes, Returns returns, int pe) {
    if (put_update(context, dest, source, bytes, returns, pe)) return true;
    if (!is_behind_fence(context, context.slot_of(pe))) return false;
    if (bytes <= kScatterBytesMax) {
        Section one_run;
        one_run.run_bytes = bytes;
        scatter(context, static_cast<char*>(dest), static_cast<const char*>(source), one_run, pe);
        return true;
    }
    settle(context, pe);
    return false;
}

AtomicRequest OfiTransport::word_of(void* dest, const void* source, std::size_t bytes) {
    AtomicRequest request{.dest = dest, .bytes = bytes, .op = AtomicOp::kSet};
    std::memcpy(&request.operand, source, bytes);
    return request;
}

void OfiTransport::update(OfiContext& context, const AtomicRequest& request, int pe) {
    peer_with(request.dest, pe);
    Filling filling(*this, context, pe);
    filling.add(request);
    filling.leave(kInFlightOfWords);
}

void OfiTransport::update(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                          const AtomicRequest& signal, int pe) {
    peer_with(dest, pe);
    peer_with(signal.dest, pe);
    Filling filling(*this, context, pe);
    if (is_word(dest, bytes)) {
        filling.add(word_of(dest, source, bytes));
    } else {
        filling.add(dest, source, bytes);
    }
    filling.add(signal);
    filling.leave(kInFlightOfWords);
}

}  // namespace tessera::ofi
