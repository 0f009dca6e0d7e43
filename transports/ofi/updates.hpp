// SPDX-License-Identifier: BSD-3-Clause
//
// Words, atomics without result and short puts, which gather in packets (kUpdates in message.hpp).
// The target executes those of a packet in their order, and packets in the order in which they set
// out. A packet is sent at once when few are in flight, else when it is full or those in flight are
// acknowledged: the first ones are quick, and a stream fills packets. THREADS: any.
#pragma once

#include "transports/ofi/messages.hpp"

namespace tessera::ofi {

class Updates {
  public:
    Updates(Rma& rma, Messages& messages, const MessageSender& sender);

    // Where the provider writes no word whole the target's CPU stores words, and copies short puts.
    bool takes_word(const OfiContext& context, const void* dest, std::size_t bytes) const {
        return takes_any(context) && is_word(dest, bytes);
    }
    bool takes_put(const OfiContext& context, std::size_t bytes) const {
        return bytes <= bytes_max_ && takes_any(context);
    }
    static AtomicRequest word_of(void* dest, const void* source, std::size_t bytes);

    // RETURNS: whether the put is under way. Else the caller writes.
    bool try_put(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                 Returns returns, int pe);
    void update(OfiContext& context, const AtomicRequest& request, int pe);
    // REQUIRES: takes_put().
    void put_signal(OfiContext& context, void* dest, const void* source, std::size_t bytes,
                    const AtomicRequest& signal, int pe);

  private:
    class Filling;
    // Words that a program may wait for are stored by the target's CPU if the provider does not
    // write them whole, and sessions pack words; collectives end with a gate behind their data.
    bool takes_any(const OfiContext& context) const {
        return (stores_words_ && !context.is_internal) ||
               context.is_batching.load(std::memory_order_relaxed);
    }
    bool comes_alone(const OfiContext& context, const PacketSlot& slot, std::size_t bytes,
                     Returns returns) const;

    Rma& rma_;
    Messages& messages_;
    const MessageSender& sender_;
    const bool stores_words_;
    const std::size_t bytes_max_;
};

}  // namespace tessera::ofi
