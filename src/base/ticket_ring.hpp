// SPDX-License-Identifier: BSD-3-Clause
//
// THE protocol by which an actor leaves pieces of its work to others (progress/offload.hpp). The
// threads of an owner post jobs; other actors claim their pieces, do them and finish them. No
// one takes a lock. The ring may lie in memory that processes share. It is zero at first.
//
//   tickets       the number of tickets that were taken
//   entry 0       claim | finished | done | job
//   ...
//   entry N - 1
//
//   claim         generation (32 bits) | actors (8) | pieces (12) | next piece (12)
//
// A ticket is the number of an entry over the life of the ring. Ticket t has entry t % kEntries in
// generation t / kEntries + 1:
//
//   free        done == generation - 1        only then a thread takes the ticket
//   posted      claim has the generation, and next < pieces
//   claimed     next == pieces
//   complete    done == generation            all pieces are finished
//
// The job is plain memory. Its owner writes it while the entry is free, and only an actor that has
// claimed a piece reads it, before it finishes the piece. An actor that still looks at an old
// ticket finds another generation in `claim`, so it claims nothing of a later one.
//
// Orders: post() and claim() pair by `claim`, finish() with the last finish() by `finished`, and
// the last finish() with is_complete() and with the next reserve() of the entry by `done`.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "base/platform.hpp"

namespace tessera {

// A set of actors, a bit for each kind.
using Actors = std::uint32_t;

template <class Job, std::size_t kSize>
class TicketRing {
  public:
    static constexpr std::uint64_t kEntries = kSize;
    static constexpr unsigned kCountBits = 12;
    static constexpr std::uint64_t kPiecesMax = (std::uint64_t{1} << kCountBits) - 1;

    // A piece that the caller must do, and then give to finish(). The job stays until then.
    struct Piece {
        const Job* job = nullptr;
        std::uint64_t ticket = 0;
        std::uint64_t number = 0;
        std::uint64_t of = 0;  // the pieces of the job
    };

    // ---- For the threads of the owner ----

    // Fetches what reserve() and post() will write, which other actors have in their caches. All
    // lines come at the same time, in the time of one.
    void prefetch() const {
        const Entry& entry = entry_of(tickets_.load(std::memory_order_relaxed));
        prefetch_to_write(&tickets_);
        prefetch_to_write(&entry.claim);
        prefetch_to_write(reinterpret_cast<const char*>(&entry + 1) - 1);
    }
    // nullopt: the entry of the next ticket is in use still, though others may be free.
    std::optional<std::uint64_t> reserve() {
        std::uint64_t ticket = tickets_.load(std::memory_order_relaxed);
        for (;;) {
            // The actors of the entry's last job have left it. Pairs with
            // base/ticket_ring.hpp:finish.
            const std::uint32_t done = entry_of(ticket).done.load(std::memory_order_acquire);
            if (done != generation_of(ticket) - 1) {
                const std::uint64_t now = tickets_.load(std::memory_order_relaxed);
                if (now == ticket) return std::nullopt;
                ticket = now;  // Another thread has taken the ticket.
                continue;
            }
            if (tickets_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_relaxed))
                return ticket;
        }
    }
    // REQUIRES: a ticket of reserve(), whose one post this is; 0 < pieces <= kPiecesMax.
    void post(std::uint64_t ticket, const Job& job, std::uint64_t pieces, Actors actors) {
        Entry& entry = entry_of(ticket);
        entry.job = job;
        entry.finished.store(0, std::memory_order_relaxed);
        // The job, and the owner's earlier stores, to the source for instance. Pairs with
        // base/ticket_ring.hpp:claim.
        entry.claim.store(std::uint64_t{generation_of(ticket)} << kGenerationShift |
                              std::uint64_t{actors} << kActorsShift | pieces << kCountBits,
                          std::memory_order_release);
    }
    // All pieces are there. Pairs with base/ticket_ring.hpp:finish.
    bool is_complete(std::uint64_t ticket) const {
        const std::uint32_t done = entry_of(ticket).done.load(std::memory_order_acquire);
        return static_cast<std::int32_t>(done - generation_of(ticket)) >= 0;
    }
    // Gives up all jobs. REQUIRES: no actor looks at the ring, and none has a piece.
    void renew() {
        const std::uint64_t tickets = this->tickets();
        for (std::uint64_t ticket = first_open(tickets); ticket < tickets; ++ticket) {
            Entry& entry = entry_of(ticket);
            entry.claim.store(std::uint64_t{generation_of(ticket)} << kGenerationShift,
                              std::memory_order_relaxed);
            entry.done.store(generation_of(ticket), std::memory_order_relaxed);
        }
    }

