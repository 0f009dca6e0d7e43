// SPDX-License-Identifier: BSD-3-Clause
//
// THE object by which this PE leaves transfers, or pieces of them, to others (see progress.md):
//
//   helpers of the node               long nonblocking copies on the node; where they have cores of
//   (SHMEM_PROGRESS=helpers)          their own also very long blocking ones
//   the other PE, while it waits      very long blocking copies between its heap and this PE's
//   this PE's fabric thread           long nonblocking transfers to other nodes
//   this PE, while it waits           whatever no one has begun, so that it waits for no actor
//                                     without a core
//
// All have tickets of one ring (heap/offload_board.hpp). Fence, quiet, the ends of contexts and
// requests ask here whether they are complete. Hot path: operations compare their size with
// address_map.helper_bytes_min, and copy_large() with a constant; only those that are as long come
// here. THREADS: any, but for the constructor and the destructor.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/section_copy.hpp"
#include "heap/offload_board.hpp"
#include "progress/background.hpp"
#include "shmemx/requests.h"
#include "transports/fabric_transport.hpp"

namespace tessera {

// The size below which operations bypass the helpers, or the fabric's thread. `bytes`: the one that
// the user has set, or osh_tune has measured; 0: there is none.
inline std::size_t helper_bytes_min(std::uint64_t bytes) {
    constexpr std::uint64_t kMin = 4096;
    constexpr std::uint64_t kDefault = std::uint64_t{128} << 10;
    if (bytes == 0) return kDefault;
    return static_cast<std::size_t>(bytes < kMin ? kMin : bytes);
}

class Offload {
  public:
    struct Setup {
        heap::OffloadBoard& board;
        int local_index = 0;
        std::vector<int> local_pes;      // PEs of the node, by index: numbers in the world
        std::vector<std::int32_t> pids;  // theirs
        heap::NodeMaps maps;
        std::size_t heap_stride = 0;
        bool has_helpers = false;  // SHMEM_PROGRESS=helpers
        // Blocking copies are shared with them (SHMEM_SHARED_COPIES).
        bool invites_peers = false;
        bool invites_helpers = false;
        bool has_many_threads = false;      // SHMEM_THREAD_MULTIPLE
        std::int32_t parent = 0;            // oshrun, or the PE that has the helpers' threads
        FabricTransport* fabric = nullptr;  // whose thread gets transfers; nullptr: it gets none
        // Contexts of the library, which look at what they put before any quiet.
        std::vector<const TransportContext*> excluded;
    };
    // RETURNS when: a helper, if there are any, has told whether it reaches private memory.
    explicit Offload(Setup setup);
    Offload(const Offload&) = delete;
    Offload& operator=(const Offload&) = delete;

    // A nonblocking transfer, which the caller has checked.
    struct Transfer {
        Direction direction = Direction::kPut;
        void* local = nullptr;   // a put only reads it
        void* remote = nullptr;  // symmetric
        char* mapped = nullptr;  // the same as this PE maps it; nullptr: the fabric reaches it
        // The same in its PE's memory, where that is not in the heap file.
        std::uintptr_t there = 0;
        std::size_t bytes = 0;
        int pe = 0;
        const Section* section = nullptr;       // else it is contiguous
        const AtomicRequest* signal = nullptr;  // signal of a put, or nullptr
        char* mapped_signal = nullptr;
    };
    // `req`: the program's variable, or nullptr. RETURNS: whether others have it. If not, nothing
    // has happened, and the caller does it.
    bool try_take(const Transfer& transfer, TransportContext& context, shmemx_req_t* req = nullptr,
                  const char* where = nullptr);

    // Copies at once, together with others. RETURNS when: all is copied (true), or nothing, because
    // no other could help. REQUIRES: bytes >= kSharedCopyBytesMin.
    bool copy_together(char* dest, const char* source, std::size_t bytes);

    // RETURNS when: the transfers of the context are complete; kPuts: only its puts and signals.
    // COST: two loads where nothing is under way; on one node without SHMEM_THREAD_MULTIPLE fence
    // and quiet come here only after a copy that was left to others.
    enum class Which : std::uint8_t { kPuts, kAll };
    void complete(const TransportContext& context, Which which) {
        if (!is_idle()) complete_open(context, which);
        if (!setup_.has_many_threads && is_idle()) expect_no_completion();
    }
    // The same for all contexts. Nothing uses this object any more.
    void complete_all();

    // WaitEnvironment::help: copies a piece that no one has begun, of this PE or of the one that
    // has invited it. RETURNS: whether there was one.
    bool help() { return help_inviter() || (setup_.has_helpers && copy_a_piece()); }

