// SPDX-License-Identifier: BSD-3-Clause
//
// Objects that messages to other nodes need: packets, the slots in which a context gathers updates,
// and fetching atomics that wait for a reply. Answers name slots and fetches by
// tokens (transports/token_pool.hpp). THREADS: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "transports/ofi/completion.hpp"
#include "transports/ofi/message.hpp"
#include "transports/token_pool.hpp"

namespace tessera::ofi {

// A kUpdates or kScatter message that is being filled or sent.
struct Packet : Completion {
    Packet() : Completion(Kind::kPacket) {}
    int pe = 0;
    std::uint32_t size = sizeof(Header);
    alignas(8) std::byte bytes[kPacketBytes];
    Header& header() { return *reinterpret_cast<Header*>(bytes); }
    bool is_full() const { return size + sizeof(Update) > kPacketBytes; }
    void append(const Update& update) {
        std::memcpy(bytes + size, &update, sizeof update);
        size += sizeof update;
        ++header().count;
    }
};

// A context's packet for some of the PEs. The packet belongs to the thread that has taken it out of
// `open`: the one that uses the context, or the reader of the queue, which sends it when the last
// acknowledgement has come.
struct PacketSlot {
    std::atomic<Packet*> open{nullptr};
    std::atomic<std::uint32_t> in_flight{0};        // packets sent and not acknowledged
    std::atomic<std::uint32_t> held{0};             // the reader may have one that it has not sent
    std::atomic<bool> is_fenced{false};             // see OfiTransport::fence()
    std::atomic<std::uint32_t>* unacked = nullptr;  // updates of the context
    std::uint64_t token = 0;                        // names the slot in messages

    // Whether all packets that are no longer in `open` have been sent. Acquire: pairs with the
    // releases of `held` in MessageHandlers.
    bool is_all_sent() const { return held.load(std::memory_order_acquire) == 0; }
    // Whether the targets have executed everything. The reader changes the three in this order, so
    // that it cannot have a packet unseen.
    bool is_idle() const {
        return open.load(std::memory_order_seq_cst) == nullptr &&
               held.load(std::memory_order_seq_cst) == 0 &&
               in_flight.load(std::memory_order_seq_cst) == 0;
    }
};
inline constexpr std::size_t kSlotsPerContext = 8;

// A fetching atomic that waits for its reply.
struct PendingFetch {
    void* result = nullptr;
    std::size_t bytes = 8;
    std::atomic<std::uint32_t>* pending = nullptr;
    bool is_pooled = true;  // else it belongs to a context
};
using FetchEntry = TokenPool<PendingFetch>::Entry;
// The slots of one context.
using SlotsEntry = TokenPool<PacketSlot*>::Entry;

class PacketPool {
  public:
    Packet* take();
    void put_back(Packet* packet);

    FetchEntry& take_fetch(const PendingFetch& fetch) { return fetches_.take(fetch); }
    void put_back(FetchEntry& fetch) { fetches_.put_back(fetch); }
    FetchEntry* find_fetch(std::uint64_t token) const { return fetches_.find(token); }

    // Gives each of a context's kSlotsPerContext slots its token.
    SlotsEntry& add_slots(PacketSlot* slots);
    void remove_slots(SlotsEntry& slots) { slots_.put_back(slots); }
    // nullptr: no slot has this token.
    PacketSlot* find_slot(std::uint64_t token) const;

  private:
    std::mutex lock_;  // for a few instructions
    std::vector<Packet*> free_;
    std::vector<std::unique_ptr<Packet>> all_;
    TokenPool<PendingFetch> fetches_;
    TokenPool<PacketSlot*> slots_;
};

}  // namespace tessera::ofi
