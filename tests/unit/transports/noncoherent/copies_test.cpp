// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when publishing changes a byte that the program has not changed, when refreshing loses a
// change of either side, when eviction is more than one of the two, when stores of the program at
// the same time are lost, or when a thread goes on before another one has refreshed for it.
#include "transports/noncoherent/copies.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <tuple>
#include <vector>

#include "base/fd.hpp"
#include "policies.hpp"

namespace tessera::noncoherent {
namespace {

constexpr std::size_t kBytes = 3 * 4096;

struct alignas(64) Memory {
    char bytes[kBytes] = {};
};

class CopiesTest : public testing::TestWithParam<Access> {
  protected:
    CopiesTest()
        : copies_({.own = own_->bytes,
                   .bytes = kBytes,
                   .pe = 1,
                   .publics = {others_->bytes, mine_->bytes},
                   .parts = {{.begin = 0, .end = [this] { return used_; }}},
                   .marks = {},
                   .stamps = {},
                   .access = GetParam()}) {}
    bool are_same() const { return std::memcmp(own_->bytes, mine_->bytes, kBytes) == 0; }

    std::unique_ptr<Memory> own_ = std::make_unique<Memory>();
    std::unique_ptr<Memory> mine_ = std::make_unique<Memory>();
    std::unique_ptr<Memory> others_ = std::make_unique<Memory>();
    std::size_t used_ = kBytes;
    Copies copies_;
    Dice no_dice_{0};
    Dice dice_{7};
};

TEST_P(CopiesTest, PublishingStoresOnlyWhatHasChanged) {
    for (std::size_t i = 0; i < kBytes; i += 3) own_->bytes[i] = 'a';
    for (std::size_t i = 1; i < kBytes; i += 3) mine_->bytes[i] = 'b';  // another PE's
    copies_.publish_all(no_dice_);
    for (std::size_t i = 0; i < kBytes; ++i) {
        ASSERT_EQ(mine_->bytes[i], i % 3 == 0 ? 'a' : i % 3 == 1 ? 'b' : 0) << i;
        ASSERT_EQ(own_->bytes[i], i % 3 == 0 ? 'a' : 0) << i;
    }
}

TEST_P(CopiesTest, RefreshingKeepsTheChangesOfBoth) {
    for (std::size_t i = 0; i < kBytes; i += 3) own_->bytes[i] = 'a';
    for (std::size_t i = 1; i < kBytes; i += 3) mine_->bytes[i] = 'b';
    copies_.refresh_all(no_dice_);
    EXPECT_TRUE(are_same());
    for (std::size_t i = 0; i < kBytes; ++i)
        ASSERT_EQ(own_->bytes[i], i % 3 == 0 ? 'a' : i % 3 == 1 ? 'b' : 0) << i;
    // Bytes that came in are no change of this PE.
    std::memset(mine_->bytes, 'c', kBytes);
    copies_.publish_all(no_dice_);
    EXPECT_EQ(mine_->bytes[0], 'c');
    EXPECT_EQ(mine_->bytes[1], 'c');
}

TEST_P(CopiesTest, RangesReachNoFurther) {
    std::memset(own_->bytes, 'a', kBytes);
    copies_.publish(own_->bytes + 64, 8);
    for (std::size_t i = 0; i < kBytes; ++i)
        ASSERT_EQ(mine_->bytes[i], i >= 64 && i < 72 ? 'a' : 0) << i;
    std::memset(mine_->bytes, 'b', kBytes);
    copies_.publish_all(no_dice_);
    copies_.refresh(own_->bytes + 128, 1);
    EXPECT_EQ(own_->bytes[64], 'a');  // published before, so 'b' is newer; but not in the range
}

TEST_P(CopiesTest, UnusedMemoryIsLeftAlone) {
    used_ = 100;
    std::memset(mine_->bytes, 'b', kBytes);
    copies_.refresh_all(dice_);
    EXPECT_EQ(own_->bytes[103], 'b');
    EXPECT_EQ(own_->bytes[104], 0);
}

TEST_P(CopiesTest, StoresHereReachAllCopies) {
    copies_.store_here(own_->bytes + 5, "words", 5);
    EXPECT_EQ(std::memcmp(own_->bytes + 5, "words", 5), 0);
    EXPECT_EQ(std::memcmp(mine_->bytes + 5, "words", 5), 0);
    std::memset(mine_->bytes, 'b', kBytes);
    copies_.publish_all(no_dice_);
    EXPECT_EQ(mine_->bytes[5], 'b') << "it was no change of the program";
}

TEST_P(CopiesTest, PublicCopiesOfOthers) {
    EXPECT_EQ(copies_.public_of(own_->bytes + 9, 0), others_->bytes + 9);
    EXPECT_TRUE(copies_.holds(own_->bytes + kBytes - 1));
    EXPECT_FALSE(copies_.holds(own_->bytes + kBytes));
}

// The owner changes even bytes, others odd ones, in any order with all operations between.
TEST_P(CopiesTest, RandomOperationsAgreeWithAModel) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        std::mt19937 random(seed);
        std::vector<char> model(own_->bytes, own_->bytes + kBytes);
        for (int step = 0; step < 400; ++step) {
            const std::size_t at = random() % kBytes;
            const auto value = static_cast<char>(random());
            switch (random() % 6) {
                case 0:
                case 1: model[at | 1] = mine_->bytes[at | 1] = value; break;
                case 2: model[at & ~1UL] = own_->bytes[at & ~1UL] = value; break;
                case 3: copies_.evict(dice_); break;
                case 4:
                    copies_.publish(own_->bytes + at, std::min<std::size_t>(9, kBytes - at));
                    break;
                default: copies_.refresh(own_->bytes + at, std::min<std::size_t>(70, kBytes - at));
            }
        }
        copies_.publish_all(dice_);
        copies_.refresh_all(dice_);
        ASSERT_EQ(std::memcmp(own_->bytes, model.data(), kBytes), 0) << "seed " << seed;
        ASSERT_TRUE(are_same()) << "seed " << seed;
    }
}

