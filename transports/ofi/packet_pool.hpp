// SPDX-License-Identifier: BSD-3-Clause
//
// Objects that messages to other nodes need: packets, the slots in which a context gathers updates,
// and fetching atomics and gets that wait for an answer. Answers name slots, fetches and gets by
// tokens (transports/token_pool.hpp). THREADS: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "base/mutexes.hpp"
#include "base/section.hpp"
#include "transports/ofi/completion.hpp"
#include "transports/ofi/message.hpp"
#include "transports/token_pool.hpp"

namespace tessera::ofi {

// A message with data that is being filled or sent.
struct Packet : Completion {
    Packet() : Completion(Kind::kPacket) {}
    int pe = 0;
    std::uint32_t size = sizeof(Header);
    std::uint32_t capacity = kPacketBytesMin;
    alignas(8) std::byte bytes[kPacketBytesMax];
    Header& header() { return *reinterpret_cast<Header*>(bytes); }
    const Header& header() const { return *reinterpret_cast<const Header*>(bytes); }
    // Whether it is no message, but a TransferVector.
    bool is_vector() const {
        return header().kind == MessageKind::kReads || header().kind == MessageKind::kWrites;
    }
    bool has_room(std::size_t count) const { return size + count <= capacity; }
    bool is_full() const { return !has_room(sizeof(Update)); }
    // REQUIRES: there is room.
    void append_bytes(const void* source, std::size_t count) {
        std::memcpy(bytes + size, source, count);
        size += static_cast<std::uint32_t>(count);
    }
    void append(const Update& update) {
        std::memcpy(bytes + size, &update, sizeof update);
        size += sizeof update;
        ++header().count;
    }
    // The message has zeros behind the bytes, not what the packet carried before.
    void append_padded(const void* source, std::size_t count) {
        const std::size_t total = padded(count);
        if (total != count) std::memset(bytes + size + total - 8, 0, 8);
        std::memcpy(bytes + size, source, count);
        size += static_cast<std::uint32_t>(total);
    }
    // A put of bytes.
    void append(const Update& update, const void* data) {
        append(update);
        append_padded(data, update.operand);
    }
    void append(const ListEntry& entry) {
        static_assert(sizeof entry == sizeof(Update), "for is_full()");
        std::memcpy(bytes + size, &entry, sizeof entry);
        size += sizeof entry;
    }
};

struct PacketSlot;
// The sender counts a write as a packet of its slot; the write's completion acknowledges it.
struct Delivery : Completion {
    explicit Delivery(PacketSlot& of_slot) : Completion(Kind::kDelivery), slot(of_slot) {}
    PacketSlot& slot;
};

// A context's packet for some of the PEs. The packet belongs to the thread that has taken it out of
// `open`: the one that uses the context, or the reader of the queue, which sends it when the last
// acknowledgement has come.
struct PacketSlot {
    static constexpr std::uint32_t kOnePacket = 1, kOneWrite = 1U << 16;
    std::atomic<Packet*> open{nullptr};
    // Sent and not acknowledged: kOnePacket for each packet, kOneWrite for each Delivery.
    std::atomic<std::uint32_t> in_flight{0};
    std::atomic<std::uint32_t> held{0};             // the reader may have one that it has not sent
    std::atomic<bool> is_fenced{false};             // see Messages::fence()
    std::atomic<std::uint32_t>* unacked = nullptr;  // updates of the context
    std::uint64_t token = 0;                        // names the slot in messages
    Delivery delivery{*this};
    // Only the thread that fills packets uses these two. A burst is the updates between two moments
    // at which the target had acknowledged all.
    std::uint32_t burst = 0;
    std::uint32_t expected = 0;  // updates of this burst: as many as the last had, if that was long

    // Whether all packets that are no longer in `open` have been sent. Pairs with
    // transports/ofi/message_handlers.cpp:finish and
    // transports/ofi/message_handlers.cpp:send_postponed.
    bool is_all_sent() const { return held.load(std::memory_order_acquire) == 0; }
    // Whether the targets have executed everything. The reader changes the three in this order, so
    // that it cannot have a packet unseen.
    bool is_idle() const { return has_in_flight_only(0); }
    // Whether nothing but writes is under way.
    bool has_no_packets() const { return has_in_flight_only(~(kOneWrite - 1)); }
    // Pairs with transports/ofi/message_handlers.cpp:finish.
    std::uint32_t count_in_flight() const {
        const std::uint32_t value = in_flight.load(std::memory_order_seq_cst);
        return value % kOneWrite + value / kOneWrite;
    }

