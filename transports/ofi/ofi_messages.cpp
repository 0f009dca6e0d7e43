// SPDX-License-Identifier: BSD-3-Clause
//
// See ofi_transport.hpp: atomics, small strided blocks and gates, by active messages (message.hpp),
// and the provider's atomics for those who want them.
#include <rdma/fi_atomic.h>

#include <algorithm>
#include <cstring>

#include "transports/ofi/ofi_transport.hpp"

namespace tessera::ofi {
namespace {

constexpr std::uint32_t kFetchesMax = 256;  // under way in a channel

}  // namespace

// Small blocks go in messages, and the target's CPU puts them in their places: hundreds to a
// message, where one operation of the provider takes four or eight.
void OfiTransport::scatter(OfiChannel& channel, void* dest, const void* source,
                           const Strided& shape, int pe) {
    peer_with(dest, pe);
    const Position position = position_of(dest);
    const auto element = static_cast<std::ptrdiff_t>(shape.element_bytes);
    const std::size_t block_bytes = shape.block_elements * shape.element_bytes;
    const std::size_t at_once = kScatterBytesMax / block_bytes;
    const auto stride = static_cast<std::uint64_t>(shape.dest_stride * element);
    const char* from = static_cast<const char*>(source);
    PacketSlot& slot = channel.slots[pe % kSlots];
    for (std::size_t first = 0; first < shape.blocks; first += at_once) {
        const std::size_t count = std::min(at_once, shape.blocks - first);
        Packet* packet = engine_.take_packet(pe, slot);
        packet->header().kind = MessageKind::kScatter;
        packet->header().count = 1;
        const ScatterBody body{
            .place =
                Place::pack(position.segment, position.offset + first * stride, 1, AtomicOp::kSet),
            .stride = stride,
            .block_bytes = static_cast<std::uint32_t>(block_bytes),
            .blocks = static_cast<std::uint32_t>(count)};
        std::memcpy(packet->bytes + packet->size, &body, sizeof body);
        packet->size += sizeof body;
        char* data = reinterpret_cast<char*>(packet->bytes) + packet->size;
        for_each_block(
            data, from,
            {.dest_stride = static_cast<std::ptrdiff_t>(shape.block_elements),
             .source_stride = shape.source_stride,
             .block_elements = shape.block_elements,
             .blocks = count,
             .element_bytes = shape.element_bytes},
            [](char* to, const char* block, std::size_t bytes) { std::memcpy(to, block, bytes); });
        packet->size += static_cast<std::uint32_t>(count * block_bytes);
        channel.updates.fetch_add(1, std::memory_order_relaxed);
        engine_.send_packet(packet, slot);
        from += static_cast<std::ptrdiff_t>(count) * shape.source_stride * element;
    }
}

void OfiTransport::update(OfiChannel& channel, const AtomicRequest& request, int pe) {
    peer_with(request.dest, pe);
    const Position position = position_of(request.dest);
    PacketSlot& slot = channel.slots[pe % kSlots];
    channel.updates.fetch_add(1, std::memory_order_relaxed);
    // Acquire: pairs with the exchange by which somebody left the packet.
    Packet* packet = slot.open.exchange(nullptr, std::memory_order_acquire);
    if (packet != nullptr && packet->pe != pe) {
        engine_.send_packet(packet, slot);
        packet = nullptr;
    }
    if (packet == nullptr) packet = engine_.take_packet(pe, slot);
    packet->append(
        {.place = Place::pack(position.segment, position.offset, request.bytes, request.op),
         .operand = request.operand});
    if (packet->is_full()) return engine_.send_packet(packet, slot);
    Packet* other = slot.open.exchange(packet, std::memory_order_seq_cst);
    if (other != nullptr) engine_.send_packet(other, slot);
    if (channel.is_batching.load(std::memory_order_relaxed)) {
        // The last one of those that were announced: nothing is to be waited for.
        if (channel.batch_left.fetch_sub(1, std::memory_order_relaxed) == 1) flush(channel);
        return;
    }
    // Nothing in flight whose acknowledgement would send it. seq_cst: pairs with take_ack().
    if (slot.in_flight.load(std::memory_order_seq_cst) == 0) flush(slot);
}

void OfiTransport::flush(PacketSlot& slot) {
    Packet* packet = slot.open.exchange(nullptr, std::memory_order_seq_cst);
    if (packet != nullptr) engine_.send_packet(packet, slot);
}

void OfiTransport::flush(OfiChannel& channel) {
    if (channel.updates.load(std::memory_order_relaxed) == 0) return;
    for (PacketSlot& slot : channel.slots) flush(slot);
}

void OfiTransport::fetch(const AtomicRequest& request, PendingFetch& pending, int pe) {
    peer_with(request.dest, pe);
    const Position position = position_of(request.dest);
    Fetch message{};
    message.kind = MessageKind::kFetch;
    message.token = reinterpret_cast<std::uintptr_t>(&pending);
    message.body = {
        .place = Place::pack(position.segment, position.offset, request.bytes, request.op),
        .operand = request.operand,
        .condition = request.condition};
    engine_.send_small(message, sizeof message, pe);
}

std::uint64_t OfiTransport::atomic(Channel& channel, const AtomicRequest& request, int pe) {
    OfiChannel& mine = own(channel);
    std::uint64_t old = 0;
    if (takes_provider_atomics(request)) {
        Counter counter;
        provider_atomic(counter, request, &old, pe);
        wait_for(counter);
        return old;
    }
    // What this channel has gathered for the PE goes first, as a program expects.
    flush(mine.slots[pe % kSlots]);
    std::atomic<std::uint32_t> is_pending{1};
    PendingFetch pending{
        .result = &old, .bytes = request.bytes, .pending = &is_pending, .is_pooled = false};
    fetch(request, pending, pe);
    engine_.wait([&] { return is_pending.load(std::memory_order_acquire) == 0; });
    return old;
}

void OfiTransport::atomic_nbi(Channel& channel, const AtomicRequest& request, void* result,
                              int pe) {
    OfiChannel& mine = own(channel);
    // The provider may read the operand until the operation is complete, so it is waited for.
    if (takes_provider_atomics(request)) return Transport::atomic_nbi(channel, request, result, pe);
    if (result == nullptr) return update(mine, request, pe);
    flush(mine.slots[pe % kSlots]);
    engine_.wait([&] { return mine.fetches.load(std::memory_order_relaxed) < kFetchesMax; });
    mine.fetches.fetch_add(1, std::memory_order_relaxed);
    PendingFetch* pending = engine_.take_fetch();
    pending->result = result;
    pending->bytes = request.bytes;
    pending->pending = &mine.fetches;
    fetch(request, *pending, pe);
}

// All of them fetch: the result is back when the operation has been executed.
void OfiTransport::provider_atomic(Counter& counter, const AtomicRequest& request, void* result,
                                   int pe) {
    const RemotePeer& peer = peer_with(request.dest, pe);
    const Target target = target_of(peer, request.dest);
    const fi_datatype type = request.bytes == 4 ? FI_UINT32 : FI_UINT64;
    auto fetching = [&](fi_op op, Completion* context) {
        return fi_fetch_atomic(endpoint_, &request.operand, 1, nullptr, result, nullptr,
                               peer.address, target.address, target.key, type, op, context);
    };
    post_counted(counter, pe, [&](Completion* context) -> ssize_t {
        switch (request.op) {
            case AtomicOp::kFetch: return fetching(FI_ATOMIC_READ, context);
            case AtomicOp::kSet:
            case AtomicOp::kSwap: return fetching(FI_ATOMIC_WRITE, context);
            case AtomicOp::kAdd: return fetching(FI_SUM, context);
            case AtomicOp::kAnd: return fetching(FI_BAND, context);
            case AtomicOp::kOr: return fetching(FI_BOR, context);
            case AtomicOp::kXor: return fetching(FI_BXOR, context);
            case AtomicOp::kCompareSwap:
                return fi_compare_atomic(endpoint_, &request.operand, 1, nullptr,
                                         &request.condition, nullptr, result, nullptr, peer.address,
                                         target.address, target.key, type, FI_CSWAP, context);
        }
        return -FI_EINVAL;
    });
}

void OfiTransport::post_gate(const Gate& gate, std::uint32_t number, int pe) {
    GateMessage message{};
    message.kind = MessageKind::kGate;
    message.offset = position_of(&gate).offset;
    message.number = number;
    engine_.send_small(message, sizeof message, pe);
}

void OfiTransport::post_gate_behind(Channel& channel, const Gate& gate, std::uint32_t number,
                                    int pe) {
    const bool is_ordered = confirms_by_reads_ && capabilities_.send_after_write &&
                            !own(channel).has_unordered_writes();
    if (!is_ordered) quiet(channel);
    post_gate(gate, number, pe);
}

}  // namespace tessera::ofi