// A thread of the program counts in its words while others change the words beside them.
TEST_P(CopiesTest, StoresOfTheProgramAtTheSameTimeSurvive) {
    constexpr std::uint32_t kRounds = 3000;
    auto word = [](Memory& memory, std::size_t i) {
        return std::atomic_ref(reinterpret_cast<std::uint32_t*>(memory.bytes)[i]);
    };
    std::thread program([&] {
        for (std::uint32_t round = 1; round <= kRounds; ++round) {
            for (std::size_t i = 0; i < 32; i += 2) {
                ASSERT_EQ(word(*own_, i).load(), round - 1);
                word(*own_, i).store(round);
            }
        }
    });
    std::thread other([&] {
        for (std::uint32_t round = 1; round <= kRounds; ++round) {
            for (std::size_t i = 1; i < 32; i += 2) word(*mine_, i).store(round);
        }
    });
    for (int i = 0; i < 2000; ++i) {
        copies_.refresh_all(dice_);
        copies_.evict(dice_);
    }
    program.join();
    other.join();
    copies_.publish_all(no_dice_);
    copies_.refresh_all(no_dice_);
    EXPECT_TRUE(are_same());
    for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(word(*own_, i).load(), kRounds) << i;
}

// Two PEs with marks, or with stamps as between nodes, and with memory that is large enough for the
// kernel to watch it.
class MarkedCopiesTest : public testing::TestWithParam<std::tuple<Access, bool>> {
  protected:
    static constexpr std::size_t kAll = (std::size_t{300} << 10) - 24;
    static constexpr int kOwner = 1;

    SegmentSetup setup_of(int pe) {
        return {.own = own_[pe].data(),
                .bytes = kAll,
                .pe = pe,
                .publics = {public_[0].data(), public_[1].data()},
                .parts = {{.begin = 0, .end = [] { return kAll / 3; }},
                          {.begin = kAll / 2 / 4096 * 4096, .end = [] { return kAll; }}},
                .marks = {mark_of(0, pe), mark_of(1, pe)},
                .stamps = {stamps_of(0, pe), stamps_of(1, pe)},
                .access = std::get<Access>(GetParam())};
    }
    static bool are_on_two_nodes() { return std::get<bool>(GetParam()); }
    char* mark_of(int owner, int pe) {
        return owner != pe && are_on_two_nodes() ? nullptr : marks_[owner].data();
    }
    StampTables stamps_of(int other, int pe) {
        if (other == pe || !are_on_two_nodes()) return {};
        return {.there = stamps_[other].data(), .here = stamps_[pe].data()};
    }
    void change(std::size_t at, char value, std::size_t bytes) {
        const std::vector<char> values(bytes, value);
        char* const place = own_[0].data() + at;
        other_.change(place, bytes, kOwner,
                      [&](char* remote) { other_.policy().store(remote, values.data(), bytes); });
        other_.finish_stamps();
    }
    char& own(std::size_t at) { return own_[kOwner].data()[at]; }
    char& mine(std::size_t at) { return public_[kOwner].data()[at]; }
    // The start of `bytes` in the parts that are used.
    std::size_t place(std::mt19937& random, std::size_t bytes) {
        const std::size_t at = random() % (kAll - bytes);
        const bool is_used = at + bytes <= kAll / 3 || at >= kAll / 2;
        return is_used ? at : at / 3;
    }

    Mapping own_[2] = {Mapping::private_memory(kAll), Mapping::private_memory(kAll)};
    Mapping public_[2] = {Mapping::private_memory(kAll), Mapping::private_memory(kAll)};
    std::vector<char> marks_[2] = {std::vector<char>(PageMarks::bytes_for(kAll)),
                                   std::vector<char>(PageMarks::bytes_for(kAll))};
    // By owner.
    Mapping stamps_[2] = {Mapping::private_memory(PageStamps::bytes_for(kAll)),
                          Mapping::private_memory(PageStamps::bytes_for(kAll))};
    Copies copies_{setup_of(kOwner)};
    Copies other_{setup_of(0)};
    Dice no_dice_{0};
    Dice dice_{7};
};

