// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a changed page of a public copy is not found, is found twice, or when marks that are
// set while the owner looks are lost.
#include "transports/noncoherent/page_marks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace tessera::noncoherent {
namespace {

constexpr std::size_t kPages = 3 * kPagesInGroup + 5;
constexpr std::size_t kBytes = kPages * kPageBytes - 100;

using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;  // in pages

class PageMarksTest : public testing::Test {
  protected:
    Ranges take(std::size_t begin, std::size_t end) {
        Ranges found;
        marks_.take(begin, end, [&](std::size_t from, std::size_t to) {
            found.emplace_back(from / kPageBytes, to / kPageBytes);
        });
        return found;
    }

    std::vector<char> memory_ = std::vector<char>(PageMarks::bytes_for(kBytes));
    PageMarks marks_{memory_.data(), kBytes};
};

TEST_F(PageMarksTest, FindsWhatWasSetOnce) {
    EXPECT_FALSE(marks_.take_any());
    marks_.set(0, 1);
    marks_.set(5 * kPageBytes - 1, 2);
    marks_.set(63 * kPageBytes, 3 * kPageBytes);
    marks_.set(kBytes - 1, 1);
    EXPECT_TRUE(marks_.take_any());
    EXPECT_FALSE(marks_.take_any());
    // A run ends with its group of pages.
    EXPECT_EQ(take(0, kBytes), (Ranges{{0, 1}, {4, 6}, {63, 64}, {64, 66}, {kPages - 1, kPages}}));
    EXPECT_EQ(take(0, kBytes), Ranges{});
}

TEST_F(PageMarksTest, PartsOfAGroupAreTakenApart) {
    for (const std::size_t page : {3UL, 10UL, 20UL}) marks_.set(page * kPageBytes, 8);
    EXPECT_TRUE(marks_.take_any());
    EXPECT_EQ(take(5 * kPageBytes, 15 * kPageBytes), (Ranges{{10, 11}}));
    EXPECT_EQ(take(0, 5 * kPageBytes), (Ranges{{3, 4}}));
    EXPECT_EQ(take(15 * kPageBytes, kBytes), (Ranges{{20, 21}}));
}

TEST_F(PageMarksTest, RandomRangesAgreeWithAModel) {
    for (unsigned seed = 1; seed <= 30; ++seed) {
        std::mt19937 random(seed);
        std::vector<bool> model(kPages);
        for (int i = 0; i < 40; ++i) {
            const std::size_t at = random() % kBytes;
            const std::size_t bytes = 1 + random() % (kBytes - at) / (1 + random() % 200);
            marks_.set(at, bytes);
            for (std::size_t p = at / kPageBytes; p <= (at + bytes - 1) / kPageBytes; ++p)
                model[p] = true;
        }
        ASSERT_TRUE(marks_.take_any());
        std::vector<bool> found(kPages);
        const std::size_t middle = random() % kPages * kPageBytes;
        for (const auto& [begin, end] : {std::pair{middle, kBytes}, std::pair{0UL, middle}}) {
            for (const auto& [from, to] : take(begin, end)) {
                for (std::size_t p = from; p < to; ++p) {
                    ASSERT_FALSE(found[p]) << "seed " << seed << " page " << p;
                    found[p] = true;
                }
            }
        }
        ASSERT_EQ(found, model) << "seed " << seed;
    }
}

// Writers store a number to a page and mark it; at its end the owner has seen the last number of
// each page.
TEST_F(PageMarksTest, NoChangeIsLostWhileTheOwnerLooks) {
    constexpr std::uint32_t kRounds = 20000;
    constexpr std::size_t kWriters = 2;
    std::vector<std::atomic<std::uint32_t>> data(kPages);
    std::vector<std::uint32_t> seen(kPages);
    std::atomic<std::size_t> running{kWriters};
    std::vector<std::thread> writers;
    for (std::size_t writer = 0; writer < kWriters; ++writer) {
        writers.emplace_back([&, writer] {
            std::mt19937 random(static_cast<unsigned>(writer));
            for (std::uint32_t round = 1; round <= kRounds; ++round) {
                const std::size_t page = (random() % (kPages / 2)) * 2 + writer;
                data[page].store(round, std::memory_order_relaxed);
                std::atomic_thread_fence(std::memory_order_seq_cst);
                marks_.set(page * kPageBytes, 1);
            }
            --running;
        });
    }
    auto look = [&] {
        if (!marks_.take_any()) return;
        marks_.take(0, kBytes, [&](std::size_t from, std::size_t to) {
            for (std::size_t p = from / kPageBytes; p < to / kPageBytes; ++p)
                seen[p] = data[p].load(std::memory_order_relaxed);
        });
    };
    while (running > 0) look();
    look();
    for (std::thread& writer : writers) writer.join();
    for (std::size_t p = 0; p < kPages; ++p) ASSERT_EQ(seen[p], data[p]) << "page " << p;
}

}  // namespace
}  // namespace tessera::noncoherent
