// SPDX-License-Identifier: BSD-3-Clause
//
// The operations that a context has under way between nodes: a number for each kind, which quiet
// waits for, and the slots in which some of them gather.
// THREADS: any if it is shared, else one at a time, and the reader of the queue.
#pragma once

#include <algorithm>
#include <atomic>

#include "base/mutexes.hpp"
#include "transports/ofi/capabilities.hpp"
#include "transports/ofi/packet_pool.hpp"
#include "transports/transport.hpp"

namespace tessera::ofi {

inline constexpr int kDirtyMax = 64;
// Writes between two confirmations: a read for each 256 costs a stream little, and bounds the
// work of a quiet.
inline constexpr std::uint32_t kWritesMax = 256;

// The PEs that were written to since they were last confirmed. THREADS: one at a time, but
// is_empty(), unordered_writes() and has_unordered_writes().
class DirtyPeers {
  public:
    // Pairs with transports/ofi/context.hpp:take.
    bool is_empty() const { return count_.load(std::memory_order_acquire) == 0; }
    // Writes that were longer than the provider keeps in order.
    std::uint32_t unordered_writes() const { return unordered_.load(std::memory_order_relaxed); }
    // Whether not all of them are complete.
    bool has_unordered_writes() const {
        return unordered_.load(std::memory_order_relaxed) !=
               complete_.load(std::memory_order_relaxed);
    }
    // The first `writes` of them are complete.
    void complete_unordered(std::uint32_t writes) {
        const auto newer = writes - complete_.load(std::memory_order_relaxed);
        if (newer <= INT32_MAX) complete_.store(writes, std::memory_order_relaxed);
    }

    // A write to `pe` has been posted. True: it is time to confirm.
    bool note(int pe, bool is_ordered) {
        if (!is_ordered) unordered_.fetch_add(1, std::memory_order_relaxed);
        int count = count_.load(std::memory_order_relaxed);
        if (!contains(pe, count)) {
            pes_[count++] = pe;
            count_.store(count, std::memory_order_relaxed);
        }
        return ++writes_ >= kWritesMax || count == kDirtyMax;
    }
    // The dirty PEs, which are so no longer. `pes` holds kDirtyMax.
    int take(int* pes) {
        const int count = count_.load(std::memory_order_relaxed);
        std::copy_n(pes_, count, pes);
        writes_ = 0;
        // Pairs with transports/ofi/context.hpp:is_empty.
        count_.store(0, std::memory_order_release);
        return count;
    }

  private:
    bool contains(int pe, int count) const {
        // Most often the one before.
        for (int i = count - 1; i >= 0; --i) {
            if (pes_[i] == pe) return true;
        }
        return false;
    }
    std::uint32_t writes_ = 0;  // since the last take()
    std::atomic<std::uint32_t> unordered_{0};
    std::atomic<std::uint32_t> complete_{0};  // complete ones of these
    std::atomic<int> count_{0};
    int pes_[kDirtyMax];
};

class OfiContext final : public TransportContext {
  public:
    OfiContext(const TransportContext::Options& options, PacketPool& pool)
        : TransportContext(options),
          is_shared(options.is_shared),
          is_internal(options.is_internal),
          pool_(pool),
          slots_entry_(pool.add_slots(slots)),
          fetch_(pool.take_fetch({.is_pooled = false})) {
        fetch_.retire();  // Until it is used.
        for (PacketSlot& slot : slots) slot.unacked = &updates;
        for (GatherSlot& slot : get_slots) slot.unanswered = &gathers;
        for (GatherSlot& slot : put_slots) slot.unanswered = &coalesced_puts;
    }
    // REQUIRES: everything is complete, so no answer comes any more.
    ~OfiContext() override {
        pool_.put_back(fetch_);
        pool_.remove_slots(slots_entry_);
    }

    const bool is_shared;
    const bool is_internal;
    std::atomic<bool> is_batching{false};
    std::atomic<std::size_t> batch_remaining{0};  // operations until the batch is complete
    Counter transfers;  // reads and writes, until the provider has completed them
    // In packets; a short put with nothing in flight before it is a write, which counts as one.
    std::atomic<std::uint32_t> updates{0};
    std::atomic<std::uint32_t> fetches{0};  // atomics with a result
    // Parts of strided and indexed gets, and what GetCoalescer sends.
    std::atomic<std::uint32_t> gathers{0};
    std::atomic<std::uint32_t> coalesced_puts{0};  // puts that PutCoalescer sends
    PacketSlot slots[kSlotsPerContext];
    GatherSlot get_slots[kSlotsPerContext];
    GatherSlot put_slots[kSlotsPerContext];
    PacketSlot& slot_of(int pe) { return slots[pe % static_cast<int>(kSlotsPerContext)]; }
    GatherSlot& get_slot_of(int pe) { return get_slots[pe % static_cast<int>(kSlotsPerContext)]; }
    GatherSlot& put_slot_of(int pe) { return put_slots[pe % static_cast<int>(kSlotsPerContext)]; }
    // Messages are under way that change memory of other PEs. Pairs with
    // transports/ofi/message_handlers.cpp:finish and
    // transports/ofi/message_handlers.cpp:take_reply.
    bool has_messages() const {
        return updates.load(std::memory_order_acquire) != 0 ||
               fetches.load(std::memory_order_acquire) != 0;
    }

    // A lock for contexts that several threads use.
    std::unique_lock<LongMutex> guard() {
        return is_shared ? std::unique_lock(lock_) : std::unique_lock<LongMutex>();
    }

    // Only messages may still be under way, of all operations that a quiet waits for.
    bool is_idle() const { return dirty_.is_empty() && transfers.load() == 0; }

    // A write to `pe` has been posted. True: it is time to confirm().
    bool note_write(int pe, std::size_t bytes, const Capabilities& capabilities) {
        const auto locked = guard();
        return dirty_.note(pe, bytes <= capabilities.ordered_write_bytes);
    }
    std::uint32_t unordered_writes() const { return dirty_.unordered_writes(); }
    bool has_unordered_writes() const { return dirty_.has_unordered_writes(); }
    void complete_unordered(std::uint32_t writes) {
        const auto locked = guard();
        dirty_.complete_unordered(writes);
    }
    // The PEs whose writes the caller confirms. If there are any, they count as a transfer until
    // end_confirmation(): a quiet of another thread waits for the reads that the caller posts.
    int take_dirty(int* pes) {
        const auto locked = guard();
        if (dirty_.is_empty()) return 0;
        transfers.pending.fetch_add(1, std::memory_order_relaxed);
        return dirty_.take(pes);
    }
    // Pairs with transports/ofi/completion.hpp:load.
    void end_confirmation() { transfers.pending.fetch_sub(1, std::memory_order_release); }

    // The fetch of a context with one user at a time, which waits for it: takes no lock.
    FetchEntry& renewed_fetch(const PendingFetch& fetch) {
        fetch_.object = fetch;
        fetch_.renew();
        return fetch_;
    }

    std::uint64_t confirmation = 0;  // destination of the reads behind writes

  private:
    LongMutex lock_;
    DirtyPeers dirty_;  // changed under the lock
    PacketPool& pool_;
    SlotsEntry& slots_entry_;
    FetchEntry& fetch_;
};

inline OfiContext& own(TransportContext& context) { return static_cast<OfiContext&>(context); }

}  // namespace tessera::ofi
