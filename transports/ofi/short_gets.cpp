// SPDX-License-Identifier: BSD-3-Clause
//
// See transport.hpp: gets of up to 32 KiB that a quiet completes. One that comes alone is a read.
// Those behind it gather: short ones in a list (kGatherList in message.hpp), longer ones as the
// pieces of one read. It sets out when it is full, or when what is under way has been answered: so
// a stream of gets needs few round trips, and no get waits for the program's quiet.
#include <rdma/fi_rma.h>

#include <cstring>

#include "transports/ofi/transport.hpp"

namespace tessera::ofi {
namespace {

// A slot may have lists under way, and a read.
constexpr std::uint32_t kListsInFlightMax = 4;
constexpr std::uint32_t kReadsInFlightMax = 16;
// Longer gets are pieces of reads,
constexpr std::size_t kListedBytesMax = 2048;
// and longer ones reads of their own.
constexpr std::size_t kPieceBytesMax = std::size_t{32} << 10;

bool is_read(const Packet& gets) {
    return reinterpret_cast<const Header*>(gets.bytes)->kind == MessageKind::kReads;
}

}  // namespace

// Where the provider's hardware reads, the CPU of the target is left alone.
bool OfiTransport::gathers_gets(const OfiContext& context, std::size_t bytes) const {
    return bytes <= (reads_at_once_ > 1 ? kPieceBytesMax : kListedBytesMax) && bytes != 0 &&
           !capabilities().writes_words_whole && !context.is_internal;
}

void OfiTransport::read_first(GetSlot& slot, void* dest, const void* source, std::size_t bytes,
                              int pe) {
    const fi_addr_t address = peer_with(source, pe).address;
    const Target target = target_of(source, pe);
    slot.unanswered->fetch_add(1, std::memory_order_relaxed);
    slot.in_flight.fetch_add(1, std::memory_order_seq_cst);
    queue_.post(
        [&] {
            return fi_read(endpoint(), dest, bytes, nullptr, address, target.address, target.key,
                           static_cast<Completion*>(&slot.first));
        },
        pe);
}

void OfiTransport::send_gets(Packet* gets, GetSlot& slot) {
    const std::uint32_t most = is_read(*gets) ? kReadsInFlightMax : kListsInFlightMax;
    queue_.wait([&] { return slot.in_flight.load(std::memory_order_relaxed) < most; });
    slot.in_flight.fetch_add(1, std::memory_order_seq_cst);
    queue_.post([&] { return sender_.try_send(*gets); }, gets->pe);
}

void OfiTransport::send_open_gets(GetSlot& slot) {
    Packet* gets = slot.open.exchange(nullptr, std::memory_order_seq_cst);
    if (gets != nullptr) send_gets(gets, slot);
}

void OfiTransport::send_gathered_gets(OfiContext& context) {
    if (context.gathers.load(std::memory_order_relaxed) == 0) return;
    const OfiContext::Guard guard(context);
    for (GetSlot& slot : context.get_slots) send_open_gets(slot);
}

Packet* OfiTransport::start_gets(GetSlot& slot, std::size_t bytes, int pe) {
    Packet* gets = sender_.start_packet(pe, 0);
    slot.unanswered->fetch_add(1, std::memory_order_relaxed);
    if (bytes > kListedBytesMax) {
        gets->header().kind = MessageKind::kReads;
        reads_of(*gets) = {.completion = &slot.first, .count = 0, .here = {}, .there = {}};
        return gets;
    }
    gets->header().kind = MessageKind::kGatherList;
    // Until the list has set out, its pieces change.
    const PendingGather pieces{.pending = slot.unanswered, .list = pool_.take(), .slot = &slot};
    gets->header().token = pool_.take_gather(pieces).token.load(std::memory_order_relaxed);
    return gets;
}

// RETURNS: whether one more get of `bytes` from `pe` belongs there.
bool OfiTransport::has_room(const Packet& gets, std::size_t bytes, int pe) const {
    if (gets.pe != pe || is_read(gets) != (bytes > kListedBytesMax)) return false;
    const std::size_t answer_bytes_max = capabilities().packet_bytes - sizeof(Header);
    // A read that is full has set out.
    return is_read(gets) || (!gets.is_full() && pieces_of(gets)->bytes + bytes <= answer_bytes_max);
}

// RETURNS: whether it is full.
bool OfiTransport::add_get(Packet& gets, void* dest, const void* source, std::size_t bytes) {
    if (is_read(gets)) {
        ReadVector& reads = reads_of(gets);
        const Target target = target_of(source, gets.pe);
        reads.here[reads.count] = {.iov_base = dest, .iov_len = bytes};
        reads.there[reads.count] = {.addr = target.address, .len = bytes, .key = target.key};
        return ++reads.count == reads_at_once_;
    }
    gets.append(entry_of(static_cast<const char*>(source), bytes));
    PendingGather& pieces = *pieces_of(gets);
    pieces.entries()[pieces.count++] = {.start = static_cast<char*>(dest), .bytes = bytes};
    pieces.bytes += bytes;
    return false;
}

bool OfiTransport::get_gathered(OfiContext& context, void* dest, const void* source,
                                std::size_t bytes, int pe) {
    if (!gathers_gets(context, bytes)) return false;
    peer_with(source, pe);
    const OfiContext::Guard guard(context);
    GetSlot& slot = context.get_slot_of(pe);
    // Acquire: pairs with the store by which another thread left it.
    Packet* gets = slot.open.exchange(nullptr, std::memory_order_acquire);
    if (gets == nullptr && slot.in_flight.load(std::memory_order_relaxed) == 0) {
        read_first(slot, dest, source, bytes, pe);
        return true;
    }
    if (gets != nullptr && !has_room(*gets, bytes, pe)) {
        send_gets(gets, slot);
        gets = nullptr;
    }
    if (gets == nullptr) gets = start_gets(slot, bytes, pe);
    const bool is_full = add_get(*gets, dest, source, bytes);
    // seq_cst on both: pairs with MessageHandlers::finish_get(). One of the two sees the other.
    slot.open.store(gets, std::memory_order_seq_cst);
    if (is_full || slot.in_flight.load(std::memory_order_seq_cst) == 0) send_open_gets(slot);
    return true;
}

PendingGather* OfiTransport::pieces_of(const Packet& list) const {
    const auto& header = *reinterpret_cast<const Header*>(list.bytes);
    return &pool_.find_gather(header.token)->object;
}

}  // namespace tessera::ofi