    // ---- For all actors ----

    // The number of tickets that have been taken. Those below that were posted before something
    // that the caller has acquired, a bell for instance, have pieces to claim.
    std::uint64_t tickets() const { return tickets_.load(std::memory_order_relaxed); }
    // The first ticket that may not be complete.
    static std::uint64_t first_open(std::uint64_t tickets) {
        return tickets > kEntries ? tickets - kEntries : 0;
    }
    // A piece for the actor that is not claimed yet; nullopt: there is none, or the ticket is not
    // posted.
    std::optional<Piece> claim(std::uint64_t ticket, Actors actor) {
        Entry& entry = entry_of(ticket);
        std::uint64_t seen = entry.claim.load(std::memory_order_relaxed);
        while (is_of(seen, ticket) && has_piece(seen, actor)) {
            // Pairs with base/ticket_ring.hpp:post. Claims between are read-modify-writes, which
            // continue its release sequence.
            if (entry.claim.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire,
                                                  std::memory_order_relaxed)) {
                return Piece{.job = &entry.job,
                             .ticket = ticket,
                             .number = seen & kPiecesMax,
                             .of = seen >> kCountBits & kPiecesMax};
            }
        }
        return std::nullopt;
    }
    // Whether the ticket is posted, and the actor will never find a piece of it (any more).
    bool has_nothing_for(std::uint64_t ticket, Actors actor) const {
        const std::uint64_t seen = entry_of(ticket).claim.load(std::memory_order_relaxed);
        if (is_of(seen, ticket)) return !has_piece(seen, actor);
        const auto generation = static_cast<std::uint32_t>(seen >> kGenerationShift);
        return static_cast<std::int32_t>(generation - generation_of(ticket)) > 0;
    }
    // `behind_last(job)` is called behind the last piece, in front of the completion.
    template <class BehindLast>
    void finish(const Piece& piece, BehindLast behind_last) {
        Entry& entry = entry_of(piece.ticket);
        // The actor of the last piece sees all pieces. Pairs with base/ticket_ring.hpp:finish of
        // the other actors.
        if (entry.finished.fetch_add(1, std::memory_order_acq_rel) + 1 != piece.of) return;
        behind_last(*piece.job);
        // All pieces are done, and no actor uses the job any more. Pairs with
        // base/ticket_ring.hpp:is_complete and base/ticket_ring.hpp:reserve.
        entry.done.store(generation_of(piece.ticket), std::memory_order_release);
    }

  private:
    static constexpr unsigned kActorsShift = 2 * kCountBits;
    static constexpr unsigned kGenerationShift = 32;
    static_assert(kActorsShift + 8 == kGenerationShift);

    struct alignas(kFalseSharingBytes) Entry {
        std::atomic<std::uint64_t> claim;
        std::atomic<std::uint32_t> finished;  // pieces
        std::atomic<std::uint32_t> done;
        Job job;
    };
    static_assert(std::is_trivially_copyable_v<Job> && std::is_trivially_destructible_v<Job>);
    static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

    static std::uint32_t generation_of(std::uint64_t ticket) {
        return static_cast<std::uint32_t>(ticket / kEntries + 1);
    }
    static bool is_of(std::uint64_t claim, std::uint64_t ticket) {
        return claim >> kGenerationShift == generation_of(ticket);
    }
    static bool has_piece(std::uint64_t claim, Actors actor) {
        return (claim & kPiecesMax) < (claim >> kCountBits & kPiecesMax) &&
               (claim >> kActorsShift & actor) != 0;
    }
    Entry& entry_of(std::uint64_t ticket) { return entries_[ticket % kEntries]; }
    const Entry& entry_of(std::uint64_t ticket) const { return entries_[ticket % kEntries]; }

    alignas(kFalseSharingBytes) std::atomic<std::uint64_t> tickets_;
    std::array<Entry, kEntries> entries_;
};

}  // namespace tessera
