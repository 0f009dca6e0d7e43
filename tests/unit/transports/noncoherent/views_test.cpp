// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a pointer to another PE's memory leads elsewhere, when a view of the emulation moves
// lines without being told, or when its stores are lost on their way to the owner.
#include "transports/noncoherent/views.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "policies.hpp"

namespace tessera::noncoherent {
namespace {

constexpr int kOwner = 1;
constexpr std::size_t kLine = 64;

// PE 0 has the pointers, PE 1 the memory.
class ViewsTest : public testing::TestWithParam<Access> {
  protected:
    static constexpr std::size_t kAll = (std::size_t{100} << 10) - 24;  // The last line is short.

    SegmentSetup setup_of(int pe) {
        return {.own = own_[pe].data(),
                .bytes = kAll,
                .pe = pe,
                .publics = {public_[0].data(), public_[1].data()},
                .parts = {{.begin = 0, .end = [] { return kAll; }}},
                .marks = {marks_[0].data(), marks_[1].data()},
                .stamps = {},
                .access = GetParam()};
    }
    static bool is_emulation() { return GetParam() == Access::kCoherent; }
    char* pointer(std::size_t at) { return views_.pointer_to(own_[0].data() + at, kOwner); }
    // The owner's private and public copy.
    char& own(std::size_t at) { return own_[kOwner].data()[at]; }
    char& shared(std::size_t at) { return public_[kOwner].data()[at]; }

    Mapping own_[2] = {Mapping::private_memory(kAll), Mapping::private_memory(kAll)};
    Mapping public_[2] = {Mapping::private_memory(kAll), Mapping::private_memory(kAll)};
    std::vector<char> marks_[2] = {std::vector<char>(PageMarks::bytes_for(kAll)),
                                   std::vector<char>(PageMarks::bytes_for(kAll))};
    Copies copies_{setup_of(0)};
    Copies owner_{setup_of(kOwner)};
    Views views_{copies_};
    Dice no_dice_{0};
    Dice dice_{7};
};

TEST_P(ViewsTest, KnowsItsPointers) {
    ASSERT_TRUE(views_.is_made());
    EXPECT_EQ(views_.bytes_at(pointer(0)), kAll);
    EXPECT_EQ(views_.bytes_at(pointer(kAll - 1)), 1U);
    EXPECT_EQ(views_.bytes_at(pointer(0) + kAll), 0U);
    EXPECT_EQ(views_.bytes_at(own_[0].data()), 0U);
    EXPECT_EQ(pointer(5) == &shared(5), !is_emulation());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pointer(0)) % kLine, 0U);
}

TEST_P(ViewsTest, TheOwnerFindsWhatIsWrittenBack) {
    for (const std::size_t at : {std::size_t{67}, std::size_t{70000}, kAll - 1}) {
        *pointer(at) = 'a';
        owner_.refresh_all(no_dice_);
        if (is_emulation()) {
            EXPECT_EQ(own(at), 0);
        }
        views_.write_back(pointer(at), 1);
        owner_.refresh_all(no_dice_);
        EXPECT_EQ(own(at), 'a') << at;
    }
}

TEST_P(ViewsTest, LoadsFindWhatTheOwnerPublishesOnceTheyAreInvalidated) {
    for (const std::size_t at : {std::size_t{67}, std::size_t{70000}, kAll - 1}) {
        const char before = *pointer(at);
        own(at) = 'b';
        owner_.publish_all(no_dice_);
        views_.invalidate(pointer(at) - kLine, 1);
        if (is_emulation()) {
            EXPECT_EQ(*pointer(at), before);
        }
        views_.invalidate(pointer(at), 1);
        EXPECT_EQ(*pointer(at), 'b') << at;
    }
}

TEST_P(ViewsTest, LinesOfTheEmulationGoAsAWhole) {
    if (!is_emulation()) return;
    shared(kLine) = shared(kLine + 1) = 'o';
    shared(0) = shared(2 * kLine) = 'o';
    *pointer(kLine + 1) = 'v';
    views_.write_back(pointer(0), 3 * kLine);
    EXPECT_EQ(shared(kLine + 1), 'v');
    EXPECT_EQ(shared(kLine), 0) << "stale bytes of the line";
    EXPECT_EQ(shared(0), 'o') << "a line without stores";
    EXPECT_EQ(shared(2 * kLine), 'o') << "a line without stores";
}

TEST_P(ViewsTest, InvalidateKeepsStores) {
    *pointer(9) = 'v';
    views_.invalidate(pointer(9), 1);
    EXPECT_EQ(*pointer(9), 'v');
    EXPECT_EQ(shared(9), 'v');
    owner_.refresh_all(no_dice_);
    EXPECT_EQ(own(9), 0) << "the owner is not told";
    views_.write_back(pointer(9), 1);
    owner_.refresh_all(no_dice_);
    EXPECT_EQ(own(9), 'v');
}

TEST_P(ViewsTest, LinesDropAtOperationsOfTheLibrary) {
    *pointer(9) = 'v';
    views_.drop(own_[0].data() + 9, 1, kOwner);
    EXPECT_EQ(shared(9), 'v');
    shared(9) = 's';
    views_.drop(own_[0].data() + 9, 1, kOwner);
    EXPECT_EQ(*pointer(9), 's');
    views_.drop(own_[0].data() + 9, 1, 0);  // own memory: has no view
}

TEST_P(ViewsTest, EvictionsMoveLinesBothWays) {
    if (!is_emulation()) return;
    constexpr std::size_t kTold = 30000;
    views_.evict(dice_);  // There is no view yet.
    *pointer(9) = 'v';
    shared(kTold) = 's';
    while (shared(9) != 'v' || *pointer(kTold) != 's') views_.evict(dice_);
    owner_.refresh_all(no_dice_);
    EXPECT_EQ(own(9), 0) << "the owner is not told";
}

// A thread of the program counts in the words of a view while other calls move its lines.
TEST_P(ViewsTest, StoresOfTheProgramAtTheSameTimeSurvive) {
    constexpr std::uint32_t kRounds = 3000;
    const auto word = [](char* place) {
        return std::atomic_ref(*reinterpret_cast<std::uint32_t*>(place));
    };
    std::atomic<bool> is_over{false};
    std::thread program([&] {
        for (std::uint32_t round = 1; round <= kRounds; ++round) {
            for (std::size_t at = 0; at < 2 * kLine; at += sizeof round) {
                ASSERT_EQ(word(pointer(at)).load(), round - 1);
                word(pointer(at)).store(round);
            }
        }
        is_over = true;
    });
    while (!is_over) {
        views_.invalidate(pointer(0), kLine);
        views_.write_back(pointer(kLine), kLine);
        views_.evict(dice_);
    }
    program.join();
    views_.write_back(pointer(0), 2 * kLine);
    for (std::size_t at = 0; at < 2 * kLine; at += sizeof kRounds)
        EXPECT_EQ(word(&shared(at)).load(), kRounds) << at;
}

INSTANTIATE_TEST_SUITE_P(Policies, ViewsTest, all_policies(), name_of);

}  // namespace
}  // namespace tessera::noncoherent
