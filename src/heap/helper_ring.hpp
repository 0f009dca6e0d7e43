// SPDX-License-Identifier: BSD-3-Clause
//
// How a PE hands long copies to the helpers of its node (docs/progress.md): a ring of
// entries for each PE, in the node file. The threads of the PE post entries; helpers claim their
// pieces and copy them, and so does the PE itself while it waits. No one takes a lock.
//
//   HelperBoard   bell, sleepers                    one for the node
//   HelperRing    ticket counter, proof, entries    one for each PE, behind the board
//
// A ticket is the number of an entry over the life of the ring. Ticket t has entry t % kEntries in
// generation t / kEntries + 1:
//
//   free      done == generation - 1      only then a thread may take the ticket
//   posted    claim == generation << 32 | next piece
//   complete  done == generation          all pieces are copied, the signal is sent
//
// Everything is zero at first, and stays as it is from one init to the next.
#pragma once

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/platform.hpp"

namespace tessera::heap {

// A copy on the node, and the update of a signal behind it.
struct HelperCopy {
    enum class Kind : std::uint32_t { kPut, kGet };
    enum class Signal : std::uint32_t { kNone, kSet, kAdd };

    Kind kind = Kind::kPut;
    Signal signal = Signal::kNone;
    bool is_private = false;        // `local` is an address in the memory of process `pid`
    std::int32_t pid = 0;           // of the PE that posts
    std::uint64_t local = 0;        // else an offset in the heap file
    std::uint64_t remote = 0;       // offset in the heap file
    std::uint64_t bytes = 0;        // > 0
    std::uint64_t signal_word = 0;  // offset in the heap file
    std::uint64_t signal_value = 0;
    std::uint64_t sleeper = 0;  // offset in the node file of the Sleeper of the signal's PE
};

class HelperRing {
  public:
    static constexpr std::uint64_t kEntries = 64;
    // A PE that comes to wait copies what is left, and waits for the piece in a helper's hands: for
    // 3 us (64 KiB) to 100 us (1 MiB).
    static constexpr int kPieceShiftMin = 16;
    static constexpr int kPieceShiftMax = 20;

    // A piece that the caller must copy, and then give to finish().
    struct Piece {
        HelperCopy copy;
        std::uint64_t ticket = 0;
        std::uint64_t number = 0;
        std::uint64_t offset() const { return number << piece_shift(copy.bytes); }
        std::uint64_t bytes() const {
            return std::min(copy.bytes - offset(), std::uint64_t{1} << piece_shift(copy.bytes));
        }
    };

    // ---- For the threads of the PE ----

    // Fetches what reserve() and post() will write, which helpers have in their caches. All lines
    // come at the same time, in the time of one.
    void prefetch() const {
        const Entry& entry = entry_of(tickets_.load(std::memory_order_relaxed));
        prefetch_to_write(&tickets_);
        prefetch_to_write(&entry.claim);
        prefetch_to_write(&entry.sleeper);
    }
    // nullopt: the entry of the next ticket is in use still, though others may be free.
    std::optional<std::uint64_t> reserve();
    // REQUIRES: a ticket of reserve(), whose one post this is.
    void post(std::uint64_t ticket, const HelperCopy& copy);
    // Acquire: pairs with the release in finish().
    bool is_complete(std::uint64_t ticket) const {
        const Entry& entry = entry_of(ticket);
        const std::uint32_t done = entry.done.load(std::memory_order_acquire);
        return static_cast<std::int32_t>(done - generation_of(ticket)) >= 0;
    }

    // ---- For the PE and the helpers ----

    // The number of tickets that have been taken.
    std::uint64_t tickets() const { return tickets_.load(std::memory_order_acquire); }
    // The first ticket that may not be complete.
    static std::uint64_t first_open(std::uint64_t tickets) {
        return tickets > kEntries ? tickets - kEntries : 0;
    }
    // A piece that is not claimed yet; nullopt: there is none, or the ticket is not posted.
    std::optional<Piece> claim(std::uint64_t ticket);
    // Whether the ticket is posted and has no piece left to claim.
    bool is_claimed(std::uint64_t ticket) const;
    // `send_signal(copy)` is called behind the last piece, by its caller.
    template <class SendSignal>
    void finish(const Piece& piece, SendSignal send_signal) {
        Entry& entry = entry_of(piece.ticket);
        // Acquire and release: the last one has all pieces before its signal and before `done`.
        const std::uint32_t before = entry.pieces_done.fetch_add(1, std::memory_order_acq_rel);
        if (before + 1 != piece_count(piece.copy.bytes)) return;
        entry.pieces_done.store(0, std::memory_order_relaxed);
        if (piece.copy.signal != HelperCopy::Signal::kNone) send_signal(piece.copy);
        // Release: pairs with is_complete() and reserve().
        entry.done.store(generation_of(piece.ticket), std::memory_order_release);
    }

