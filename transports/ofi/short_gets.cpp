// SPDX-License-Identifier: BSD-3-Clause
//
// See transport.hpp: short gets that a quiet completes. One that comes alone is a read. Those
// behind it gather in a list (kGatherList in message.hpp), which sets out when it is full, or when
// what is under way has been answered: so a stream of gets needs few round trips, and no get waits
// for the program's quiet.
#include <rdma/fi_rma.h>

#include <cstring>

#include "transports/ofi/transport.hpp"

namespace tessera::ofi {
namespace {

// A slot may have lists under way, and a read.
constexpr std::uint32_t kInFlightMax = 4;
// Longer gets are reads.
constexpr std::size_t kListedBytesMax = 2048;

}  // namespace

// Where the provider's hardware reads, the CPU of the target is left alone.
bool OfiTransport::goes_in_list(const OfiContext& context, std::size_t bytes) const {
    return bytes <= kListedBytesMax && !capabilities().writes_words_whole && !context.is_internal;
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

void OfiTransport::send_list(Packet* list, GetSlot& slot) {
    queue_.wait([&] { return slot.in_flight.load(std::memory_order_relaxed) < kInFlightMax; });
    slot.in_flight.fetch_add(1, std::memory_order_seq_cst);
    queue_.post([&] { return sender_.try_send(*list); }, list->pe);
}

void OfiTransport::send_open_list(GetSlot& slot) {
    Packet* list = slot.open.exchange(nullptr, std::memory_order_seq_cst);
    if (list != nullptr) send_list(list, slot);
}

void OfiTransport::send_lists(OfiContext& context) {
    if (context.gathers.load(std::memory_order_relaxed) == 0) return;
    const OfiContext::Guard guard(context);
    for (GetSlot& slot : context.get_slots) send_open_list(slot);
}

Packet* OfiTransport::start_list(GetSlot& slot, int pe) {
    Packet* list = sender_.start_packet(pe, 0);
    list->header().kind = MessageKind::kGatherList;
    // Until the list has set out, its pieces change.
    const PendingGather pieces{.pending = slot.unanswered, .list = pool_.take(), .slot = &slot};
    list->header().token = pool_.take_gather(pieces).token.load(std::memory_order_relaxed);
    slot.unanswered->fetch_add(1, std::memory_order_relaxed);
    return list;
}

bool OfiTransport::get_in_list(OfiContext& context, void* dest, const void* source,
                               std::size_t bytes, int pe) {
    if (bytes == 0 || !goes_in_list(context, bytes)) return false;
    peer_with(source, pe);
    const OfiContext::Guard guard(context);
    GetSlot& slot = context.get_slot_of(pe);
    // Acquire: pairs with the store by which another thread left the list.
    Packet* list = slot.open.exchange(nullptr, std::memory_order_acquire);
    if (list == nullptr && slot.in_flight.load(std::memory_order_relaxed) == 0) {
        read_first(slot, dest, source, bytes, pe);
        return true;
    }
    const std::size_t answer_bytes_max = capabilities().packet_bytes - sizeof(Header);
    PendingGather* pieces = list != nullptr ? pieces_of(*list) : nullptr;
    if (list != nullptr &&
        (list->pe != pe || list->is_full() || pieces->bytes + bytes > answer_bytes_max)) {
        send_list(list, slot);
        list = nullptr;
    }
    if (list == nullptr) {
        list = start_list(slot, pe);
        pieces = pieces_of(*list);
    }
    list->append(entry_of(static_cast<const char*>(source), bytes));
    pieces->entries()[pieces->count++] = {.start = static_cast<char*>(dest), .bytes = bytes};
    pieces->bytes += bytes;
    // seq_cst on both: pairs with MessageHandlers::finish_get(). One of the two sees the other.
    slot.open.store(list, std::memory_order_seq_cst);
    if (slot.in_flight.load(std::memory_order_seq_cst) == 0) send_open_list(slot);
    return true;
}

PendingGather* OfiTransport::pieces_of(const Packet& list) const {
    const auto& header = *reinterpret_cast<const Header*>(list.bytes);
    return &pool_.find_gather(header.token)->object;
}

}  // namespace tessera::ofi