  private:
    // Pairs with transports/ofi/message_handlers.cpp:finish and
    // transports/ofi/message_handlers.cpp:try_send_packet.
    bool has_in_flight_only(std::uint32_t mask) const {
        return open.load(std::memory_order_seq_cst) == nullptr &&
               held.load(std::memory_order_seq_cst) == 0 &&
               (in_flight.load(std::memory_order_seq_cst) & ~mask) == 0;
    }
};
inline constexpr std::size_t kSlotsPerContext = 8;

struct GatherSlot;
struct SlotTransfer : Completion {
    explicit SlotTransfer(GatherSlot& of_slot) : Completion(Kind::kSlotTransfer), slot(of_slot) {}
    GatherSlot& slot;
};

// The gets, or the puts, of a context that gather for some of the PEs (coalescers.hpp). They
// belong to the thread that has taken them out of `open`, as a packet does.
struct GatherSlot {
    std::atomic<Packet*> open{nullptr};
    std::atomic<std::uint32_t> in_flight{0};           // lists, and reads or writes by `transfer`
    std::atomic<std::uint32_t> unsent{0};              // writes that have not set out
    std::atomic<std::uint32_t>* unanswered = nullptr;  // gathers, or coalesced puts, of the context
    SlotTransfer transfer{*this};
};

// A fetching atomic that waits for its reply.
struct PendingFetch {
    void* result = nullptr;
    std::size_t bytes = 8;
    std::atomic<std::uint32_t>* pending = nullptr;
    bool is_pooled = true;                               // else it belongs to a context
    std::atomic<std::uint32_t>* of_operation = nullptr;  // a count of an Operation, or none
};
using FetchEntry = TokenPool<PendingFetch>::Entry;

// A part of a strided or indexed get that waits for its data.
struct LocalPiece {
    char* start;
    std::size_t bytes;
};
struct PendingGather {
    std::atomic<std::uint32_t>* pending = nullptr;  // answers that the get waits for
    char* base = nullptr;                           // where run 0 begins on this side
    std::size_t bytes = 0;                          // length of the answer
    std::size_t first = 0;                          // run
    std::size_t count = 0;                          // runs, or pieces of the list
    std::size_t run_bytes = 0;
    // Holds the LocalPieces of an indexed get, or of several gets. Belongs to the gets until their
    // data has come.
    Packet* list = nullptr;
    int ndims = 0;
    std::size_t extents[kDimensionsMax] = {};
    std::ptrdiff_t strides[kDimensionsMax] = {};

    std::atomic<std::uint32_t>* of_operation = nullptr;  // a count of an Operation, or none
    GatherSlot* slot = nullptr;                          // slot of a list of short gets, or none

    Runs runs() const { return {run_bytes, ndims, extents, strides}; }
    LocalPiece* entries() const { return reinterpret_cast<LocalPiece*>(list->bytes); }
};
static_assert(sizeof(LocalPiece) == sizeof(ListEntry), "the request has as many");
using GatherEntry = TokenPool<PendingGather>::Entry;

// The slots of one context.
using SlotsEntry = TokenPool<PacketSlot*>::Entry;

class PacketPool {
  public:
    Packet* take();
    void put_back(Packet* packet);

    FetchEntry& take_fetch(const PendingFetch& fetch) { return fetches_.take(fetch); }
    void put_back(FetchEntry& fetch) { fetches_.put_back(fetch); }
    FetchEntry* find_fetch(std::uint64_t token) const { return fetches_.find(token); }

    GatherEntry& take_gather(const PendingGather& gather) { return gathers_.take(gather); }
    void put_back(GatherEntry& gather) { gathers_.put_back(gather); }
    GatherEntry* find_gather(std::uint64_t token) const { return gathers_.find(token); }

    // Gives each of a context's kSlotsPerContext slots its token.
    SlotsEntry& add_slots(PacketSlot* slots);
    void remove_slots(SlotsEntry& slots) { slots_.put_back(slots); }
    // nullptr: no slot has this token.
    PacketSlot* find_slot(std::uint64_t token) const;

  private:
    ShortMutex lock_;  // for a few instructions
    std::vector<Packet*> free_;
    std::vector<std::unique_ptr<Packet>> all_;
    TokenPool<PendingFetch> fetches_;
    TokenPool<PendingGather> gathers_;
    TokenPool<PacketSlot*> slots_;
};

}  // namespace tessera::ofi
