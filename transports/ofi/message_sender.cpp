// SPDX-License-Identifier: BSD-3-Clause
//
// See message_sender.hpp.
#include "transports/ofi/message_sender.hpp"

#include <cstring>

#include "base/fatal.hpp"

namespace tessera::ofi {

Packet* MessageSender::start_packet(MessageKind kind, int pe, std::uint64_t token) const {
    Packet* packet = pool_.take();
    packet->pe = pe;
    packet->size = sizeof(Header);
    packet->capacity = static_cast<std::uint32_t>(fabric_.capabilities().packet_bytes);
    packet->header() = {
        .key = peers_[pe].message_key, .source = my_pe_, .kind = kind, .token = token};
    return packet;
}

ssize_t MessageSender::try_transfer(Packet& packet) const {
    const TransferVector& vector = vector_in(packet);
    GatherSlot& slot = *vector.slot;
    const bool is_write = packet.header().kind == MessageKind::kWrites;
    const ssize_t result = fabric_.start(vector.completion, [&](void* context) {
        const fi_msg_rma message = vector_message(vector.here, vector.there, vector.count,
                                                  peers_[packet.pe].address, context);
        return is_write ? fi_writemsg(fabric_.endpoint(), &message, vector.flags)
                        : fi_readmsg(fabric_.endpoint(), &message, 0);
    });
    if (result != 0) return result;
    // It is on its way. Pairs with transports/ofi/coalescers.cpp:send_slots.
    if (is_write) slot.unsent.fetch_sub(1, std::memory_order_release);
    pool_.put_back(&packet);
    return 0;
}

ssize_t MessageSender::try_post(Packet& packet, std::size_t bytes, fi_addr_t address) const {
    return fabric_.start(static_cast<Completion*>(&packet), [&](void* context) {
        return fi_send(fabric_.endpoint(), packet.bytes, bytes, nullptr, address, context);
    });
}

ssize_t MessageSender::try_send(Packet& packet) const {
    if (packet.is_vector()) return try_transfer(packet);
    const fi_addr_t address = peers_[packet.pe].address;
    if (packet.size > fabric_.capabilities().inject_message_bytes)
        return try_post(packet, packet.size, address);
    const ssize_t result = fi_inject(fabric_.endpoint(), packet.bytes, packet.size, address);
    if (result == 0) pool_.put_back(&packet);
    return result;
}

ssize_t MessageSender::try_send(const void* message, std::size_t bytes, int pe) const {
    const fi_addr_t address = peers_[pe].address;
    if (bytes <= fabric_.capabilities().inject_message_bytes)
        return fi_inject(fabric_.endpoint(), message, bytes, address);
    Packet* packet = pool_.take();
    std::memcpy(packet->bytes, message, bytes);
    const ssize_t result = try_post(*packet, bytes, address);
    if (result != 0) pool_.put_back(packet);
    return result;
}

void MessageSender::fail(ssize_t result, int pe) {
    fatal_lost_peer("cannot send to PE %d on another node: %s; did that PE or its host die?", pe,
                    error_text(result));
}

}  // namespace tessera::ofi
