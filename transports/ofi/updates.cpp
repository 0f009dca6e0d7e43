// SPDX-License-Identifier: BSD-3-Clause
//
// See updates.hpp.
#include "transports/ofi/updates.hpp"

#include <cstring>

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

Updates::Updates(Rma& rma, Messages& messages, const MessageSender& sender)
    : rma_(rma),
      messages_(messages),
      sender_(sender),
      stores_words_(!rma.capabilities().writes_words_whole),
      bytes_max_(rma.keeps_order
                     ? std::min({kGatheredBytesMax, rma.capabilities().ordered_write_bytes,
                                 rma.capabilities().ordered_read_bytes})
                     : 0) {}

// The packet that a context fills for a PE. It belongs to this object from the constructor to
// leave().
class Updates::Filling {
  public:
    Filling(Updates& updates, OfiContext& context, int pe)
        : updates_(updates),
          context_(context),
          slot_(context.slot_of(pe)),
          pe_(pe),
          guard_(context.guard()),
          // Another thread may have left the packet. Pairs with transports/ofi/updates.cpp:store.
          packet_(slot_.open.exchange(nullptr, std::memory_order_acquire)) {
        if (packet_ == nullptr && slot_.in_flight.load(std::memory_order_relaxed) == 0) {
            slot_.expected = slot_.burst > kBurstMax ? slot_.burst : 0;
            slot_.burst = 0;
        }
    }

    // PEs share a slot.
    bool is_of_other_pe() const { return packet_ != nullptr && packet_->pe != pe_; }

    void add(const AtomicRequest& request) {
        const SegmentOffset at = updates_.rma_.offset_of(request.dest);
        packet_with(sizeof(Update))
            .append({.word = RemoteWord::pack(at.segment, at.offset, request.bytes, request.op),
                     .operand = request.operand});
    }
    // REQUIRES: bytes <= kUpdateBytesMax.
    void add(void* dest, const void* source, std::size_t bytes) {
        if (is_word(dest, bytes)) return add(word_of(dest, source, bytes));
        const SegmentOffset at = updates_.rma_.offset_of(dest);
        packet_with(sizeof(Update) + padded(bytes))
            .append({.word = RemoteWord::pack_bytes(at.segment, at.offset), .operand = bytes},
                    source);
    }

    // The expected ones behind a put that a quiet completes come first: a stream is one message
    // then, that sets out before the quiet where the program's streams are alike.
    void leave(Returns returns) {
        if (packet_ != nullptr && packet_->is_full()) send();
        if (context_.is_batching.load(std::memory_order_relaxed)) return leave_in_batch();
        const bool is_nonblocking = returns == Returns::kAtOnce;
        if (is_nonblocking && packet_ != nullptr && slot_.burst < slot_.expected) return store();
        leave_unchanged(is_nonblocking || slot_.expected != 0 ? kInFlightOfPuts : kInFlightOfWords);
    }
    // `in_flight_max`: packets in flight up to which this one is sent at once.
    void leave_unchanged(std::uint32_t in_flight_max) {
        store();
        // Too little in flight for an acknowledgement to send it soon.
        if (slot_.count_in_flight() < in_flight_max) updates_.messages_.send_open(slot_);
    }

  private:
    // seq_cst: this thread or the reader of the queue sees the other. Pairs with
    // transports/ofi/message_handlers.cpp:finish and transports/ofi/messages.cpp:send_open.
    void store() {
        if (packet_ != nullptr) slot_.open.store(packet_, std::memory_order_seq_cst);
    }
    void leave_in_batch() {
        store();
        // The last announced operation: send without waiting for more.
        const bool is_last = context_.batch_remaining.fetch_sub(1, std::memory_order_relaxed) == 1;
        if (!is_last) return;
        for (PacketSlot& each : context_.slots) updates_.messages_.send_open(each);
    }
    void send() {
        updates_.messages_.send(packet_, slot_);
        packet_ = nullptr;
    }
    Packet& packet_with(std::size_t room) {
        ++slot_.burst;
        context_.updates.fetch_add(1, std::memory_order_relaxed);
        if (packet_ != nullptr && (is_of_other_pe() || !packet_->has_room(room))) send();
        if (packet_ == nullptr)
            packet_ = updates_.sender_.start_packet(MessageKind::kUpdates, pe_, slot_.token);
        return *packet_;
    }

    Updates& updates_;
    OfiContext& context_;
    PacketSlot& slot_;
    const int pe_;
    const std::unique_lock<LongMutex> guard_;
    Packet* packet_;
};

AtomicRequest Updates::word_of(void* dest, const void* source, std::size_t bytes) {
    AtomicRequest request{.dest = dest, .bytes = bytes, .op = AtomicOp::kSet};
    std::memcpy(&request.operand, source, bytes);
    return request;
}

// Whether nothing is under way before the put, and it is no part of a stream.
bool Updates::comes_alone(const OfiContext& context, const PacketSlot& slot, std::size_t bytes,
                          Returns returns) const {
    const bool is_copied_alone =
        returns == Returns::kAtOnce ? slot.burst <= kBurstMax : rma_.injects(bytes);
    return is_copied_alone && rma_.capabilities().delivery_complete && slot.is_idle() &&
           !context.is_batching.load(std::memory_order_relaxed);
}

bool Updates::try_put(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                      Returns returns, int pe) {
    const bool goes_whole = takes_word(context, dest, bytes);
    if (!goes_whole && !takes_put(context, bytes)) return false;
    PacketSlot& slot = context.slot_of(pe);
    const bool may_be_write = !goes_whole && !Messages::is_behind_fence(context, slot);
    if (may_be_write && comes_alone(context, slot, bytes, returns)) {
        // A write needs no CPU of the target beyond the provider's. It counts as a packet: updates
        // behind it gather until it is delivered.
        context.updates.fetch_add(1, std::memory_order_relaxed);
        // Pairs with transports/ofi/message_handlers.cpp:finish.
        slot.in_flight.fetch_add(PacketSlot::kOneWrite, std::memory_order_seq_cst);
        rma_.write_alone(slot.delivery, dest, source, bytes, pe);
        return true;
    }
    rma_.peer_with(dest, pe);
    Filling filling(*this, context, pe);
    if (may_be_write && filling.is_of_other_pe()) {
        filling.leave_unchanged(kInFlightOfPuts);
        return false;
    }
    filling.add(dest, source, bytes);
    filling.leave(returns);
    return true;
}

void Updates::update(OfiContext& context, const AtomicRequest& request, int pe) {
    rma_.peer_with(request.dest, pe);
    Filling filling(*this, context, pe);
    filling.add(request);
    filling.leave(Returns::kComplete);
}

void Updates::put_signal(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                         const AtomicRequest& signal, int pe) {
    rma_.peer_with(dest, pe);
    rma_.peer_with(signal.dest, pe);
    Filling filling(*this, context, pe);
    filling.add(dest, source, bytes);
    filling.add(signal);
    filling.leave(Returns::kComplete);
}

}  // namespace tessera::ofi