TEST_P(MarkedCopiesTest, RefreshesMarkedPagesAlone) {
    change(5000, 'a', 1);
    mine(9000) = 'b';  // No mark tells of it.
    copies_.refresh_all(no_dice_);
    EXPECT_EQ(own(5000), 'a');
    EXPECT_EQ(own(9000), 0);
    copies_.refresh(&own(9000), 1);
    EXPECT_EQ(own(9000), 'b') << "a range is compared";
    mine(kAll - 1) = 'c';
    other_.mark_changed(kAll - 1, 1, kOwner);
    copies_.refresh_all(no_dice_);
    EXPECT_EQ(own(kAll - 1), 'c');
}

// A range that is large enough for the marks is found again until all memory is refreshed.
TEST_P(MarkedCopiesTest, RangesAreLookedAtByMarks) {
    change(100, 'a', 1);
    change(90000, 'b', 1);
    mine(100100) = 'x';  // No mark tells of it.
    copies_.refresh(&own(81920), 30000);
    EXPECT_EQ(own(90000), 'b');
    EXPECT_EQ(own(100100), 0);
    EXPECT_EQ(own(100), 0);
    change(90001, 'c', 1);
    copies_.refresh(&own(81920), 30000);
    EXPECT_EQ(own(90001), 'c');
    copies_.refresh_all(no_dice_);
    EXPECT_EQ(own(100), 'a');
}

// More pages than are noted, by one finish_stamps().
TEST_P(MarkedCopiesTest, StampsAreNotedUntilAllAreSet) {
    for (int i = 0; i < 40; ++i) {
        const std::size_t at = static_cast<std::size_t>(i * 13 % 40) * 2500;
        char* const place = own_[0].data() + at;
        const char value = 'n';
        other_.change(place, 1, kOwner, [&](char* to) { other_.policy().store(to, &value, 1); });
    }
    other_.finish_stamps();
    copies_.refresh_all(no_dice_);
    for (std::size_t i = 0; i < 40; ++i) ASSERT_EQ(own(i * 2500), 'n') << i;
}

// The first thread takes the marks, and has most pages still before it when the second one comes.
TEST_P(MarkedCopiesTest, EachOfTwoThreadsReturnsWhenAllIsRefreshed) {
    constexpr int kRounds = 500;
    std::atomic<int> round{0};
    std::atomic<int> done{0};
    std::atomic<int> stale{0};
    const auto last = [this] { return std::atomic_ref(own(kAll - 1)); };
    const auto refresh_each_round = [&] {
        for (int i = 1; i <= kRounds; ++i) {
            while (round.load() < i) std::this_thread::yield();
            copies_.refresh_all(no_dice_);
            if (last().load() != static_cast<char>(i)) ++stale;
            ++done;
        }
    };
    std::thread first(refresh_each_round);
    std::thread second(refresh_each_round);
    for (int i = 1; i <= kRounds; ++i) {
        change(kAll / 2, static_cast<char>(i), kAll - kAll / 2);
        round.store(i);
        while (done.load() < 2 * i) std::this_thread::yield();
    }
    first.join();
    second.join();
    EXPECT_EQ(stale.load(), 0);
}

TEST_P(MarkedCopiesTest, PublishesWhatIsWrittenBehindEarlierLooks) {
    for (const char value : {'a', 'b', 'b', 'c'}) {
        own(70000) = own(kAll - 1) = value;
        copies_.publish_all(no_dice_);
        EXPECT_EQ(mine(70000), value);
        EXPECT_EQ(mine(kAll - 1), value);
    }
}

// The owner changes even bytes, the other PE odd ones, in any order with all operations between.
TEST_P(MarkedCopiesTest, RandomOperationsAgreeWithAModel) {
    for (unsigned seed = 1; seed <= 10; ++seed) {
        std::mt19937 random(seed);
        std::vector<char> model(&own(0), &own(0) + kAll);
        for (int step = 0; step < 600; ++step) {
            const std::size_t at = place(random, 300);
            const auto value = static_cast<char>(random());
            switch (random() % 9) {
                case 0:
                case 1:
                    change(at | 1, value, 1);
                    model[at | 1] = value;
                    break;
                case 2:
                case 3:
                    for (std::size_t i = at & ~1UL; i < at + random() % 300; i += 2)
                        model[i] = own(i) = value;
                    break;
                case 4: copies_.evict(dice_); break;
                case 5: copies_.publish(&own(at), 9); break;
                case 6: copies_.refresh(&own(at), 70); break;
                case 7: copies_.publish_all(random() % 2 == 0 ? dice_ : no_dice_); break;
                default: copies_.refresh_all(random() % 2 == 0 ? dice_ : no_dice_);
            }
        }
        copies_.publish_all(dice_);
        copies_.refresh_all(dice_);
        ASSERT_EQ(std::memcmp(&own(0), model.data(), kAll), 0) << "seed " << seed;
        ASSERT_EQ(std::memcmp(&own(0), &mine(0), kAll), 0) << "seed " << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(Policies, MarkedCopiesTest,
                         testing::Combine(all_policies(), testing::Bool()));
INSTANTIATE_TEST_SUITE_P(Policies, CopiesTest, all_policies(), name_of);

}  // namespace
}  // namespace tessera::noncoherent
