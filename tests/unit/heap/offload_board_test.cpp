// SPDX-License-Identifier: BSD-3-Clause
//
// The ring by which a PE leaves copies to others, in one process: threads take the roles of all.
#include "heap/offload_board.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include "heap/helper_loop.hpp"

namespace tessera::heap {
namespace {

constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;
constexpr std::uint64_t kPiecesMax = OffloadRing::kPiecesMax;

// Zeros, as in the node file, with rings.
class Board {
  public:
    explicit Board(std::size_t rings) : memory_(offload_board_bytes(rings) + kFalseSharingBytes) {
        void* at = memory_.data();
        std::size_t space = memory_.size();
        board_ = static_cast<OffloadBoard*>(
            std::align(kFalseSharingBytes, offload_board_bytes(rings), at, space));
    }
    OffloadBoard& operator*() const { return *board_; }
    OffloadBoard* operator->() const { return board_; }

  private:
    std::vector<std::byte> memory_;
    OffloadBoard* board_;
};

void do_piece(OffloadRing& ring, const OffloadRing::Piece& piece, const NodeMaps& maps) {
    const Refusal refusal = copy_piece_of_node(*piece.job, piece.number, kPiecesMax, maps);
    EXPECT_EQ(refusal.error, 0);
    ring.finish(piece, [&](const NodeCopy& copy) { send_signal(copy, maps); });
}

TEST(NodeCopy, PiecesCoverTheBytes) {
    for (const std::uint64_t bytes :
         {std::uint64_t{1}, kMebi / 16, kMebi / 16 + 1, kMebi / 4 - 1, kMebi / 4, kMebi / 4 + 1,
          2 * kMebi + 1, 3 * kMebi + 5, 4 * kMebi, 4 * kMebi + 1, 100 * kMebi + 7,
          100000 * kMebi + 9}) {
        const Pieces pieces({.run_bytes = bytes}, kPiecesMax);
        ASSERT_GT(pieces.count(), 0U);
        ASSERT_LE(pieces.count(), kPiecesMax);
        std::uint64_t covered = 0;
        for (std::uint64_t i = 0; i < pieces.count(); ++i) {
            EXPECT_EQ(pieces.first_unit(i), covered);
            EXPECT_GT(pieces.units(i), 0U);
            EXPECT_LE(pieces.units(i), std::max(kMebi, bytes / kPiecesMax + 1));
            covered += pieces.units(i);
        }
        EXPECT_EQ(covered, bytes);
    }
    EXPECT_EQ(Pieces({.run_bytes = 2 * kMebi + 1}, kPiecesMax).count(), 5U);
}

TEST(NodeCopy, PiecesOfASectionAreRows) {
    const NodeCopy lines{.run_bytes = 1000, .extents = {3000}, .ndims = 1};
    const Pieces pieces(lines, kPiecesMax);
    EXPECT_EQ(pieces.count(), 6U);
    EXPECT_EQ(pieces.units(0), 524U);  // 512 KiB
    EXPECT_EQ(pieces.first_unit(5) + pieces.units(5), 3000U);
    const NodeCopy planes{.run_bytes = 8, .extents = {1000, 90000}, .ndims = 2};
    EXPECT_LE(Pieces(planes, kPiecesMax).count(), kPiecesMax);
    const NodeCopy long_rows{.run_bytes = 3 * kMebi, .extents = {3}, .ndims = 1};
    EXPECT_EQ(Pieces(long_rows, kPiecesMax).count(), 3U);
}

// A section of two dimensions, from a transposed place with a negative stride, piece by piece.
TEST(NodeCopy, RowsLieWhereTheStridesSay) {
    constexpr std::int64_t kColumns = 200, kRows = 300;
    std::vector<std::uint16_t> memory(2 * kColumns * kRows);
    std::iota(memory.begin(), memory.begin() + kColumns * kRows, std::uint16_t{1});
    std::uint16_t* to = memory.data() + kColumns * kRows;
    const NodeCopy copy{.run_bytes = 2,
                        .extents = {kColumns, kRows},
                        .from_strides = {-2 * kRows, 2},
                        .to_strides = {2, 2 * kColumns},
                        .ndims = 2};
    const std::uint16_t* from = memory.data() + (kColumns - 1) * kRows;
    const Pieces pieces(copy, 7);
    ASSERT_GT(pieces.count(), 1U);
    for (std::uint64_t i = pieces.count(); i-- > 0;) {
        copy_piece_between(reinterpret_cast<char*>(to), reinterpret_cast<const char*>(from), copy,
                           i, 7);
    }
    for (std::int64_t row = 0; row < kRows; ++row) {
        for (std::int64_t column = 0; column < kColumns; ++column)
            ASSERT_EQ(to[row * kColumns + column], from[row - column * kRows]);
    }
}

// Through the kernel: from private memory, to private memory, and between two private places.
TEST(NodeCopy, PrivateMemoryIsReachedThroughTheKernel) {
    constexpr std::size_t kBytes = 300000;
    std::vector<char> heaps(kBytes);
    std::vector<char> source(kBytes);
    std::vector<char> dest(kBytes);
    std::vector<char> other(kBytes);
    std::iota(source.begin(), source.end(), char{3});
    const NodeMaps maps{.node = nullptr, .heaps = heaps.data()};
    const auto address = [](const std::vector<char>& memory) {
        return reinterpret_cast<std::uint64_t>(memory.data());
    };
    const NodeCopy copies[] = {
        {.from = address(source), .from_pid = ::getpid(), .run_bytes = kBytes},
        {.to = address(dest), .to_pid = ::getpid(), .run_bytes = kBytes},
        {.from = address(source),
         .to = address(other),
         .from_pid = ::getpid(),
         .to_pid = ::getpid(),
         .run_bytes = kBytes}};
    for (const NodeCopy& copy : copies) {
        for (std::uint64_t i = 0; i < Pieces(copy, kPiecesMax).count(); ++i)
            ASSERT_EQ(copy_piece_of_node(copy, i, kPiecesMax, maps).error, 0);
    }
    EXPECT_EQ(heaps, source);
    EXPECT_EQ(dest, source);
    EXPECT_EQ(other, source);
    const NodeCopy nowhere{.to = 0, .to_pid = ::getpid(), .run_bytes = 100};
    const Refusal refusal = copy_piece_of_node(nowhere, 0, kPiecesMax, maps);
    EXPECT_NE(refusal.error, 0);
    EXPECT_FALSE(refusal.is_read);
    EXPECT_EQ(refusal.bytes, 100U);
    const NodeCopy of_the_gone{.to = 4096, .to_pid = 0x3fffffff, .run_bytes = 100};
    EXPECT_EQ(copy_piece_of_node(of_the_gone, 0, kPiecesMax, maps).error, 0);
}

TEST(OffloadRing, OneHelperAnswers) {
    const Board board(1);
    OffloadRing& ring = board->ring(0);
    ring.answer_if_asked();
    EXPECT_EQ(ring.answer(), OffloadRing::Access::kUnknown);
    const std::uint64_t number = 4711;
    const ProcessAddress place{.address = reinterpret_cast<std::uint64_t>(&number),
                               .pid = ::getpid()};
    ring.ask(place, number, 0);
    ring.answer_if_asked();
    EXPECT_EQ(ring.answer(), OffloadRing::Access::kAllowed);
    ring.ask(place, number + 1, 0);
    EXPECT_EQ(ring.answer(), OffloadRing::Access::kUnknown);
    ring.answer_if_asked();
    EXPECT_EQ(ring.answer(), OffloadRing::Access::kRefused);
}

TEST(OffloadRing, HelpersLeaveAClosedRing) {
    const Board board(1);
    OffloadRing& ring = board->ring(0);
    ASSERT_TRUE(ring.enter());
    ring.close();
    EXPECT_FALSE(ring.enter());
    EXPECT_FALSE(ring.is_empty());
    ring.leave();
    EXPECT_TRUE(ring.is_empty());
    ring.reopen();
    EXPECT_TRUE(ring.enter());
}

// Ring 0 is of another NUMA node. A copy of ring 1 comes first, so that one of ring 0 copies it.
TEST(HelperLoop, BeginsWithTheRingsOfItsNumaNode) {
    unsigned cpu = 0;
    unsigned numa_node = 0;
    ASSERT_EQ(::getcpu(&cpu, &numa_node), 0);
    const Board board(2);
    std::uint64_t words[3] = {4711, 0, 0};
    const NodeMaps maps{.node = nullptr, .heaps = reinterpret_cast<char*>(words)};
    std::uint64_t number = 1;
    const ProcessAddress place{.address = reinterpret_cast<std::uint64_t>(&number),
                               .pid = ::getpid()};
    board->ring(0).ask(place, number, numa_node + 1);
    board->ring(1).ask(place, number, numa_node);
    for (const int index : {0, 1}) {
        OffloadRing& ring = board->ring(index);
        const std::uint64_t from = index == 0 ? 8 : 0;
        ring.post(*ring.reserve(), {.from = from, .to = from + 8, .run_bytes = 8}, kHelper);
    }
    HelperLoop loop({.board = *board, .maps = maps, .npes = 2, .number = 0, .fail = nullptr});
    std::thread helper([&] { loop.run(); });
    board->ring_bell();
    while (!board->ring(0).is_complete(0)) std::this_thread::yield();
    loop.stop();
    helper.join();
    EXPECT_EQ(words[2], 4711U);
}

// Two threads post copies of different lengths and wait for some; two others are helpers. Each
// copy's source is used for one ticket at a time, so a wrong piece of an old ticket shows.
TEST(OffloadRing, ThreadsPostAndCopy) {
    constexpr int kPosters = 2;
    constexpr int kHelpers = 2;
    constexpr int kCopies = 3000;
    constexpr std::size_t kBytes = 3 * kMebi / 2;
    // The memory of "the node": for each poster a source and a destination.
    std::vector<char> heaps(2 * kPosters * kBytes);
    std::vector<char> node(kFalseSharingBytes);
    const NodeMaps maps{.node = node.data(), .heaps = heaps.data()};
    const Board board(1);
    OffloadRing& ring = board->ring(0);
    std::vector<std::unique_ptr<HelperLoop>> loops;
    std::vector<std::thread> helpers;
    for (std::size_t i = 0; i < kHelpers; ++i) {
        loops.push_back(std::make_unique<HelperLoop>(HelperLoop::Setup{
            .board = *board, .maps = maps, .npes = 1, .number = i, .fail = nullptr}));
        helpers.emplace_back([&loop = *loops.back()] { loop.run(); });
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
                ring.post(*ticket, {.from = source, .to = dest, .run_bytes = bytes},
                          kOwner | kHelper);
                board->ring_bell();
                while (!ring.is_complete(*ticket)) {
                    // As a PE that waits. Every other time the helpers must do it all.
                    const auto piece = n % 2 == 0 ? ring.claim(*ticket, kOwner) : std::nullopt;
                    piece ? do_piece(ring, *piece, maps) : std::this_thread::yield();
                }
                ASSERT_EQ(std::memcmp(&heaps[source], &heaps[dest], bytes), 0) << "copy " << n;
            }
        });
    }
    for (std::thread& poster : posters) poster.join();
    for (const auto& loop : loops) loop->stop();
    for (std::thread& helper : helpers) helper.join();
    EXPECT_EQ(ring.tickets(), static_cast<std::uint64_t>(kPosters * kCopies));
}

}  // namespace
}  // namespace tessera::heap
