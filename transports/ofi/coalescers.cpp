// SPDX-License-Identifier: BSD-3-Clause
//
// See coalescers.hpp.
#include "transports/ofi/coalescers.hpp"

namespace tessera::ofi {
namespace {

// A slot may have lists under way, and reads or writes.
constexpr std::uint32_t kListsInFlightMax = 4;
constexpr std::uint32_t kVectorsInFlightMax = 16;
// Longer gets are pieces of reads,
constexpr std::size_t kListedBytesMax = 2048;
// and longer transfers are reads and writes of their own.
constexpr std::size_t kPieceBytesMax = std::size_t{32} << 10;

// Where several pieces would lose the order of writes, each put is a write of its own.
std::size_t put_bytes_max(const Rma& rma) {
    const bool is_single = rma.pieces_at_once == 1 || rma.capabilities().writes_words_whole;
    if (is_single || !rma.keeps_order || !rma.capabilities().has_rma) return 0;
    return std::min(kPieceBytesMax, rma.delivered_bytes_max / rma.pieces_at_once);
}

// Where the provider's hardware reads, the CPU of the target is left alone.
std::size_t get_bytes_max(const Rma& rma) {
    if (rma.capabilities().writes_words_whole || !rma.capabilities().has_rma) return 0;
    return rma.pieces_at_once > 1 ? kPieceBytesMax : kListedBytesMax;
}

}  // namespace

// ---- Both ----

void Coalescer::count_first(GatherSlot& slot) {
    slot.unanswered->fetch_add(1, std::memory_order_relaxed);
    // Pairs with transports/ofi/message_sections.cpp:finish_transfer.
    slot.in_flight.fetch_add(1, std::memory_order_seq_cst);
}

void Coalescer::send(Packet* packet, GatherSlot& slot) {
    const std::uint32_t most = packet->is_vector() ? kVectorsInFlightMax : kListsInFlightMax;
    queue_.wait([&] { return slot.in_flight.load(std::memory_order_relaxed) < most; });
    // Pairs with transports/ofi/message_sections.cpp:finish_transfer.
    slot.in_flight.fetch_add(1, std::memory_order_seq_cst);
    queue_.post([&] { return sender_.try_send(*packet); }, packet->pe);
}

// Pairs with transports/ofi/coalescers.cpp:leave.
void Coalescer::send_open(GatherSlot& slot) {
    Packet* packet = slot.open.exchange(nullptr, std::memory_order_seq_cst);
    if (packet != nullptr) send(packet, slot);
}

// Leaves it in the slot; sends it if nothing is under way.
void Coalescer::leave(Packet* packet, GatherSlot& slot) {
    // seq_cst on both: this thread or the reader of the queue sees the other. Pairs with
    // transports/ofi/message_sections.cpp:finish_transfer.
    slot.open.store(packet, std::memory_order_seq_cst);
    if (slot.in_flight.load(std::memory_order_seq_cst) == 0) send_open(slot);
}

Packet* Coalescer::start_vector(MessageKind kind, GatherSlot& slot, int pe) {
    Packet* vector = sender_.start_packet(kind, pe, 0);
    vector_in(*vector) = {.completion = &slot.transfer,
                          .slot = &slot,
                          .flags = FI_DELIVERY_COMPLETE,
                          .count = 0,
                          .here = {},
                          .there = {}};
    slot.unanswered->fetch_add(1, std::memory_order_relaxed);
    return vector;
}

// RETURNS: whether the vector is full.
bool Coalescer::add_piece(Packet& packet, void* local, const void* remote, std::size_t bytes) {
    TransferVector& vector = vector_in(packet);
    const Target target = rma_.target_of(remote, packet.pe);
    vector.here[vector.count] = {.iov_base = local, .iov_len = bytes};
    vector.there[vector.count] = {.addr = target.address, .len = bytes, .key = target.key};
    return ++vector.count == rma_.pieces_at_once;
}

// ---- Puts ----

PutCoalescer::PutCoalescer(Rma& rma, PacketPool& pool, const MessageSender& sender,
                           CompletionQueue& queue)
    : Coalescer(rma, pool, sender, queue), bytes_max_(put_bytes_max(rma)) {}

// The first put of a stream, and what gathers while it is under way, tell their delivery, so the
// next ones know when to set out. Full vectors behind them do not: each delivery takes a message.
bool PutCoalescer::try_put(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                           int pe) {
    if (bytes > bytes_max_ || context.is_internal ||
        context.is_batching.load(std::memory_order_relaxed)) {
        return false;
    }
    rma_.peer_with(dest, pe);
    if (add(context, dest, source, bytes, pe)) rma_.written(context, bytes, pe);
    return true;
}

// RETURNS: whether it has sent a full vector.
bool PutCoalescer::add(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                       int pe) {
    const auto guard = context.guard();
    GatherSlot& slot = context.put_slot_of(pe);
    // Another thread may have left it. Pairs with transports/ofi/coalescers.cpp:leave.
    Packet* puts = slot.open.exchange(nullptr, std::memory_order_acquire);
    if (puts == nullptr && slot.in_flight.load(std::memory_order_relaxed) == 0) {
        count_first(slot);
        rma_.write_alone(slot.transfer, dest, source, bytes, pe);
        return false;
    }
    if (puts != nullptr && puts->pe != pe) {
        send(puts, slot);
        puts = nullptr;
    }
    if (puts == nullptr) {
        puts = start_vector(MessageKind::kWrites, slot, pe);
        slot.unsent.fetch_add(1, std::memory_order_relaxed);
    }
    const bool is_full = add_piece(*puts, const_cast<void*>(source), dest, bytes);
    if (is_full) {
        send_full(context, puts, slot);
    } else {
        leave(puts, slot);
    }
    return is_full;
}

// Like a long put: it completes when its sources are reusable, and the caller notes the write.
void PutCoalescer::send_full(OfiContext& context, Packet* puts, GatherSlot& slot) {
    vector_in(*puts).completion = &context.transfers;
    vector_in(*puts).flags = 0;
    rma_.begin(context.transfers);
    queue_.post([&] { return sender_.try_send(*puts); }, puts->pe);
    slot.unanswered->fetch_sub(1, std::memory_order_relaxed);
}

void PutCoalescer::send_slots(OfiContext& context) {
    const auto guard = context.guard();
    for (GatherSlot& slot : context.put_slots) {
        send_open(slot);
        // The reader of the queue may have taken them. Pairs with
        // transports/ofi/message_sender.cpp:try_transfer.
        queue_.wait([&] { return slot.unsent.load(std::memory_order_acquire) == 0; });
    }
}

// ---- Gets ----

GetCoalescer::GetCoalescer(Rma& rma, PacketPool& pool, const MessageSender& sender,
                           CompletionQueue& queue)
    : Coalescer(rma, pool, sender, queue), bytes_max_(get_bytes_max(rma)) {}

bool GetCoalescer::try_get(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                           int pe) {
    if (bytes > bytes_max_ || context.is_internal) return false;
    rma_.peer_with(source, pe);
    const auto guard = context.guard();
    GatherSlot& slot = context.get_slot_of(pe);
    // Another thread may have left it. Pairs with transports/ofi/coalescers.cpp:leave.
    Packet* gets = slot.open.exchange(nullptr, std::memory_order_acquire);
    if (gets == nullptr && slot.in_flight.load(std::memory_order_relaxed) == 0) {
        count_first(slot);
        rma_.read_alone(slot.transfer, dest, source, bytes, pe);
        return true;
    }
    if (gets != nullptr && !has_room(*gets, bytes, pe)) {
        send(gets, slot);
        gets = nullptr;
    }
    if (gets == nullptr) {
        gets = bytes > kListedBytesMax ? start_vector(MessageKind::kReads, slot, pe)
                                       : start_list(slot, pe);
    }
    if (add(*gets, dest, source, bytes)) {
        send(gets, slot);
    } else {
        leave(gets, slot);
    }
    return true;
}

Packet* GetCoalescer::start_list(GatherSlot& slot, int pe) {
    Packet* list = sender_.start_packet(MessageKind::kGatherList, pe, 0);
    // Until the list has set out, its pieces change.
    const PendingGather pieces{.pending = slot.unanswered, .list = pool_.take(), .slot = &slot};
    list->header().token = pool_.take_gather(pieces).token.load(std::memory_order_relaxed);
    slot.unanswered->fetch_add(1, std::memory_order_relaxed);
    return list;
}

PendingGather& GetCoalescer::pieces_of(const Packet& list) const {
    return pool_.find_gather(list.header().token)->object;
}

// RETURNS: whether one more get of `bytes` from `pe` belongs there.
bool GetCoalescer::has_room(const Packet& gets, std::size_t bytes, int pe) const {
    if (gets.pe != pe || gets.is_vector() != (bytes > kListedBytesMax)) return false;
    const std::size_t answer_bytes_max = rma_.capabilities().packet_bytes - sizeof(Header);
    // A read that is full has set out.
    return gets.is_vector() ||
           (!gets.is_full() && pieces_of(gets).bytes + bytes <= answer_bytes_max);
}

// RETURNS: whether it is full.
bool GetCoalescer::add(Packet& gets, void* dest, const void* source, std::size_t bytes) {
    if (gets.is_vector()) return add_piece(gets, dest, source, bytes);
    gets.append(list_entry(rma_.offset_of(source), bytes));
    PendingGather& pieces = pieces_of(gets);
    pieces.entries()[pieces.count++] = {.start = static_cast<char*>(dest), .bytes = bytes};
    pieces.bytes += bytes;
    return false;
}

void GetCoalescer::send_all(OfiContext& context) {
    if (context.gathers.load(std::memory_order_relaxed) == 0) return;
    const auto guard = context.guard();
    for (GatherSlot& slot : context.get_slots) send_open(slot);
}

}  // namespace tessera::ofi
