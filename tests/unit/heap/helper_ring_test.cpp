// SPDX-License-Identifier: BSD-3-Clause
//
// The ring by which a PE hands copies to helpers, in one process: threads take the roles of both.
#include "heap/helper_ring.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "heap/helper_copy.hpp"

namespace tessera::heap {
namespace {

constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;
constexpr auto kNothing = [](const HelperCopy& /*copy*/) {};

// Zeros, as in the node file.
std::unique_ptr<HelperRing> make_ring() { return std::make_unique<HelperRing>(); }

TEST(HelperRing, NewRingHasNoTickets) {
    const auto ring = make_ring();
    EXPECT_EQ(ring->tickets(), 0U);
    EXPECT_FALSE(ring->claim(0).has_value());
    EXPECT_FALSE(ring->is_complete(0));
    EXPECT_FALSE(ring->is_claimed(0));
}

TEST(HelperRing, TicketIsCompleteBehindItsLastPiece) {
    const auto ring = make_ring();
    const auto ticket = ring->reserve();
    ASSERT_TRUE(ticket.has_value());
    EXPECT_FALSE(ring->claim(*ticket).has_value()) << "not posted yet";
    EXPECT_FALSE(ring->is_claimed(*ticket));
    ring->post(*ticket, {.kind = HelperCopy::Kind::kGet,
                         .signal = HelperCopy::Signal::kAdd,
                         .is_private = true,
                         .pid = 17,
                         .local = 11,
                         .remote = 12,
                         .bytes = 2 * kMebi + 1,
                         .signal_word = 13,
                         .signal_value = 14,
                         .sleeper = 15});
    std::vector<HelperRing::Piece> pieces;
    while (const auto piece = ring->claim(*ticket)) pieces.push_back(*piece);
    ASSERT_EQ(pieces.size(), 5U);
    EXPECT_TRUE(ring->is_claimed(*ticket));
    EXPECT_EQ(pieces[1].offset(), kMebi / 2);
    EXPECT_EQ(pieces[1].bytes(), kMebi / 2);
    EXPECT_EQ(pieces[4].bytes(), 1U);
    const HelperCopy& copy = pieces[4].copy;
    EXPECT_EQ(copy.kind, HelperCopy::Kind::kGet);
    EXPECT_EQ(copy.signal, HelperCopy::Signal::kAdd);
    EXPECT_TRUE(copy.is_private);
    EXPECT_EQ(copy.pid, 17);
    EXPECT_EQ(copy.local + copy.remote * 100 + copy.signal_word * 10000, 131211U);
    EXPECT_EQ(copy.signal_value, 14U);
    EXPECT_EQ(copy.sleeper, 15U);
    int signals = 0;
    for (const HelperRing::Piece& piece : pieces) {
        EXPECT_FALSE(ring->is_complete(*ticket));
        EXPECT_EQ(signals, 0);
        ring->finish(piece, [&](const HelperCopy& /*copy*/) {
            EXPECT_FALSE(ring->is_complete(*ticket));
            ++signals;
        });
    }
    EXPECT_TRUE(ring->is_complete(*ticket));
    EXPECT_EQ(signals, 1);
}

TEST(HelperRing, PiecesCoverTheCopy) {
    const auto ring = make_ring();
    for (const std::uint64_t bytes :
         {std::uint64_t{1}, kMebi / 16, kMebi / 16 + 1, kMebi / 4 - 1, kMebi / 4, kMebi / 4 + 1,
          kMebi - 1, 3 * kMebi + 5, 4 * kMebi, 4 * kMebi + 1, 100 * kMebi + 7}) {
        const auto ticket = ring->reserve();
        ASSERT_TRUE(ticket.has_value());
        ring->post(*ticket, {.bytes = bytes});
        std::uint64_t covered = 0;
        while (const auto piece = ring->claim(*ticket)) {
            EXPECT_EQ(piece->offset(), covered);
            EXPECT_GT(piece->bytes(), 0U);
            EXPECT_LE(piece->bytes(), kMebi);
            covered += piece->bytes();
            ring->finish(*piece, kNothing);
        }
        EXPECT_EQ(covered, bytes);
        EXPECT_TRUE(ring->is_complete(*ticket)) << bytes;
    }
}

// A helper may look at an entry whose copy it cannot see yet: with weakly ordered memory it then
// reads the number of bytes as it was at first.
TEST(HelperRing, CopyOfNoBytesHasNoPiece) {
    const auto ring = make_ring();
    const auto ticket = ring->reserve();
    ASSERT_TRUE(ticket.has_value());
    ring->post(*ticket, {.bytes = 0});
    EXPECT_FALSE(ring->claim(*ticket).has_value());
    EXPECT_TRUE(ring->is_claimed(*ticket));
}

TEST(HelperRing, FullRingRefusesAndEntriesComeBack) {
    const auto ring = make_ring();
    for (std::uint64_t i = 0; i < HelperRing::kEntries; ++i) {
        const auto ticket = ring->reserve();
        ASSERT_EQ(ticket, i);
        ring->post(*ticket, {.bytes = 1});
    }
    EXPECT_FALSE(ring->reserve().has_value());
    // Out of order: the next ticket needs entry 0.
    ring->finish(*ring->claim(1), kNothing);
    EXPECT_FALSE(ring->reserve().has_value());
    ring->finish(*ring->claim(0), kNothing);
    const auto next = ring->reserve();
    ASSERT_EQ(next, HelperRing::kEntries);
    EXPECT_TRUE(ring->is_complete(0));
    EXPECT_TRUE(ring->is_claimed(0));
    EXPECT_FALSE(ring->is_complete(*next));
    ring->post(*next, {.bytes = 1});
    EXPECT_FALSE(ring->claim(0).has_value()) << "of an earlier use";
    EXPECT_TRUE(ring->claim(*next).has_value());
}

TEST(HelperRing, OneHelperAnswers) {
    const auto ring = make_ring();
    const auto fail = [](const HelperRing::Proof& /*proof*/) {
        ADD_FAILURE() << "not asked";
        return false;
    };
    ring->answer_if_asked(fail);
    EXPECT_EQ(ring->answer(), HelperRing::Access::kUnknown);
    const std::uint64_t number = 4711;
    const HelperRing::Proof proof{
        .address = reinterpret_cast<std::uint64_t>(&number), .number = number, .pid = ::getpid()};
    ring->ask(proof);
    ring->answer_if_asked(can_read);
    EXPECT_EQ(ring->answer(), HelperRing::Access::kAllowed);
    ring->answer_if_asked(fail);
    ring->ask({.address = proof.address, .number = number + 1, .pid = proof.pid});
    EXPECT_EQ(ring->answer(), HelperRing::Access::kUnknown);
    ring->answer_if_asked(can_read);
    EXPECT_EQ(ring->answer(), HelperRing::Access::kRefused);
}

// Two threads post copies of different lengths and wait for some; two others are helpers. Each
// copy's source is used for one ticket at a time, so a wrong piece of an old ticket shows.
TEST(HelperRing, ThreadsPostAndCopy) {
    constexpr int kPosters = 2;
    constexpr int kHelpers = 2;
    constexpr int kCopies = 3000;
    constexpr std::size_t kBytes = 3 * kMebi / 2;
    // The memory of "the node": for each poster a source and a destination.
    std::vector<char> heaps(2 * kPosters * kBytes);
    std::vector<char> node(kFalseSharingBytes);
    const NodeMaps maps{.node = node.data(), .heaps = heaps.data()};
    const auto board_memory =
        std::make_unique<std::array<std::byte, sizeof(HelperBoard) + sizeof(HelperRing) + 256>>();
    void* at = board_memory->data();
    std::size_t space = board_memory->size();
    auto* board =
        static_cast<HelperBoard*>(std::align(kFalseSharingBytes, helper_board_bytes(1), at, space));
    ASSERT_NE(board, nullptr);
    HelperRing& ring = board->ring(0);
    std::atomic<bool> is_over{false};

    std::vector<std::thread> helpers;
    for (int i = 0; i < kHelpers; ++i) {
        helpers.emplace_back([&] {
            while (!is_over.load()) {
                const std::uint32_t heard = board->bell.load();
                const std::uint64_t tickets = ring.tickets();
                for (auto t = HelperRing::first_open(tickets); t < tickets; ++t) {
                    while (const auto piece = ring.claim(t)) {
                        EXPECT_EQ(copy_piece_of_other(ring, *piece, maps), 0);
                    }
                }
                if (!is_over.load()) board->sleep_at(heard);
            }
        });
    }
    std::vector<std::thread> posters;
    for (int i = 0; i < kPosters; ++i) {
        posters.emplace_back([&, i] {
            const std::size_t source = 2 * static_cast<std::size_t>(i) * kBytes;
            const std::size_t dest = source + kBytes;
            for (int n = 0; n < kCopies; ++n) {
                const std::size_t bytes = n % 100 == 0 ? kBytes : 1 + static_cast<std::size_t>(n);
                std::memset(&heaps[source], n, bytes);
                std::memset(&heaps[dest], ~n, bytes);
                std::optional<std::uint64_t> ticket = ring.reserve();
                // The other poster has gone once round the ring while a helper copied one piece.
                while (!ticket) {
                    std::this_thread::yield();
                    ticket = ring.reserve();
                }
                ring.post(*ticket, {.local = source, .remote = dest, .bytes = bytes});
                board->ring_bell();
                while (!ring.is_complete(*ticket)) {
                    // As a PE that waits. Every other time the helpers must do it all.
                    const auto piece = n % 2 == 0 ? ring.claim(*ticket) : std::nullopt;
                    piece ? copy_own_piece(ring, *piece, maps) : std::this_thread::yield();
                }
                ASSERT_EQ(std::memcmp(&heaps[source], &heaps[dest], bytes), 0) << "copy " << n;
            }
        });
    }
    for (std::thread& poster : posters) poster.join();
    is_over.store(true);
    // Each bell wakes one of them.
    for (int i = 0; i < kHelpers; ++i) board->ring_bell();
    for (std::thread& helper : helpers) helper.join();
    EXPECT_EQ(ring.tickets(), static_cast<std::uint64_t>(kPosters * kCopies));
}

// A helper still looks at a ticket whose entry is posted again just now. The copy of generation 1,
// 3, ... has one piece, that of 2, 4, ... has several, so the old claim is a piece of the new copy.
TEST(HelperRing, AnOldTicketHasNoPieceOfALaterCopy) {
    constexpr std::uint64_t kTickets = HelperRing::kEntries * 20000;
    const auto bytes_of = [](std::uint64_t ticket) {
        return ticket / HelperRing::kEntries % 2 == 0 ? 1 : 5 * kMebi;
    };
    const auto ring = make_ring();
    std::atomic<bool> is_over{false};
    std::thread helper([&] {
        while (!is_over.load()) {
            const std::uint64_t tickets = ring->tickets();
            if (tickets <= HelperRing::kEntries) continue;
            const std::uint64_t old = tickets - HelperRing::kEntries - 1;
            const auto piece = ring->claim(old);
            if (!piece) continue;
            EXPECT_FALSE(piece.has_value())
                << "ticket " << old << ", piece " << piece->number << " of " << piece->copy.local;
            is_over.store(true);
        }
    });
    for (std::uint64_t ticket = 0; ticket < kTickets && !is_over.load(); ++ticket) {
        ASSERT_EQ(ring->reserve(), ticket);
        ring->post(ticket, {.local = ticket, .bytes = bytes_of(ticket)});
        while (const auto piece = ring->claim(ticket)) {
            EXPECT_EQ(piece->copy.local, ticket);
            ring->finish(*piece, kNothing);
        }
    }
    is_over.store(true);
    helper.join();
}

}  // namespace
}  // namespace tessera::heap
