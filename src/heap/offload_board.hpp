// SPDX-License-Identifier: BSD-3-Clause
//
// Where the PEs of a node leave transfers to others (docs/run/progress.md), in the node file:
//
//   OffloadBoard   plan, bell, sleepers          one for the node
//   OffloadRing    tickets (base/ticket_ring.hpp), and what helpers must know of the PE;
//                  one for each PE, behind the board
//
// Everything is zero at first, and stays as it is from one init to the next.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/platform.hpp"
#include "base/ticket_ring.hpp"
#include "heap/node_copy.hpp"

namespace tessera::heap {

// The actors that may claim pieces of a ticket.
inline constexpr Actors kOwner = 1;         // the PE that has posted it, while it waits
inline constexpr Actors kPeer = 2;          // the PE that it has invited, while that waits
inline constexpr Actors kHelper = 4;        // any helper of the node
inline constexpr Actors kFabricDriver = 8;  // the owner's thread that advances background work

class OffloadRing : public TicketRing<NodeCopy, 64> {
  public:
    // Describes the copy, in pieces.
    void post(std::uint64_t ticket, const NodeCopy& copy, Actors actors) {
        TicketRing::post(ticket, copy, Pieces(copy, kPiecesMax).count(), actors);
    }
    // A job in one piece, which only its owner knows.
    void post_whole(std::uint64_t ticket, Actors actors) {
        TicketRing::post(ticket, {}, 1, actors);
    }

    // ---- May helpers copy from and to the PE's private memory? ----

    // 0: no helper has answered.
    enum class Access : std::uint32_t { kUnknown, kAllowed, kRefused };
    // By the PE, which has the number at that place. `numa_node`: where it runs.
    void ask(const ProcessAddress& place, std::uint64_t number, std::uint32_t numa_node) {
        answer_.store(Access::kUnknown, std::memory_order_relaxed);
        place_ = place;
        number_ = number;
        numa_node_.store(numa_node, std::memory_order_relaxed);
        // Pairs with heap/offload_board.hpp:answer_if_asked.
        asked_.store(1, std::memory_order_release);
    }
    // Pairs with heap/offload_board.hpp:answer_if_asked.
    Access answer() const { return answer_.load(std::memory_order_acquire); }
    // By a helper: answers once if the PE has asked.
    void answer_if_asked() {
        if (asked_.load(std::memory_order_relaxed) == 0) return;
        // Pairs with heap/offload_board.hpp:ask.
        if (asked_.exchange(0, std::memory_order_acquire) == 0) return;  // Another helper.
        // Pairs with heap/offload_board.hpp:answer.
        answer_.store(can_read(place_, number_) ? Access::kAllowed : Access::kRefused,
                      std::memory_order_release);
    }
    std::uint32_t numa_node() const { return numa_node_.load(std::memory_order_relaxed); }

    // ---- The end of a program that leaves the ring as it is ----

    // By a helper, around its looks at tickets. RETURNS: whether it may look. seq_cst: either it
    // sees that the ring is closed, or is_empty() behind close() sees it. Pairs with
    // heap/offload_board.hpp:close, heap/offload_board.hpp:is_empty and
    // heap/offload_board.hpp:reopen.
    bool enter() {
        visitors_.fetch_add(1, std::memory_order_seq_cst);
        if (is_closed_.load(std::memory_order_seq_cst) == 0) return true;
        leave();
        return false;
    }
    // Pairs with heap/offload_board.hpp:is_empty.
    void leave() { visitors_.fetch_sub(1, std::memory_order_release); }
    // By the PE, in front of renew(): helpers leave. Pairs with heap/offload_board.hpp:enter.
    void close() { is_closed_.store(1, std::memory_order_seq_cst); }
    // Pairs with heap/offload_board.hpp:enter and heap/offload_board.hpp:leave.
    bool is_empty() const { return visitors_.load(std::memory_order_seq_cst) == 0; }
    // Gives up all jobs. REQUIRES: close(), is_empty(), and no PE has a piece.
    void reopen() {
        renew();
        // Pairs with heap/offload_board.hpp:enter.
        is_closed_.store(0, std::memory_order_release);
    }

  private:
    alignas(kFalseSharingBytes) ProcessAddress place_;
    std::uint64_t number_;
    std::atomic<std::uint32_t> asked_;
    std::atomic<Access> answer_;
    std::atomic<std::uint32_t> numa_node_;
    std::atomic<std::uint32_t> visitors_;
    std::atomic<std::uint32_t> is_closed_;
};
static_assert(sizeof(OffloadRing) == (2 + OffloadRing::kEntries) * kFalseSharingBytes,
              "an entry with its copy is one line");

// Written by oshrun before they start.
struct HelperPlan {
    std::uint32_t helpers = 0;     // helpers of the node; 0: there are none
    std::uint32_t have_cores = 0;  // each has a core that no PE uses, so it may poll for a while
    // Where they run, and the fabric's threads of the PEs with them (session/connect.cpp).
    // Processors whose number is too large for the set are left out.
    cpu_set_t processors{};
};

// The part that all PEs and helpers of the node share.
struct OffloadBoard {
    HelperPlan plan;

    // Raised by each post for helpers. Seq_cst, with `sleepers`: either the helper that goes to
    // sleep sees the bell, or the PE sees that it sleeps.
    alignas(kFalseSharingBytes) std::atomic<std::uint32_t> bell;
    alignas(kFalseSharingBytes) std::atomic<std::uint32_t> sleepers;

    // Fetches what ring_bell() will write.
    void prefetch() const { prefetch_to_write(&bell); }
    // Called behind a post. COST: an atomic addition; a system call if a helper sleeps.
    void ring_bell();
    // The same for all helpers that sleep.
    void wake_all();
    // RETURNS when: the bell is not at `seen` any more, or for no reason.
    void sleep_at(std::uint32_t seen);

    OffloadRing& ring(int local_index) {
        return reinterpret_cast<OffloadRing*>(this + 1)[local_index];
    }
};
static_assert(sizeof(OffloadBoard) % alignof(OffloadRing) == 0);

inline constexpr std::size_t offload_board_bytes(std::uint64_t npes) {
    return sizeof(OffloadBoard) + npes * sizeof(OffloadRing);
}

}  // namespace tessera::heap
