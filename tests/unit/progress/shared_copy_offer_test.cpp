// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a piece of a shared copy is claimed twice, or by a helper that has read another
// copy's members, or when a copy counts as complete before its pieces are.
#include "progress/shared_copy_offer.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace tessera {
namespace {

constexpr std::uint64_t kPieceBytes = SharedCopyOffer::kPieceBytes;

// Zeros, as in a new segment.
std::unique_ptr<SharedCopyOffer> make_offer() { return std::make_unique<SharedCopyOffer>(); }

TEST(SharedCopyOffer, NewOfferHasNoPiece) { EXPECT_FALSE(make_offer()->claim().has_value()); }

TEST(SharedCopyOffer, EachPieceHasOneOwner) {
    const auto offer = make_offer();
    ASSERT_TRUE(offer->take());
    EXPECT_FALSE(offer->take()) << "taken";
    offer->offer({.source_pe = 1,
                  .dest_pe = 2,
                  .source_offset = 3,
                  .dest_offset = 4,
                  .bytes = 3 * kPieceBytes + 5});
    EXPECT_EQ(offer->claim_own(), 0U);
    const auto piece = offer->claim();
    ASSERT_TRUE(piece.has_value());
    EXPECT_EQ(piece->number, 1U);
    EXPECT_EQ(piece->copy.source_pe, 1U);
    EXPECT_EQ(piece->copy.dest_pe, 2U);
    EXPECT_EQ(piece->copy.source_offset, 3U);
    EXPECT_EQ(piece->copy.dest_offset, 4U);
    EXPECT_EQ(piece->copy.bytes_of(1), kPieceBytes);
    EXPECT_EQ(piece->copy.bytes_of(3), 5U);
    EXPECT_EQ(offer->claim_own(), 2U);
    EXPECT_EQ(offer->claim_own(), 3U);
    EXPECT_FALSE(offer->claim_own().has_value());
    EXPECT_FALSE(offer->claim().has_value());
    EXPECT_FALSE(offer->is_complete(3));
    offer->finish();
    EXPECT_TRUE(offer->is_complete(3));
    offer->release();
    EXPECT_TRUE(offer->take());
    EXPECT_FALSE(offer->claim().has_value()) << "taken, but nothing is offered";
}

// A helper claims all the time, while copies with one piece and with several come by turns.
TEST(SharedCopyOffer, AHelperClaimsPiecesOfTheCopyThatIsOffered) {
    constexpr std::uint64_t kCopies = 1000000;
    const auto offer = make_offer();
    std::atomic<std::uint64_t> offered{0};  // the last copy whose pieces may be claimed
    std::atomic<std::uint64_t> helped{0};   // its pieces that the helper has claimed
    std::atomic<bool> is_over{false};
    std::thread helper([&] {
        while (!is_over.load()) {
            const auto piece = offer->claim();
            if (!piece) continue;
            // The copy stays until its pieces are done.
            const std::uint64_t copy = piece->copy.dest_offset;
            if (piece->copy.source_offset != copy || offered.load() != copy) {
                EXPECT_EQ(piece->copy.source_offset, copy);
                EXPECT_EQ(offered.load(), copy) << "piece " << piece->number;
                is_over.store(true);
            }
            helped.fetch_add(1);
            offer->finish();
        }
    });
    for (std::uint64_t copy = 1; copy <= kCopies && !is_over.load(); ++copy) {
        ASSERT_TRUE(offer->take());
        const std::uint64_t pieces = copy % 2 == 0 ? 4 : 1;
        offered.store(copy);
        helped.store(0);
        offer->offer({.source_offset = copy, .dest_offset = copy, .bytes = pieces * kPieceBytes});
        std::uint64_t own = 0;
        while (offer->claim_own()) ++own;
        while (!offer->is_complete(own) && !is_over.load()) {
            if (helped.load() + own <= pieces) continue;
            ADD_FAILURE() << helped.load() << " and " << own << " of " << pieces << " pieces";
            is_over.store(true);
        }
        offer->release();
    }
    is_over.store(true);
    helper.join();
}

}  // namespace
}  // namespace tessera
