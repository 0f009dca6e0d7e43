// SPDX-License-Identifier: BSD-3-Clause
//
// See transport.hpp: words, atomics and gates, by active messages
// (message.hpp), and the provider's atomics where the user wants those.
#include <rdma/fi_atomic.h>

#include <algorithm>
#include <cstring>

#include "transports/ofi/transport.hpp"

namespace tessera::ofi {
namespace {

constexpr std::uint32_t kFetchesMax = 256;         // under way in a context
constexpr std::uint32_t kPacketsInFlightMax = 16;  // per slot: 64 KiB, a socket's buffer
// Longer data is a write in front of the message: two copies take longer then.
constexpr std::size_t kGatedBytesMax = 8192;

}  // namespace

void OfiTransport::accumulate(TransportContext& context, const Accumulation& what, int pe) {
    OfiContext& mine = own(context);
    if (what.operation != nullptr) {
        // A fence, and a quiet, treat it like a fetch.
        return send_accumulate(
            mine, what, {.pending = &mine.fetches, .of_operation = &what.operation->local}, pe);
    }
    std::atomic<std::uint32_t> pending{0};
    send_accumulate(mine, what, {.pending = &pending}, pe);
    queue_.wait([&] { return pending.load(std::memory_order_acquire) == 0; });
}

// `old`: counts the answers with the old elements, where what.result asks for these.
void OfiTransport::send_accumulate(OfiContext& context, const Accumulation& what, PendingGather old,
                                   int pe) {
    peer_with(what.dest, pe);
    PacketSlot& slot = context.slot_of(pe);
    flush(context, slot);
    const bool is_get = what.result != nullptr;
    const auto kind = is_get ? MessageKind::kGetAccumulate : MessageKind::kAccumulate;
    const SegmentOffset position = setup_.segments.offset_of(what.dest);
    const std::size_t element_bytes = what.element.kernel()->bytes;
    const std::size_t at_once = kAccumulateBytesMax / element_bytes;
    for (std::size_t first = 0; first < what.nelems; first += at_once) {
        const std::size_t count = std::min(at_once, what.nelems - first);
        const std::size_t offset = first * element_bytes;
        Packet* packet = start_message(kind, pe, slot);
        const AccumulateBody body{
            .first =
                RemoteWord::pack(position.segment, position.offset + offset, 1, AtomicOp::kElement),
            .nelems = static_cast<std::uint32_t>(count),
            .type = what.element.type,
            .op = what.element.op,
            .unused = 0};
        packet->append_bytes(&body, sizeof body);
        packet->append_bytes(static_cast<const char*>(what.source) + offset, count * element_bytes);
        if (!is_get) {
            send_update(context, packet, slot);
            continue;
        }
        old.base = static_cast<char*>(what.result) + offset;
        old.bytes = old.run_bytes = count * element_bytes;
        old.count = 1;
        send_gather(packet, old);
    }
}

void OfiTransport::send(Packet* packet, PacketSlot& slot) {
    queue_.wait([&] { return slot.count_in_flight() < kPacketsInFlightMax; });
    queue_.wait([&] { return slot.is_all_sent(); });  // Earlier packets go first.
    slot.in_flight.fetch_add(PacketSlot::kOnePacket, std::memory_order_seq_cst);
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
        !slot.has_no_packets() || context.fetches.load(std::memory_order_acquire) != 0;
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
        if (has_fetches || !slot.has_no_packets())
            slot.is_fenced.store(true, std::memory_order_relaxed);
    }
}

// Whether some of the context's packets of the slot may not be executed yet.
bool OfiTransport::has_packets(OfiContext& context, const PacketSlot& slot) {
    // Another thread that is filling the packet may have taken it out of the slot.
    const OfiContext::Guard guard(context);
    return !slot.has_no_packets();
}

void OfiTransport::settle(OfiContext& context, int pe) {
    PacketSlot& slot = context.slot_of(pe);
    if (!has_packets(context, slot) && context.fetches.load(std::memory_order_acquire) == 0) return;
    flush(context, slot);
    queue_.wait([&] {
        return slot.has_no_packets() && context.fetches.load(std::memory_order_acquire) == 0;
    });
}

bool OfiTransport::get_by_message(OfiContext& context, void* dest, const void* source,
                                  std::size_t bytes, int pe) {
    if (context.is_internal || !has_packets(context, context.slot_of(pe))) [[likely]]
        return false;
    if (!is_word(source, bytes)) {
        if (bytes > kScatterBytesMax) {
            settle(context, pe);
            return false;
        }
        Section one_run;
        one_run.run_bytes = bytes;
        std::atomic<std::uint32_t> pending{0};
        gather(context, {.pending = &pending}, static_cast<const char*>(source),
               static_cast<char*>(dest), one_run, pe);
        queue_.wait([&] { return pending.load(std::memory_order_acquire) == 0; });
        return true;
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
    message.count = pack(request.element);
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
    const bool is_update = result == nullptr && request.op != AtomicOp::kElement;
    if (is_update) return update(mine, request, pe);
    post_fetch(mine, request, {.result = result}, pe);
}

void OfiTransport::post_fetch(OfiContext& context, const AtomicRequest& request, PendingFetch fetch,
                              int pe) {
    flush(context, context.slot_of(pe));
    queue_.wait([&] { return context.fetches.load(std::memory_order_relaxed) < kFetchesMax; });
    context.fetches.fetch_add(1, std::memory_order_relaxed);
    fetch.bytes = request.bytes;
    fetch.pending = &context.fetches;
    send_fetch(request, pool_.take_fetch(fetch), pe);
}

// All of them fetch: the result is back when the operation has been executed.
void OfiTransport::provider_atomic(Counter& counter, const AtomicRequest& request, void* result,
                                   int pe) {
    const RemotePeer& peer = peer_with(request.dest, pe);
    const Target target = target_of(request.dest, pe);
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
            case AtomicOp::kElement: break;  // takes_provider_atomics()
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

void OfiTransport::put_with_gates(TransportContext& context, const PutWithGates& what, int pe) {
    if (!keeps_order_ || own(context).has_unordered_writes()) {
        return FabricTransport::put_with_gates(context, what, pe);
    }
    struct {
        PutWithGatesMessage head{};
        std::byte data[kGatedBytesMax];
    } message;
    const FabricSegments& segments = setup_.segments;
    message.head.kind = MessageKind::kPutWithGates;
    message.head.gate = segments.offset_of(what.gate).offset;
    message.head.number = what.number;
    message.head.other_gate = PutWithGatesMessage::kNoGate;
    if (what.other_gate != nullptr) {
        message.head.other_gate = segments.offset_of(what.other_gate).offset;
        message.head.other_number = what.other_number;
    }
    if (what.bytes > std::min(kGatedBytesMax, capabilities().packet_bytes - sizeof message.head)) {
        put(context, what.dest, what.data, what.bytes, pe);
        if (own(context).has_unordered_writes()) quiet(context);
        return send(message.head, sizeof message.head, pe);
    }
    if (what.bytes > 0) {
        message.head.dest = segments.offset_of(what.dest).offset;
        std::memcpy(message.data, what.data, what.bytes);
    }
    send(message.head, sizeof message.head + what.bytes, pe);
}

}  // namespace tessera::ofi
