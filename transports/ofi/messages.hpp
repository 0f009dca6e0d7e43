// SPDX-License-Identifier: BSD-3-Clause
//
// The active messages that a context sends (message.hpp), its atomics with a result, and fence and
// quiet, which order everything that it has under way. THREADS: any.
#pragma once

#include "transports/ofi/coalescers.hpp"

namespace tessera::ofi {

class Messages {
  public:
    Messages(Rma& rma, PutCoalescer& puts, GetCoalescer& gets, PacketPool& pool,
             const MessageSender& sender, CompletionQueue& queue)
        : rma_(rma), puts_(puts), gets_(gets), pool_(pool), sender_(sender), queue_(queue) {}

    // Sends a packet of the slot, or a short message.
    void send(Packet* packet, PacketSlot& slot);
    void send(Header& header, std::size_t bytes, int pe);
    // The same, of a packet of one update, which the target acknowledges.
    void send_update(OfiContext& context, Packet* packet, PacketSlot& slot);
    // Sends a request and counts its answer, when few enough are under way.
    void send_request(Packet* packet, PendingGather& answer);
    // Sends the packet that the slot gathers, if there is one. REQUIRES: the guard of the context.
    void send_open(PacketSlot& slot);
    // RETURNS when: all messages of the slot have set out.
    void flush(OfiContext& context, PacketSlot& slot);
    void flush(OfiContext& context);

    // Whether messages that set out now are executed behind the context's writes. Else a quiet
    // must come between.
    bool keeps_order(const OfiContext& context) const {
        return rma_.keeps_order && !context.has_unordered_writes();
    }
    void fence(OfiContext& context);
    void quiet(OfiContext& context);
    // Whether a write by the provider could be earlier than messages in front of a fence.
    static bool is_behind_fence(OfiContext& context, PacketSlot& slot) {
        return slot.is_fenced.load(std::memory_order_relaxed) && is_fence_up(context, slot);
    }
    // Whether some of the context's packets of the slot may not be executed yet.
    static bool has_packets(OfiContext& context, const PacketSlot& slot);
    // RETURNS when: the PE has executed the messages of the context.
    void settle(OfiContext& context, int pe);

    // RETURNS: the old value.
    std::uint64_t fetch(OfiContext& context, const AtomicRequest& request, int pe);
    // Sends a fetch of the context that is answered later.
    void post_fetch(OfiContext& context, const AtomicRequest& request, PendingFetch fetch, int pe);

  private:
    static bool is_fence_up(OfiContext& context, PacketSlot& slot);
    void send_fetch(const AtomicRequest& request, const FetchEntry& fetch, int pe);

    Rma& rma_;
    PutCoalescer& puts_;
    GetCoalescer& gets_;
    PacketPool& pool_;
    const MessageSender& sender_;
    CompletionQueue& queue_;
};

}  // namespace tessera::ofi
