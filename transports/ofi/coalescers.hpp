// SPDX-License-Identifier: BSD-3-Clause
//
// Gets of up to 32 KiB, and puts from there down to those that are updates (updates.hpp), that a
// quiet completes. One that comes alone is a read or write. Those behind it gather: short gets in a
// list (kGatherList in message.hpp), all others as the pieces of one read or write. It sets out
// when it is full, or when what is under way is complete: so a stream needs few operations of the
// provider, and no get or put waits for the program's quiet. THREADS: any.
#pragma once

#include "transports/ofi/rma.hpp"

namespace tessera::ofi {

// Sends the packets of a GatherSlot, for both.
class Coalescer {
  protected:
    Coalescer(Rma& rma, PacketPool& pool, const MessageSender& sender, CompletionQueue& queue)
        : rma_(rma), pool_(pool), sender_(sender), queue_(queue) {}
    static void count_first(GatherSlot& slot);
    void send(Packet* packet, GatherSlot& slot);
    void send_open(GatherSlot& slot);
    void leave(Packet* packet, GatherSlot& slot);
    Packet* start_vector(MessageKind kind, GatherSlot& slot, int pe);
    bool add_piece(Packet& vector, void* local, const void* remote, std::size_t bytes);

    Rma& rma_;
    PacketPool& pool_;
    const MessageSender& sender_;
    CompletionQueue& queue_;
};

class PutCoalescer : Coalescer {
  public:
    PutCoalescer(Rma& rma, PacketPool& pool, const MessageSender& sender, CompletionQueue& queue);
    // REQUIRES: the put is no update. RETURNS: whether it is under way. Else the caller writes.
    bool try_put(OfiContext& context, void* dest, const void* source, std::size_t bytes, int pe);
    // Sends those that gather. RETURNS when: these have set out.
    void send_all(OfiContext& context) {
        if (context.coalesced_puts.load(std::memory_order_relaxed) != 0) [[unlikely]]
            send_slots(context);
    }

  private:
    void send_slots(OfiContext& context);
    void send_full(OfiContext& context, Packet* puts, GatherSlot& slot);
    bool add(OfiContext& context, void* dest, const void* source, std::size_t bytes, int pe);

    const std::size_t bytes_max_;
};

class GetCoalescer : Coalescer {
  public:
    GetCoalescer(Rma& rma, PacketPool& pool, const MessageSender& sender, CompletionQueue& queue);
    // RETURNS: whether the get is under way. Else the caller reads.
    bool try_get(OfiContext& context, void* dest, const void* source, std::size_t bytes, int pe);
    // Sends those that gather.
    void send_all(OfiContext& context);

  private:
    Packet* start_list(GatherSlot& slot, int pe);
    PendingGather& pieces_of(const Packet& list) const;
    bool has_room(const Packet& gets, std::size_t bytes, int pe) const;
    bool add(Packet& gets, void* dest, const void* source, std::size_t bytes);

    const std::size_t bytes_max_;
};

}  // namespace tessera::ofi
