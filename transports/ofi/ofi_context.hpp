// SPDX-License-Identifier: BSD-3-Clause
//
// What a context has under way between nodes; ofi_transport.cpp says what becomes of it.
// THREADS: any if it is shared, else one at a time and the engine's.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>

#include "transports/ofi/engine.hpp"
#include "transports/transport.hpp"

namespace tessera::ofi {

inline constexpr int kSlots = 8;
inline constexpr int kDirtyMax = 64;
inline constexpr std::uint32_t kWritesMax = 256;  // between two confirmations

class OfiContext final : public TransportContext {
  public:
    explicit OfiContext(const TransportContext::Options& options)
        : is_shared(options.is_shared), is_internal(options.is_internal) {
        for (PacketSlot& slot : slots) slot.unacked = &updates;
    }

    const bool is_shared;
    const bool is_internal;
    std::atomic<bool> is_batching{false};
    std::atomic<std::size_t> batch_left{0};  // operations until it is complete
    Counter transfers;
    std::atomic<std::uint32_t> updates{0};
    std::atomic<std::uint32_t> fetches{0};
    PacketSlot slots[kSlots];
    PacketSlot& slot_of(int pe) { return slots[pe % kSlots]; }
    // Messages are under way that change memory of other PEs.
    bool has_messages() const {
        return updates.load(std::memory_order_acquire) != 0 ||
               fetches.load(std::memory_order_acquire) != 0;
    }

    // A lock for contexts that several threads use.
    class Guard {
      public:
        explicit Guard(OfiContext& context) : context_(context) {
            if (context_.is_shared) context_.lock_.lock();
        }
        ~Guard() {
            if (context_.is_shared) context_.lock_.unlock();
        }
        Guard(const Guard&) = delete;
        Guard& operator=(const Guard&) = delete;

      private:
        OfiContext& context_;
    };

    // Nothing is under way that a quiet would wait for but this.
    bool is_idle() const {
        return dirty_count_.load(std::memory_order_relaxed) == 0 && transfers.load() == 0;
    }

    // A write to `pe` has been posted. True: it is time to confirm().
    bool note_write(int pe, std::size_t bytes, const Capabilities& capabilities) {
        Guard guard(*this);
        if (bytes > capabilities.ordered_write_bytes) has_unordered_writes_ = true;
        int count = dirty_count_.load(std::memory_order_relaxed);
        if (!is_dirty(pe, count)) {
            dirty_[count++] = pe;
            dirty_count_.store(count, std::memory_order_relaxed);
        }
        return ++writes_ >= kWritesMax || count == kDirtyMax;
    }
    bool has_unordered_writes() const { return has_unordered_writes_; }

    // The dirty PEs, which are so no longer. `pes` has room for kDirtyMax.
    int take_dirty(int* pes) {
        Guard guard(*this);
        const int count = dirty_count_.load(std::memory_order_relaxed);
        std::copy_n(dirty_, count, pes);
        writes_ = 0;
        has_unordered_writes_ = false;
        dirty_count_.store(0, std::memory_order_relaxed);
        return count;
    }

    std::uint64_t confirmation = 0;  // what the reads behind writes read

  private:
    bool is_dirty(int pe, int count) const {
        // Most often the one before.
        for (int i = count - 1; i >= 0; --i) {
            if (dirty_[i] == pe) return true;
        }
        return false;
    }
    std::mutex lock_;
    std::uint32_t writes_ = 0;  // since the last confirm()
    std::atomic<bool> has_unordered_writes_{false};
    std::atomic<int> dirty_count_{0};  // changed under the lock
    int dirty_[kDirtyMax];
};

inline OfiContext& own(TransportContext& context) { return static_cast<OfiContext&>(context); }

}  // namespace tessera::ofi
