// SPDX-License-Identifier: BSD-3-Clause
//
// See transport.hpp: words, atomics, small strided blocks and gates, by active messages
// (message.hpp), and the provider's atomics where the user wants those.
#include <rdma/fi_atomic.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "transports/ofi/transport.hpp"

namespace tessera::ofi {
namespace {

constexpr std::uint32_t kFetchesMax = 256;         // under way in a context
constexpr std::uint32_t kPacketsInFlightMax = 16;  // per slot: 64 KiB, a socket's buffer
// The first kQuickPackets packets of a slot are sent at once, later ones gather: a few words, with
// a fence between, do not wait for each other's acknowledgements.
constexpr std::uint32_t kQuickPackets = 4;

bool is_word(const void* address, std::size_t bytes) {
    return bytes <= sizeof(std::uint64_t) && std::has_single_bit(bytes) &&
           reinterpret_cast<std::uintptr_t>(address) % bytes == 0;
}

}  // namespace

bool OfiTransport::goes_as_word(const OfiContext& context, const void* dest,
                                std::size_t bytes) const {
    const bool takes_words = (!capabilities().writes_words_whole && !context.is_internal) ||
                             context.is_batching.load(std::memory_order_relaxed);
    return takes_words && is_word(dest, bytes);
}

bool OfiTransport::put_by_message(OfiContext& context, void* dest, const void* source,
                                  std::size_t bytes, int pe) {
    if (goes_as_word(context, dest, bytes)) {
        const AtomicRequest request = word_of(dest, source, bytes);
        update(context, {&request, 1}, pe);
        return true;
    }
    if (!is_behind_fence(context, context.slot_of(pe))) return false;
    if (bytes <= kScatterBytesMax) {
        const Strided one_block{.dest_stride = static_cast<std::ptrdiff_t>(bytes),
                                .block_elements = bytes,
                                .blocks = 1};
        scatter(context, dest, source, one_block, pe);
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

// Small blocks go in messages, and the target's CPU stores them: hundreds to a
// message, where one operation of the provider takes four or eight.
void OfiTransport::scatter(OfiContext& context, void* dest, const void* source,
                           const Strided& shape, int pe) {
    peer_with(dest, pe);
    PacketSlot& slot = context.slot_of(pe);
    flush(context, slot);
    const SegmentOffset position = setup_.segments.offset_of(dest);
    const auto element = static_cast<std::ptrdiff_t>(shape.element_bytes);
    const std::size_t block_bytes = shape.block_elements * shape.element_bytes;
    const std::size_t at_once = kScatterBytesMax / block_bytes;
    const auto stride = static_cast<std::uint64_t>(shape.dest_stride * element);
    const char* from = static_cast<const char*>(source);
    for (std::size_t first = 0; first < shape.blocks; first += at_once) {
        const std::size_t count = std::min(at_once, shape.blocks - first);
        Packet* packet = sender_.start_packet(pe, slot);
        packet->header().kind = MessageKind::kScatter;
        packet->header().count = 1;
        const ScatterBody body{
            .first = RemoteWord::pack(position.segment, position.offset + first * stride, 1,
                                      AtomicOp::kSet),
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
        context.updates.fetch_add(1, std::memory_order_relaxed);
        send(packet, slot);
        from += static_cast<std::ptrdiff_t>(count) * shape.source_stride * element;
    }
}

// The updates are executed in this order, and after those that the caller has sent before.
void OfiTransport::update(OfiContext& context, std::span<const AtomicRequest> requests, int pe) {
    for (const AtomicRequest& request : requests) peer_with(request.dest, pe);
    PacketSlot& slot = context.slot_of(pe);
    context.updates.fetch_add(static_cast<std::uint32_t>(requests.size()),
                              std::memory_order_relaxed);
    const OfiContext::Guard guard(context);
    // Acquire: pairs with the store by which another thread left the packet.
    Packet* packet = slot.open.exchange(nullptr, std::memory_order_acquire);
    if (packet != nullptr && packet->pe != pe) {
        send(packet, slot);
        packet = nullptr;
    }
    for (const AtomicRequest& request : requests) {
        if (packet == nullptr) packet = sender_.start_packet(pe, slot);
        const SegmentOffset position = setup_.segments.offset_of(request.dest);
        packet->append(
            {.word = RemoteWord::pack(position.segment, position.offset, request.bytes, request.op),
             .operand = request.operand});
        if (!packet->is_full()) continue;
        send(packet, slot);
        packet = nullptr;
    }
    if (packet != nullptr) slot.open.store(packet, std::memory_order_seq_cst);
    if (context.is_batching.load(std::memory_order_relaxed)) {
        // The last announced operation: send without waiting for more.
        const bool is_last = context.batch_remaining.fetch_sub(1, std::memory_order_relaxed) == 1;
        if (is_last) {
            for (PacketSlot& each : context.slots) send_open(each);
        }
        return;
    }
    // Too little in flight for an acknowledgement to send it soon. seq_cst: pairs with
    // MessageHandlers::take_ack().
    if (slot.in_flight.load(std::memory_order_seq_cst) < kQuickPackets) send_open(slot);
}

void OfiTransport::send(Packet* packet, PacketSlot& slot) {
    queue_.wait(
        [&] { return slot.in_flight.load(std::memory_order_relaxed) < kPacketsInFlightMax; });
    queue_.wait([&] { return slot.is_all_sent(); });  // Earlier packets go first.
    slot.in_flight.fetch_add(1, std::memory_order_seq_cst);
    queue_.post([&] { return sender_.try_send(*packet); }, packet->pe);
}

void OfiTransport::send(Header& header, std::size_t bytes, int pe) {
    sender_.address(header, pe);
    queue_.post([&] { return sender_.try_send(&header, bytes, pe); }, pe);
}

void OfiTransport::send_open(PacketSlot& slot) {
    Packet* packet = slot.open.exchange(nullptr, std::memory_order_seq_cst);
    if (packet != nullptr) send(packet, slot);
}

void OfiTransport::flush(OfiContext& context, PacketSlot& slot) {
    const OfiContext::Guard guard(context);
    send_open(slot);
    queue_.wait([&] { return slot.is_all_sent(); });
}

void OfiTransport::flush(OfiContext& context) {
    if (context.updates.load(std::memory_order_relaxed) == 0) return;
    for (PacketSlot& slot : context.slots) flush(context, slot);
}

bool OfiTransport::is_behind_fence(OfiContext& context, PacketSlot& slot) {
    if (!slot.is_fenced.load(std::memory_order_relaxed)) [[likely]]
        return false;
    const OfiContext::Guard guard(context);
    const bool is_under_way =
        !slot.is_idle() || context.fetches.load(std::memory_order_acquire) != 0;
    if (!is_under_way) slot.is_fenced.store(false, std::memory_order_relaxed);
    return is_under_way;
}

void OfiTransport::fence_messages(OfiContext& context) {
    if (!context.has_messages()) return;
    // Sessions hold messages back until then.
    if (context.is_batching.load(std::memory_order_relaxed)) flush(context);
    const OfiContext::Guard guard(context);
    const bool has_fetches = context.fetches.load(std::memory_order_relaxed) != 0;
    for (PacketSlot& slot : context.slots) {
        if (has_fetches || !slot.is_idle()) slot.is_fenced.store(true, std::memory_order_relaxed);
    }
}

void OfiTransport::settle(OfiContext& context, int pe) {
    PacketSlot& slot = context.slot_of(pe);
    if (slot.is_idle() && context.fetches.load(std::memory_order_acquire) == 0) return;
    flush(context, slot);
    queue_.wait(
        [&] { return slot.is_idle() && context.fetches.load(std::memory_order_acquire) == 0; });
}

bool OfiTransport::get_by_message(OfiContext& context, void* dest, const void* source,
                                  std::size_t bytes, int pe) {
    if (context.is_internal || context.slot_of(pe).is_idle()) [[likely]]
        return false;
    if (!is_word(source, bytes)) {
        settle(context, pe);
        return false;
    }
    const AtomicRequest request{
        .dest = const_cast<void*>(source), .bytes = bytes, .op = AtomicOp::kFetch};
    const std::uint64_t value = fetch_now(context, request, pe);
    std::memcpy(dest, &value, bytes);
    return true;
}

void OfiTransport::send_fetch(const AtomicRequest& request, const FetchEntry& fetch, int pe) {
    peer_with(request.dest, pe);
    const SegmentOffset position = setup_.segments.offset_of(request.dest);
    Fetch message{};
    message.kind = MessageKind::kFetch;
    message.token = fetch.token.load(std::memory_order_relaxed);
    message.body = {
        .word = RemoteWord::pack(position.segment, position.offset, request.bytes, request.op),
        .operand = request.operand,
        .condition = request.condition};
    send(message, sizeof message, pe);
}

std::uint64_t OfiTransport::atomic(TransportContext& context, const AtomicRequest& request,
                                   int pe) {
    OfiContext& mine = own(context);
    if (takes_provider_atomics(request)) {
        std::uint64_t old = 0;
        Counter counter;
        provider_atomic(counter, request, &old, pe);
        wait_for(counter);
        return old;
    }
    return fetch_now(mine, request, pe);
}

std::uint64_t OfiTransport::fetch_now(OfiContext& context, const AtomicRequest& request, int pe) {
    // Updates that this context has gathered for the PE go first, as a program expects.
    flush(context, context.slot_of(pe));
    std::uint64_t old = 0;
    std::atomic<std::uint32_t> is_pending{1};
    const PendingFetch fetch{.result = &old,
                             .bytes = request.bytes,
                             .pending = &is_pending,
                             .is_pooled = context.is_shared};
    send_fetch(request, context.is_shared ? pool_.take_fetch(fetch) : context.renewed_fetch(fetch),
               pe);
    queue_.wait([&] { return is_pending.load(std::memory_order_acquire) == 0; });
    return old;
}

void OfiTransport::atomic_nbi(TransportContext& context, const AtomicRequest& request, void* result,
                              int pe) {
    OfiContext& mine = own(context);
    // The provider may read the operand until the operation is complete, so wait for it.
    if (takes_provider_atomics(request)) return Transport::atomic_nbi(context, request, result, pe);
    if (result == nullptr) return update(mine, {&request, 1}, pe);
    flush(mine, mine.slot_of(pe));
    queue_.wait([&] { return mine.fetches.load(std::memory_order_relaxed) < kFetchesMax; });
    mine.fetches.fetch_add(1, std::memory_order_relaxed);
    const PendingFetch fetch{.result = result, .bytes = request.bytes, .pending = &mine.fetches};
    send_fetch(request, pool_.take_fetch(fetch), pe);
}

// All of them fetch: the result is back when the operation has been executed.
void OfiTransport::provider_atomic(Counter& counter, const AtomicRequest& request, void* result,
                                   int pe) {
    const RemotePeer& peer = peer_with(request.dest, pe);
    const Target target = target_of(peer, request.dest);
    const fi_datatype type = request.bytes == 4 ? FI_UINT32 : FI_UINT64;
    auto fetching = [&](fi_op op, Completion* completion) {
        return fi_fetch_atomic(endpoint(), &request.operand, 1, nullptr, result, nullptr,
                               peer.address, target.address, target.key, type, op, completion);
    };
    post_counted(counter, pe, [&](Completion* completion) -> ssize_t {
        switch (request.op) {
            case AtomicOp::kFetch: return fetching(FI_ATOMIC_READ, completion);
            case AtomicOp::kSet:
            case AtomicOp::kSwap: return fetching(FI_ATOMIC_WRITE, completion);
            case AtomicOp::kAdd: return fetching(FI_SUM, completion);
            case AtomicOp::kAnd: return fetching(FI_BAND, completion);
            case AtomicOp::kOr: return fetching(FI_BOR, completion);
            case AtomicOp::kXor: return fetching(FI_BXOR, completion);
            case AtomicOp::kCompareSwap:
                return fi_compare_atomic(endpoint(), &request.operand, 1, nullptr,
                                         &request.condition, nullptr, result, nullptr, peer.address,
                                         target.address, target.key, type, FI_CSWAP, completion);
        }
        return -FI_EINVAL;
    });
}

void OfiTransport::post_gate(const Gate& gate, std::uint32_t number, int pe) {
    GateMessage message{};
    message.kind = MessageKind::kGate;
    message.offset = setup_.segments.offset_of(&gate).offset;
    message.number = number;
    send(message, sizeof message, pe);
}

void OfiTransport::post_gate_behind(TransportContext& context, const Gate& gate,
                                    std::uint32_t number, int pe) {
    if (!keeps_order_ || own(context).has_unordered_writes()) quiet(context);
    post_gate(gate, number, pe);
}

}  // namespace tessera::ofi
