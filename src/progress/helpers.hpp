// SPDX-License-Identifier: BSD-3-Clause
//
// The PE's side of the helpers of its node (SHMEM_PROGRESS=helpers): hands long copies over, and
// completes them. Hot path: operations compare their size with address_map.helper_bytes_min, and
// only those that are as long come here. A PE that waits copies what no helper has begun, so that
// none waits for a helper without a core. THREADS: any, but for the constructor and the destructor.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "heap/helper_copy.hpp"
#include "progress/background.hpp"
#include "shmemx/requests.h"
#include "transports/transport.hpp"

namespace tessera {

// The size below which operations bypass the helpers, or the fabric's thread. `bytes`: the one that
// the user has set, or osh_tune has measured; 0: there is none.
inline std::size_t helper_bytes_min(std::uint64_t bytes) {
    constexpr std::uint64_t kMin = 4096;
    constexpr std::uint64_t kDefault = std::uint64_t{128} << 10;
    if (bytes == 0) return kDefault;
    return static_cast<std::size_t>(bytes < kMin ? kMin : bytes);
}

class Helpers {
  public:
    struct Setup {
        heap::HelperBoard& board;
        int local_index = 0;
        heap::NodeMaps maps;
        std::size_t heaps_bytes = 0;
        bool has_many_threads = false;  // SHMEM_THREAD_MULTIPLE
        std::int32_t parent = 0;        // of the helpers: oshrun, or the PE that has their threads
        // Contexts of the library, which look at what they put before any quiet.
        std::vector<const TransportContext*> excluded;
    };
    // RETURNS when: a helper has told whether it can reach this PE's private memory.
    explicit Helpers(Setup setup);
    Helpers(const Helpers&) = delete;
    Helpers& operator=(const Helpers&) = delete;

    // Of an earlier program in the same place: gives up what no helper has begun.
    // RETURNS when: no helper copies anything for this PE.
    static void abandon(heap::HelperRing& ring);

    struct Signal {
        const char* word = nullptr;  // as this PE maps it, in a heap; nullptr: none
        bool is_add = false;
        std::uint64_t value = 0;
        const void* sleeper = nullptr;  // of the signal's PE
    };
    struct Copy {
        heap::HelperCopy::Kind kind = heap::HelperCopy::Kind::kPut;
        const void* local = nullptr;
        const char* remote = nullptr;  // as this PE maps it, in a heap
        std::size_t bytes = 0;
        Signal signal = {};
    };
    // Both RETURN: whether the helpers have it. If not, the caller copies.
    bool take(const Copy& copy, const TransportContext& context);
    bool take(const Copy& copy, const TransportContext& context, shmemx_req_t* req,
              const char* where);

    // RETURNS when: the operations that the context has handed over are complete; kPuts: only its
    // puts and signals. COST: two loads where nothing is under way; without SHMEM_THREAD_MULTIPLE
    // fence and quiet come here only after a copy that was handed over.
    enum class Which : std::uint8_t { kPuts, kAll };
    void complete(const TransportContext& context, Which which) {
        if (!is_idle()) complete_open(context, which);
        if (!setup_.has_many_threads && is_idle()) expect_no_completion();
    }
    // The same for all contexts.
    void complete_all();
    // Copies a piece that no helper has begun. RETURNS: whether there was one.
    bool copy_a_piece();

    bool reaches_private_memory() const { return reaches_private_memory_; }
    // The size from which on helpers copy; 0: not set yet.
    std::size_t bytes_min() const { return bytes_min_; }
    // REQUIRES: init has not ended.
    void set_bytes_min(std::size_t bytes) { bytes_min_ = bytes; }

  private:
    // The work of a request that waits for one ticket.
    class Ticket final : public BackgroundWork {
      public:
        void start(const heap::HelperRing& ring, std::uint64_t number) {
            ring_ = &ring;
            number_ = number;
        }
        bool take() { return !is_used_.exchange(true, std::memory_order_acquire); }
        bool advance() override { return ring_->is_complete(number_); }
        void release() override { is_used_.store(false, std::memory_order_release); }

      private:
        const heap::HelperRing* ring_ = nullptr;
        std::uint64_t number_ = 0;
        std::atomic<bool> is_used_{false};
    };

    std::optional<heap::HelperCopy> describe(const Copy& copy,
                                             const TransportContext& context) const;
    std::optional<std::uint64_t> post(const heap::HelperCopy& copy,
                                      const TransportContext& context);
    std::optional<std::uint64_t> heap_offset(const void* address, std::size_t bytes) const;
    // Whether all copies of this PE are complete, and seen by the calling thread.
    bool is_idle() const { return settled_.load(std::memory_order_acquire) == ring_.tickets(); }
    void complete_open(const TransportContext& context, Which which);
    // With several threads one of them could have handed over a copy since the look.
    static void expect_no_completion();
    Ticket* free_ticket();
    bool copy_a_piece_of(std::uint64_t ticket);
    template <class IsMeant>
    void complete_if(IsMeant is_meant);
    // Calls visit(ticket) for tickets that may be incomplete.
    template <class Visit>
    void for_each_open(Visit visit);

    const Setup setup_;
    heap::HelperRing& ring_;
    const std::int32_t pid_;
    std::size_t bytes_min_ = 0;
    bool reaches_private_memory_ = false;
    // All tickets below are complete. Release and acquire: so that a thread that skips them sees
    // what their copies have written.
    std::atomic<std::uint64_t> settled_;
    // By entry: the context that has handed it over | 1 for a get.
    std::array<std::atomic<std::uintptr_t>, heap::HelperRing::kEntries> owners_{};
    std::array<Ticket, heap::HelperRing::kEntries> tickets_;
};

// For the first init. Whether the sizes for the helpers are those of the profile, which the layers
// above this one read; and these sizes, 0 where they were not measured.
bool takes_measured_helper_sizes();
void use_measured_helper_sizes(std::uint64_t bytes, std::uint64_t off_node_bytes);

// WaitEnvironment::help of a PE with helpers. REQUIRES: address_map.helpers.
bool help_helpers();

}  // namespace tessera
