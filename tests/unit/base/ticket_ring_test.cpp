// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a piece of a job is claimed twice, by an actor that must not, or by one that has read
// another job; when a job counts as complete before its pieces are; or when an entry is used again
// too early.
#include "base/ticket_ring.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace tessera {
namespace {

constexpr Actors kOwner = 1;
constexpr Actors kOther = 2;

struct Job {
    std::uint64_t number;
    std::uint64_t copy_of_number;
};
using Ring = TicketRing<Job, 64>;
constexpr auto kNothing = [](const Job& /*job*/) {};

// Zeros, as in a new file.
std::unique_ptr<Ring> make_ring() { return std::make_unique<Ring>(); }

TEST(TicketRing, NewRingHasNoTickets) {
    const auto ring = make_ring();
    EXPECT_EQ(ring->tickets(), 0U);
    EXPECT_FALSE(ring->claim(0, kOwner).has_value());
    EXPECT_FALSE(ring->is_complete(0));
    EXPECT_FALSE(ring->has_nothing_for(0, kOwner));
}

TEST(TicketRing, TicketIsCompleteBehindItsLastPiece) {
    const auto ring = make_ring();
    const auto ticket = ring->reserve();
    ASSERT_TRUE(ticket.has_value());
    EXPECT_FALSE(ring->claim(*ticket, kOwner).has_value()) << "not posted yet";
    EXPECT_FALSE(ring->has_nothing_for(*ticket, kOwner));
    ring->post(*ticket, {.number = 17, .copy_of_number = 18}, 5, kOwner);
    EXPECT_FALSE(ring->claim(*ticket, kOther).has_value()) << "of others";
    EXPECT_TRUE(ring->has_nothing_for(*ticket, kOther));
    EXPECT_FALSE(ring->has_nothing_for(*ticket, kOwner));
    std::vector<Ring::Piece> pieces;
    while (const auto piece = ring->claim(*ticket, kOwner | kOther)) pieces.push_back(*piece);
    ASSERT_EQ(pieces.size(), 5U);
    EXPECT_TRUE(ring->has_nothing_for(*ticket, kOwner));
    EXPECT_EQ(pieces[4].job->number, 17U);
    EXPECT_EQ(pieces[4].job->copy_of_number, 18U);
    EXPECT_EQ(pieces[4].number, 4U);
    int ends = 0;
    for (const Ring::Piece& piece : pieces) {
        EXPECT_FALSE(ring->is_complete(*ticket));
        EXPECT_EQ(ends, 0);
        ring->finish(piece, [&](const Job& job) {
            EXPECT_EQ(job.number, 17U);
            EXPECT_FALSE(ring->is_complete(*ticket));
            ++ends;
        });
    }
    EXPECT_TRUE(ring->is_complete(*ticket));
    EXPECT_EQ(ends, 1);
}

TEST(TicketRing, MostPiecesAreClaimedOnce) {
    const auto ring = make_ring();
    ring->post(*ring->reserve(), {}, Ring::kPiecesMax, kOwner);
    std::uint64_t pieces = 0;
    for (; const auto piece = ring->claim(0, kOwner); ++pieces) {
        ASSERT_EQ(piece->number, pieces);
        ring->finish(*piece, kNothing);
    }
    EXPECT_EQ(pieces, Ring::kPiecesMax);
    EXPECT_TRUE(ring->is_complete(0));
}

TEST(TicketRing, FullRingRefusesAndEntriesComeBack) {
    const auto ring = make_ring();
    for (std::uint64_t i = 0; i < Ring::kEntries; ++i) {
        const auto ticket = ring->reserve();
        ASSERT_EQ(ticket, i);
        ring->post(*ticket, {}, 1, kOwner);
    }
    EXPECT_FALSE(ring->reserve().has_value());
    // Out of order: the next ticket needs entry 0.
    ring->finish(*ring->claim(1, kOwner), kNothing);
    EXPECT_FALSE(ring->reserve().has_value());
    ring->finish(*ring->claim(0, kOwner), kNothing);
    const auto next = ring->reserve();
    ASSERT_EQ(next, Ring::kEntries);
    EXPECT_TRUE(ring->is_complete(0));
    EXPECT_TRUE(ring->has_nothing_for(0, kOwner));
    EXPECT_FALSE(ring->is_complete(*next));
    ring->post(*next, {}, 1, kOwner);
    EXPECT_FALSE(ring->claim(0, kOwner).has_value()) << "of an earlier use";
    EXPECT_TRUE(ring->claim(*next, kOwner).has_value());
}

// A program that ends without a word leaves a ticket with unclaimed pieces, one with a piece that
// an actor had claimed, and tickets that were never posted.
TEST(TicketRing, RenewedRingGivesUpAllJobs) {
    const auto ring = make_ring();
    for (std::uint64_t i = 0; i < Ring::kEntries; ++i) ASSERT_EQ(ring->reserve(), i);
    ring->post(0, {}, 2, kOwner);
    ring->post(1, {}, 2, kOwner);
    ASSERT_TRUE(ring->claim(1, kOwner).has_value());
    EXPECT_FALSE(ring->reserve().has_value());
    ring->renew();
    for (std::uint64_t i = 0; i < Ring::kEntries; ++i) {
        EXPECT_TRUE(ring->is_complete(i));
        EXPECT_TRUE(ring->has_nothing_for(i, kOwner));
        EXPECT_FALSE(ring->claim(i, kOwner).has_value());
    }
    for (std::uint64_t i = Ring::kEntries; i < 2 * Ring::kEntries; ++i) {
        ASSERT_EQ(ring->reserve(), i);
        ring->post(i, {.number = i, .copy_of_number = i}, 1, kOwner);
        const auto piece = ring->claim(i, kOwner);
        ASSERT_TRUE(piece.has_value());
        EXPECT_EQ(piece->job->number, i);
        ring->finish(*piece, kNothing);
        EXPECT_TRUE(ring->is_complete(i));
    }
}

// An actor still looks at a ticket whose entry is posted again just now. The job of generation 1,
// 3, ... has one piece, that of 2, 4, ... has several, so the old claim is a piece of the new job.
TEST(TicketRing, AnOldTicketHasNoPieceOfALaterJob) {
    constexpr std::uint64_t kTickets = Ring::kEntries * 20000;
    const auto ring = make_ring();
    std::atomic<bool> is_over{false};
    std::thread other([&] {
        while (!is_over.load()) {
            const std::uint64_t tickets = ring->tickets();
            if (tickets <= Ring::kEntries) continue;
            const std::uint64_t old = tickets - Ring::kEntries - 1;
            const auto piece = ring->claim(old, kOther);
            if (!piece) continue;
            ADD_FAILURE() << "ticket " << old << ", piece " << piece->number << " of "
                          << piece->job->number;
            is_over.store(true);
        }
    });
    for (std::uint64_t ticket = 0; ticket < kTickets && !is_over.load(); ++ticket) {
        ASSERT_EQ(ring->reserve(), ticket);
        ring->post(ticket, {.number = ticket, .copy_of_number = ticket},
                   ticket / Ring::kEntries % 2 == 0 ? 1 : 5, kOwner | kOther);
        while (const auto piece = ring->claim(ticket, kOwner)) {
            EXPECT_EQ(piece->job->number, ticket);
            ring->finish(*piece, kNothing);
        }
    }
    is_over.store(true);
    other.join();
}

// Another actor claims all the time, while jobs with one piece and with several come by turns.
TEST(TicketRing, AnotherActorClaimsPiecesOfTheJobThatIsPosted) {
    constexpr std::uint64_t kJobs = 500000;
    const auto ring = make_ring();
    std::atomic<std::uint64_t> posted{0};  // the last job whose pieces may be claimed
    std::atomic<std::uint64_t> done{0};    // pieces of this job that were claimed
    std::atomic<bool> is_over{false};
    std::thread other([&] {
        while (!is_over.load()) {
            const std::uint64_t tickets = ring->tickets();
            if (tickets == 0) continue;
            const auto piece = ring->claim(tickets - 1, kOther);
            if (!piece) continue;
            // The job stays until its pieces are done.
            const std::uint64_t number = piece->job->number;
            if (piece->job->copy_of_number != number || posted.load() != number) {
                ADD_FAILURE() << number << ", " << piece->job->copy_of_number << ", "
                              << posted.load();
                is_over.store(true);
            }
            done.fetch_add(1);
            ring->finish(*piece, kNothing);
        }
    });
    for (std::uint64_t number = 1; number <= kJobs && !is_over.load(); ++number) {
        const std::uint64_t pieces = number % 2 == 0 ? 4 : 1;
        const auto ticket = ring->reserve();
        ASSERT_TRUE(ticket.has_value());
        posted.store(number);
        done.store(0);
        ring->post(*ticket, {.number = number, .copy_of_number = number}, pieces, kOwner | kOther);
        while (const auto piece = ring->claim(*ticket, kOwner)) {
            done.fetch_add(1);
            ring->finish(*piece, kNothing);
        }
        while (!ring->is_complete(*ticket) && !is_over.load()) {
        }
        EXPECT_EQ(done.load(), pieces);
    }
    is_over.store(true);
    other.join();
}

// Actors write plain memory. The last one of a job reads what all have written. So does the owner,
// for half of the time; for the other half it only uses the entries again.
TEST(TicketRing, WhatActorsWriteIsThereBehindThem) {
    constexpr std::uint64_t kJobs = 20000;
    constexpr std::uint64_t kPieces = 4;
    const auto ring = make_ring();
    std::vector<std::array<std::uint64_t, kPieces>> written(Ring::kEntries);
    std::atomic<std::uint64_t> ends{0};
    const auto expect_all = [&](std::uint64_t ticket) {
        for (std::uint64_t i = 0; i < kPieces; ++i)
            EXPECT_EQ(written[ticket % Ring::kEntries][i], ticket * kPieces + i);
    };
    const auto look = [&] {
        const std::uint64_t tickets = ring->tickets();
        for (std::uint64_t ticket = Ring::first_open(tickets); ticket < tickets; ++ticket) {
            while (const auto piece = ring->claim(ticket, kOther)) {
                if (ticket % 8 == 0) std::this_thread::yield();  // The other one gets a piece, too.
                written[ticket % Ring::kEntries][piece->number] =
                    piece->job->number * kPieces + piece->number;
                ring->finish(*piece, [&](const Job& job) {
                    expect_all(job.number);
                    ends.fetch_add(1);
                });
            }
        }
    };
    std::vector<std::thread> others;
    for (int i = 0; i < 2; ++i) {
        others.emplace_back([&] {
            while (ends.load(std::memory_order_relaxed) < kJobs) look();
        });
    }
    for (std::uint64_t number = 0; number < kJobs; ++number) {
        std::optional<std::uint64_t> ticket = ring->reserve();
        for (; !ticket; ticket = ring->reserve()) std::this_thread::yield();
        ring->post(*ticket, {.number = *ticket, .copy_of_number = 0}, kPieces, kOther);
        if (*ticket / 1024 % 2 == 0) continue;
        const std::uint64_t earlier = *ticket - Ring::kEntries / 2;
        while (!ring->is_complete(earlier)) std::this_thread::yield();
        expect_all(earlier);
    }
    for (std::thread& other : others) other.join();
    EXPECT_EQ(ends.load(), kJobs);
}

}  // namespace
}  // namespace tessera
