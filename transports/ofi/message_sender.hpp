// SPDX-License-Identifier: BSD-3-Clause
//
// One attempt to hand a message to the provider. Callers that may wait repeat it by
// CompletionQueue::post(); the reader of the queue, which may not, keeps what must be sent later
// (MessageHandlers). THREADS: any.
#pragma once

#include <rdma/fi_rma.h>

#include "transports/ofi/fabric.hpp"
#include "transports/ofi/packet_pool.hpp"
#include "transports/ofi/peers.hpp"

namespace tessera::ofi {

// Gets that are one read by the provider, or puts that are one write: behind the head of a Packet,
// which is no message.
struct TransferVector {
    Completion* completion;
    GatherSlot* slot;
    std::uint64_t flags;  // flags of a write
    std::size_t count;
    iovec here[kPiecesMax];
    fi_rma_iov there[kPiecesMax];
};
inline TransferVector& vector_in(Packet& packet) {
    return *reinterpret_cast<TransferVector*>(packet.bytes + sizeof(Header));
}

inline fi_msg_rma vector_message(const iovec* here, const fi_rma_iov* there, std::size_t count,
                                 fi_addr_t address, void* context) {
    return {.msg_iov = here,
            .desc = nullptr,
            .iov_count = count,
            .addr = address,
            .rma_iov = there,
            .rma_iov_count = count,
            .context = context,
            .data = 0};
}

class MessageSender {
  public:
    MessageSender(int my_pe, Fabric& fabric, Peers& peers, PacketPool& pool)
        : my_pe_(my_pe), fabric_(fabric), peers_(peers), pool_(pool) {}

    // Fills in the head of a message to `pe`.
    void address(Header& header, int pe) const {
        header.key = peers_[pe].message_key;
        header.source = my_pe_;
    }
    // An empty packet for `pe`, to be answered by that token.
    Packet* start_packet(MessageKind kind, int pe, std::uint64_t token) const;

    // Both RETURN: fi_send's result, and -FI_EAGAIN when the provider has no room.
    // A packet that the provider has injected, or a TransferVector, is in the pool again.
    ssize_t try_send(Packet& packet) const;
    // A short message; a copy of it, where the provider cannot inject it.
    ssize_t try_send(const void* message, std::size_t bytes, int pe) const;

    [[noreturn]] static void fail(ssize_t result, int pe);

  private:
    ssize_t try_transfer(Packet& packet) const;
    // By fi_send, which completes the packet.
    ssize_t try_post(Packet& packet, std::size_t bytes, fi_addr_t address) const;

    const int my_pe_;
    Fabric& fabric_;
    Peers& peers_;
    PacketPool& pool_;
};

}  // namespace tessera::ofi