    // ---- May helpers copy from and to the PE's private memory? ----

    // 0: no helper has answered.
    enum class Access : std::uint32_t { kUnknown, kAllowed, kRefused };
    struct Proof {
        std::uint64_t address;  // of `number` in the PE's own memory
        std::uint64_t number;
        std::int32_t pid;
    };
    void ask(const Proof& proof);
    Access answer() const { return answer_.load(std::memory_order_acquire); }
    // Answers once if the PE has asked. `can_read(proof)` tells.
    template <class CanRead>
    void answer_if_asked(CanRead can_read) {
        // Acquire: pairs with the release in ask().
        if (asked_.load(std::memory_order_acquire) == 0) return;
        if (asked_.exchange(0, std::memory_order_acquire) == 0) return;  // Another helper.
        answer_.store(can_read(proof_) ? Access::kAllowed : Access::kRefused,
                      std::memory_order_release);
    }

  private:
    struct alignas(kFalseSharingBytes) Entry {
        // Release when it is posted; the compare-and-swap of a claim acquires. It fails if the
        // entry has been used again since its members were read.
        std::atomic<std::uint64_t> claim;
        std::atomic<std::uint32_t> pieces_done;
        std::atomic<std::uint32_t> done;
        // The copy. Release and acquire: a helper that has read a later copy's members cannot claim
        // a piece of an earlier one.
        std::atomic<std::uint32_t> what;  // kind | signal << 8 | is_private << 16
        std::atomic<std::int32_t> pid;
        std::atomic<std::uint64_t> local;
        std::atomic<std::uint64_t> remote;
        std::atomic<std::uint64_t> bytes;
        std::atomic<std::uint64_t> signal_word;
        std::atomic<std::uint64_t> signal_value;
        std::atomic<std::uint64_t> sleeper;
    };
    static_assert(sizeof(Entry) == kFalseSharingBytes);

    static std::uint32_t generation_of(std::uint64_t ticket) {
        return static_cast<std::uint32_t>(ticket / kEntries + 1);
    }
    // The logarithm of a piece's length: four to eight pieces, unless these are too short or too
    // long.
    static int piece_shift(std::uint64_t bytes) {
        return std::clamp(static_cast<int>(std::bit_width(bytes)) - 3, kPieceShiftMin,
                          kPieceShiftMax);
    }
    // 0 for no bytes: a copy that is not described yet has no piece.
    static std::uint64_t piece_count(std::uint64_t bytes) {
        const std::uint64_t of_piece = std::uint64_t{1} << piece_shift(bytes);
        return (bytes + of_piece - 1) / of_piece;
    }
    Entry& entry_of(std::uint64_t ticket) { return entries_[ticket % kEntries]; }
    const Entry& entry_of(std::uint64_t ticket) const { return entries_[ticket % kEntries]; }
    static HelperCopy copy_in(const Entry& entry);

    alignas(kFalseSharingBytes) std::atomic<std::uint64_t> tickets_;
    alignas(kFalseSharingBytes) Proof proof_;
    std::atomic<std::uint32_t> asked_;
    std::atomic<Access> answer_;
    std::array<Entry, kEntries> entries_;
};

// Written by oshrun before they start.
struct HelperPlan {
    std::uint32_t helpers = 0;     // of the node; 0: there are none
    std::uint32_t have_cores = 0;  // each has a core that no PE uses, so it may poll for a while
    // Where they run, and the fabric's threads of the PEs with them (session/connect.cpp).
    // Processors whose number is too large for the set are left out.
    cpu_set_t processors{};
};

// The part that all PEs and helpers of the node share. Without helpers nothing here is used.
struct HelperBoard {
    HelperPlan plan;

    // Raised by each post. Seq_cst, with `sleepers`: either the helper that goes to sleep sees the
    // bell, or the PE sees that it sleeps.
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

    HelperRing& ring(int local_index) {
        return reinterpret_cast<HelperRing*>(this + 1)[local_index];
    }
};
static_assert(sizeof(HelperBoard) % alignof(HelperRing) == 0);

inline constexpr std::size_t helper_board_bytes(std::uint64_t npes) {
    return sizeof(HelperBoard) + npes * sizeof(HelperRing);
}

}  // namespace tessera::heap