    bool has_helpers() const { return setup_.has_helpers; }
    bool has_fabric() const { return setup_.fabric != nullptr; }
    bool reaches_private_memory() const { return reaches(setup_.local_index); }
    // The sizes from which on transfers are left to helpers, and to the fabric's thread; 0: not set
    // yet.
    std::size_t node_bytes_min() const { return node_bytes_min_; }
    std::size_t fabric_bytes_min() const { return fabric_bytes_min_; }
    // REQUIRES: init has not ended.
    void set_bytes_min(std::size_t node, std::size_t fabric) {
        node_bytes_min_ = node;
        fabric_bytes_min_ = fabric;
    }

  private:
    // The work of this PE for a ticket: it posts a transfer of the fabric, and waits for any.
    // Pairs with progress/offload.hpp:try_take, progress/offload.hpp:is_free and
    // progress/offload.hpp:release.
    class Work final : public BackgroundWork {
      public:
        bool try_take() { return !is_used_.exchange(true, std::memory_order_acquire); }
        bool is_free() const { return !is_used_.load(std::memory_order_acquire); }
        void start(Offload& home, std::uint64_t ticket, const Transfer& transfer);
        bool advance() override;
        // The last use of this object and its home.
        void release() override { is_used_.store(false, std::memory_order_release); }

      private:
        void post();

        Offload* home_ = nullptr;
        std::uint64_t ticket_ = 0;
        // A transfer of the fabric; mapped: of other actors.
        Transfer transfer_;
        AtomicRequest signal_;
        std::optional<heap::OffloadRing::Piece> piece_;  // once it is posted
        Operation operation_;                            // the parts of the fabric
        std::atomic<bool> is_used_{false};
    };
    // The sides of a copy as this PE maps them.
    struct Sides {
        char* to = nullptr;
        const char* from = nullptr;
    };

    std::optional<std::uint64_t> heap_offset(const void* address, std::size_t bytes) const;
    heap::ProcessAddress local_place(const Transfer& transfer) const;
    std::optional<heap::ProcessAddress> remote_place(const Transfer& transfer) const;
    std::optional<heap::NodeCopy> describe(const Transfer& transfer) const;
    bool add_signal(heap::NodeCopy& copy, const Transfer& transfer) const;
    bool suits_fabric(const Transfer& transfer, TransportContext& context) const;
    bool reaches(int local_index) const {
        return setup_.board.ring(local_index).answer() == heap::OffloadRing::Access::kAllowed;
    }
    std::optional<std::uint64_t> reserve(std::uintptr_t owner);
    Work* free_work();

    std::optional<int> peer_of(const heap::NodeCopy& copy) const;
    bool help_inviter();
    bool copy_a_piece();
    bool copy_a_piece_of(std::uint64_t ticket);
    void finish(heap::OffloadRing& ring, const heap::OffloadRing::Piece& piece) const;

    // Whether all of this PE's tickets are complete, and the calling thread sees their data. Pairs
    // with progress/offload.cpp:for_each_open.
    bool is_idle() const { return settled_.load(std::memory_order_acquire) == ring_.tickets(); }
    void complete_open(const TransportContext& context, Which which);
    // With several threads one of them could have left a copy to others since the look.
    static void expect_no_completion();
    void wait_for(std::uint64_t ticket) const;
    template <class IsMeant>
    void complete_if(IsMeant is_meant);
    // Calls visit(ticket) for tickets that may be incomplete.
    template <class Visit>
    void for_each_open(Visit visit);

    const Setup setup_;
    heap::OffloadRing& ring_;
    const std::int32_t pid_;
    std::size_t node_bytes_min_ = 0;
    std::size_t fabric_bytes_min_ = 0;
    // All tickets below are complete. Release and acquire, in for_each_open() and is_idle(): a
    // thread that skips them sees what their actors have written.
    std::atomic<std::uint64_t> settled_;
    // By entry: the context that has left it to others | bits; 0: of no context.
    std::array<std::atomic<std::uintptr_t>, heap::OffloadRing::kEntries> owners_{};
    std::array<Sides, heap::OffloadRing::kEntries> sides_;
    std::array<Work, heap::OffloadRing::kEntries> works_;
    // Transfers of the fabric go on a context of their own: that of a program may have one user at
    // a time.
    const std::unique_ptr<TransportContext> fabric_context_;
    Operation without_request_;  // works that no request waits for
};

// For the first init. Whether the sizes for the helpers are those of the profile, which the layers
// above this one read; and these sizes, 0 where they were not measured.
bool takes_measured_helper_sizes();
void use_measured_helper_sizes(std::uint64_t bytes, std::uint64_t off_node_bytes);

// WaitEnvironment::help. REQUIRES: address_map.offload.
bool help_others();

}  // namespace tessera
