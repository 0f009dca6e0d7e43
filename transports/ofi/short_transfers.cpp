// SPDX-License-Identifier: BSD-3-Clause
//
// See transport.hpp: gets of up to 32 KiB, and puts from there down to those that are updates
// (updates.cpp), that a quiet completes. One that comes alone is a read or write. Those behind it
// gather: short gets in a list (kGatherList in message.hpp), all others as the pieces of one read
// or write. It sets out when it is full, or when what is under way is complete: so a stream needs
// few operations of the provider, and no get or put waits for the program's quiet.
#include <rdma/fi_rma.h>

#include <algorithm>

#include "transports/ofi/transport.hpp"

namespace tessera::ofi {
namespace {

// A slot may have lists under way, and reads or writes.
constexpr std::uint32_t kListsInFlightMax = 4;
constexpr std::uint32_t kVectorsInFlightMax = 16;
// Longer gets are pieces of reads,
constexpr std::size_t kListedBytesMax = 2048;
// and longer transfers are reads and writes of their own.
constexpr std::size_t kPieceBytesMax = std::size_t{32} << 10;

}  // namespace

// Where the provider's hardware reads, the CPU of the target is left alone.
bool OfiTransport::gathers_gets(const OfiContext& context, std::size_t bytes) const {
    return bytes <= (pieces_at_once_ > 1 ? kPieceBytesMax : kListedBytesMax) && bytes != 0 &&
           !capabilities().writes_words_whole && !context.is_internal;
}

// REQUIRES: the put is no update. Where several pieces would lose the order of writes, each put is
// a write of its own.
bool OfiTransport::gathers_puts(const OfiContext& context, std::size_t bytes) const {
    return bytes <= kPieceBytesMax && bytes != 0 && pieces_at_once_ > 1 && keeps_order_ &&
           capabilities().delivery_complete &&
           bytes * pieces_at_once_ <= std::min(piece_bytes_, capabilities().ordered_write_bytes) &&
           confirms(bytes * pieces_at_once_) && takes_updates(context) &&
           !context.is_batching.load(std::memory_order_relaxed);
}

void OfiTransport::read_first(GatherSlot& slot, void* dest, const void* source, std::size_t bytes,
                              int pe) {
    const fi_addr_t address = peer_with(source, pe).address;
    const Target target = target_of(source, pe);
    slot.unanswered->fetch_add(1, std::memory_order_relaxed);
    slot.in_flight.fetch_add(1, std::memory_order_seq_cst);
    queue_.post(
        [&] {
            return fi_read(endpoint(), dest, bytes, nullptr, address, target.address, target.key,
                           static_cast<Completion*>(&slot.transfer));
        },
        pe);
}

void OfiTransport::write_first(GatherSlot& slot, void* dest, const void* source, std::size_t bytes,
                               int pe) {
    const RemotePeer& peer = peer_with(dest, pe);
    const Target target = target_of(dest, pe);
    const std::uint64_t flags = injects(bytes) ? FI_INJECT : 0;
    slot.unanswered->fetch_add(1, std::memory_order_relaxed);
    slot.in_flight.fetch_add(1, std::memory_order_seq_cst);
    queue_.post([&] { return write_delivered(peer, source, bytes, target, flags, &slot.transfer); },
                pe);
}

void OfiTransport::send_gathered(Packet* gathered, GatherSlot& slot) {
    const std::uint32_t most = gathered->is_vector() ? kVectorsInFlightMax : kListsInFlightMax;
    queue_.wait([&] { return slot.in_flight.load(std::memory_order_relaxed) < most; });
    slot.in_flight.fetch_add(1, std::memory_order_seq_cst);
    queue_.post([&] { return sender_.try_send(*gathered); }, gathered->pe);
}

void OfiTransport::send_open(GatherSlot& slot) {
    Packet* gathered = slot.open.exchange(nullptr, std::memory_order_seq_cst);
    if (gathered != nullptr) send_gathered(gathered, slot);
}

void OfiTransport::send_gathered_gets(OfiContext& context) {
    if (context.gathers.load(std::memory_order_relaxed) == 0) return;
    const OfiContext::Guard guard(context);
    for (GatherSlot& slot : context.get_slots) send_open(slot);
}

void OfiTransport::send_gathered_puts(OfiContext& context) {
    if (context.gathered_puts.load(std::memory_order_relaxed) == 0) [[likely]]
        return;
    const OfiContext::Guard guard(context);
    for (GatherSlot& slot : context.put_slots) {
        send_open(slot);
        // The reader of the queue may have taken them. Acquire: pairs with the release in
        // MessageSender::try_transfer().
        queue_.wait([&] { return slot.unsent.load(std::memory_order_acquire) == 0; });
    }
}

// Like a long put: it completes when its sources are reusable, and the caller notes the write.
void OfiTransport::send_full_puts(OfiContext& context, Packet* puts, GatherSlot& slot) {
    vector_in(*puts).completion = &context.transfers;
    vector_in(*puts).flags = 0;
    post_counted(context.transfers, puts->pe, [&](Completion*) { return sender_.try_send(*puts); });
    slot.unanswered->fetch_sub(1, std::memory_order_relaxed);
}

Packet* OfiTransport::start_vector(MessageKind kind, GatherSlot& slot, int pe) {
    Packet* vector = sender_.start_packet(pe, 0);
    vector->header().kind = kind;
    vector_in(*vector) = {.completion = &slot.transfer,
                          .slot = &slot,
                          .flags = FI_DELIVERY_COMPLETE,
                          .count = 0,
                          .here = {},
                          .there = {}};
    slot.unanswered->fetch_add(1, std::memory_order_relaxed);
    return vector;
}

Packet* OfiTransport::start_list(GatherSlot& slot, int pe) {
    Packet* list = sender_.start_packet(pe, 0);
    list->header().kind = MessageKind::kGatherList;
    // Until the list has set out, its pieces change.
    const PendingGather pieces{.pending = slot.unanswered, .list = pool_.take(), .slot = &slot};
    list->header().token = pool_.take_gather(pieces).token.load(std::memory_order_relaxed);
    slot.unanswered->fetch_add(1, std::memory_order_relaxed);
    return list;
}

// RETURNS: whether one more get of `bytes` from `pe` belongs there.
bool OfiTransport::has_room(const Packet& gets, std::size_t bytes, int pe) const {
    if (gets.pe != pe || gets.is_vector() != (bytes > kListedBytesMax)) return false;
    const std::size_t answer_bytes_max = capabilities().packet_bytes - sizeof(Header);
    // A read that is full has set out.
    return gets.is_vector() ||
           (!gets.is_full() && pieces_of(gets)->bytes + bytes <= answer_bytes_max);
}

// RETURNS: whether the vector is full.
bool OfiTransport::add_piece(Packet& packet, void* local, const void* remote, std::size_t bytes) {
    TransferVector& vector = vector_in(packet);
    const Target target = target_of(remote, packet.pe);
    vector.here[vector.count] = {.iov_base = local, .iov_len = bytes};
    vector.there[vector.count] = {.addr = target.address, .len = bytes, .key = target.key};
    return ++vector.count == pieces_at_once_;
}

// RETURNS: whether it is full.
bool OfiTransport::add_get(Packet& gets, void* dest, const void* source, std::size_t bytes) {
    if (gets.is_vector()) return add_piece(gets, dest, source, bytes);
    gets.append(entry_of(static_cast<const char*>(source), bytes));
    PendingGather& pieces = *pieces_of(gets);
    pieces.entries()[pieces.count++] = {.start = static_cast<char*>(dest), .bytes = bytes};
    pieces.bytes += bytes;
    return false;
}

// Leaves them in the slot; sends them if nothing is under way.
void OfiTransport::leave_gathered(Packet* gathered, GatherSlot& slot) {
    // seq_cst on both: pairs with MessageHandlers::finish_transfer(). One of the two sees the
    // other.
    slot.open.store(gathered, std::memory_order_seq_cst);
    if (slot.in_flight.load(std::memory_order_seq_cst) == 0) send_open(slot);
}

bool OfiTransport::get_gathered(OfiContext& context, void* dest, const void* source,
                                std::size_t bytes, int pe) {
    if (!gathers_gets(context, bytes)) return false;
    peer_with(source, pe);
    const OfiContext::Guard guard(context);
    GatherSlot& slot = context.get_slot_of(pe);
    // Acquire: pairs with the store by which another thread left it.
    Packet* gets = slot.open.exchange(nullptr, std::memory_order_acquire);
    if (gets == nullptr && slot.in_flight.load(std::memory_order_relaxed) == 0) {
        read_first(slot, dest, source, bytes, pe);
        return true;
    }
    if (gets != nullptr && !has_room(*gets, bytes, pe)) {
        send_gathered(gets, slot);
        gets = nullptr;
    }
    if (gets == nullptr) {
        gets = bytes > kListedBytesMax ? start_vector(MessageKind::kReads, slot, pe)
                                       : start_list(slot, pe);
    }
    if (add_get(*gets, dest, source, bytes)) {
        send_gathered(gets, slot);
    } else {
        leave_gathered(gets, slot);
    }
    return true;
}

// RETURNS: whether it has sent a full vector.
bool OfiTransport::gather_put(OfiContext& context, void* dest, const void* source,
                              std::size_t bytes, int pe) {
    const OfiContext::Guard guard(context);
    GatherSlot& slot = context.put_slot_of(pe);
    // Acquire: as in get_gathered().
    Packet* puts = slot.open.exchange(nullptr, std::memory_order_acquire);
    if (puts == nullptr && slot.in_flight.load(std::memory_order_relaxed) == 0) {
        write_first(slot, dest, source, bytes, pe);
        return false;
    }
    if (puts != nullptr && puts->pe != pe) {
        send_gathered(puts, slot);
        puts = nullptr;
    }
    if (puts == nullptr) {
        puts = start_vector(MessageKind::kWrites, slot, pe);
        slot.unsent.fetch_add(1, std::memory_order_relaxed);
    }
    const bool is_full = add_piece(*puts, const_cast<void*>(source), dest, bytes);
    if (is_full) {
        send_full_puts(context, puts, slot);
    } else {
        leave_gathered(puts, slot);
    }
    return is_full;
}

// The first put of a stream, and what gathers while it is under way, tell their delivery, so the
// next ones know when to set out. Full vectors behind them do not: each delivery takes a message.
bool OfiTransport::put_gathered(OfiContext& context, void* dest, const void* source,
                                std::size_t bytes, int pe) {
    if (!gathers_puts(context, bytes)) return false;
    peer_with(dest, pe);
    if (gather_put(context, dest, source, bytes, pe)) written(context, bytes, pe);
    return true;
}

PendingGather* OfiTransport::pieces_of(const Packet& list) const {
    return &pool_.find_gather(list.header().token)->object;
}

}  // namespace tessera::ofi
