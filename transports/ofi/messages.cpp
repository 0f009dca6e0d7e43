// SPDX-License-Identifier: BSD-3-Clause
//
// See messages.hpp.
#include "transports/ofi/messages.hpp"

namespace tessera::ofi {
namespace {

constexpr std::uint32_t kFetchesMax = 256;         // under way in a context
constexpr std::uint32_t kPacketsInFlightMax = 16;  // per slot: 64 KiB, a socket's buffer
// Answers that a PE asks for at a time: with their data they fill a socket's buffer.
constexpr std::uint32_t kGathersMax = 16;

}  // namespace

void Messages::send(Packet* packet, PacketSlot& slot) {
    queue_.wait([&] { return slot.count_in_flight() < kPacketsInFlightMax; });
    queue_.wait([&] { return slot.is_all_sent(); });  // Earlier packets go first.
    // Pairs with transports/ofi/message_handlers.cpp:finish.
    slot.in_flight.fetch_add(PacketSlot::kOnePacket, std::memory_order_seq_cst);
    queue_.post([&] { return sender_.try_send(*packet); }, packet->pe);
}

void Messages::send(Header& header, std::size_t bytes, int pe) {
    sender_.address(header, pe);
    queue_.post([&] { return sender_.try_send(&header, bytes, pe); }, pe);
}

void Messages::send_update(OfiContext& context, Packet* packet, PacketSlot& slot) {
    packet->header().count = 1;
    context.updates.fetch_add(1, std::memory_order_relaxed);
    send(packet, slot);
}

void Messages::send_request(Packet* packet, PendingGather& answer) {
    std::atomic<std::uint32_t>& pending = *answer.pending;
    queue_.wait([&] { return pending.load(std::memory_order_relaxed) < kGathersMax; });
    pending.fetch_add(1, std::memory_order_relaxed);
    if (answer.of_operation != nullptr)
        answer.of_operation->fetch_add(1, std::memory_order_relaxed);
    packet->header().token = pool_.take_gather(answer).token.load(std::memory_order_relaxed);
    queue_.post([&] { return sender_.try_send(*packet); }, packet->pe);
}

// Pairs with transports/ofi/updates.cpp:store.
void Messages::send_open(PacketSlot& slot) {
    Packet* packet = slot.open.exchange(nullptr, std::memory_order_seq_cst);
    if (packet != nullptr) send(packet, slot);
}

void Messages::flush(OfiContext& context, PacketSlot& slot) {
    const auto guard = context.guard();
    send_open(slot);
    queue_.wait([&] { return slot.is_all_sent(); });
}

void Messages::flush(OfiContext& context) {
    if (context.updates.load(std::memory_order_relaxed) == 0) return;
    for (PacketSlot& slot : context.slots) flush(context, slot);
}

// The target executes a message later; writes behind it may arrive earlier. So those writes wait,
// if there are any, instead of the fence.
void Messages::fence(OfiContext& context) {
    if (!keeps_order(context)) return quiet(context);
    puts_.send_all(context);
    if (!context.has_messages()) return;
    // Sessions hold messages back until then.
    if (context.is_batching.load(std::memory_order_relaxed)) flush(context);
    const auto guard = context.guard();
    const bool has_fetches = context.fetches.load(std::memory_order_relaxed) != 0;
    for (PacketSlot& slot : context.slots) {
        if (has_fetches || !slot.has_no_packets())
            slot.is_fenced.store(true, std::memory_order_relaxed);
    }
}

void Messages::quiet(OfiContext& context) {
    const std::uint32_t unordered_writes = context.unordered_writes();
    flush(context);
    puts_.send_all(context);
    gets_.send_all(context);
    rma_.confirm(context);
    // Pairs with transports/ofi/message_sections.cpp:finish_transfer and
    // transports/ofi/message_sections.cpp:take_gathered.
    queue_.wait([&] {
        return context.transfers.load() == 0 && !context.has_messages() &&
               context.coalesced_puts.load(std::memory_order_acquire) == 0 &&
               context.gathers.load(std::memory_order_acquire) == 0;
    });
    if (context.has_unordered_writes()) context.complete_unordered(unordered_writes);
}

// Pairs with transports/ofi/message_handlers.cpp:take_reply.
bool Messages::is_fence_up(OfiContext& context, PacketSlot& slot) {
    const auto guard = context.guard();
    const bool is_under_way =
        !slot.has_no_packets() || context.fetches.load(std::memory_order_acquire) != 0;
    if (!is_under_way) slot.is_fenced.store(false, std::memory_order_relaxed);
    return is_under_way;
}

bool Messages::has_packets(OfiContext& context, const PacketSlot& slot) {
    // Another thread that is filling the packet may have taken it out of the slot.
    const auto guard = context.guard();
    return !slot.has_no_packets();
}

// Pairs with transports/ofi/message_handlers.cpp:take_reply.
void Messages::settle(OfiContext& context, int pe) {
    PacketSlot& slot = context.slot_of(pe);
    if (!has_packets(context, slot) && context.fetches.load(std::memory_order_acquire) == 0) return;
    flush(context, slot);
    queue_.wait([&] {
        return slot.has_no_packets() && context.fetches.load(std::memory_order_acquire) == 0;
    });
}

void Messages::send_fetch(const AtomicRequest& request, const FetchEntry& fetch, int pe) {
    rma_.peer_with(request.dest, pe);
    const SegmentOffset position = rma_.offset_of(request.dest);
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

std::uint64_t Messages::fetch(OfiContext& context, const AtomicRequest& request, int pe) {
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
    // Pairs with transports/ofi/message_handlers.cpp:take_reply.
    queue_.wait([&] { return is_pending.load(std::memory_order_acquire) == 0; });
    return old;
}

void Messages::post_fetch(OfiContext& context, const AtomicRequest& request, PendingFetch fetch,
                          int pe) {
    flush(context, context.slot_of(pe));
    queue_.wait([&] { return context.fetches.load(std::memory_order_relaxed) < kFetchesMax; });
    context.fetches.fetch_add(1, std::memory_order_relaxed);
    fetch.bytes = request.bytes;
    fetch.pending = &context.fetches;
    send_fetch(request, pool_.take_fetch(fetch), pe);
}

}  // namespace tessera::ofi
