// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a page that another node's PE has changed is not found, or is found again after a
// look, also when the numbers of changes wrap, or when a change is lost while the owner looks.
#include "transports/noncoherent/page_stamps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "policies.hpp"

namespace tessera::noncoherent {
namespace {

constexpr std::size_t kPages = 70 * kPagesInGroup + 5;
constexpr std::size_t kBytes = kPages * kPageBytes - 100;
// The last number before the low half wraps.
constexpr std::uint64_t kBeforeWrap = (std::uint64_t{5} << 32) - 20;

struct alignas(kCacheLineBytes) Line {
    char bytes[kCacheLineBytes] = {};
};

class PageStampsTest : public testing::TestWithParam<Access> {
  protected:
    void set(std::size_t offset, std::size_t bytes) {
        number_ = PageStamps::next(number_);
        stamps_.set(policy_, offset / kPageBytes, (offset + bytes - 1) / kPageBytes, number_);
        policy_.finish();
        stamps_.set_last(policy_, number_);
        policy_.finish();
    }
    // The pages that begin in [begin, end) and were changed since the last look.
    std::vector<bool> look(std::size_t begin = 0, std::size_t end = kBytes) {
        std::vector<bool> found(kPages);
        stamps_.changed(policy_, begin, end, seen_, [&](std::size_t from, std::size_t to) {
            for (std::size_t page = from / kPageBytes; page < to / kPageBytes; ++page)
                found[page] = true;
        });
        return found;
    }

    const Policy policy_{GetParam()};
    std::vector<Line> memory_ = std::vector<Line>(PageStamps::bytes_for(kBytes) / sizeof(Line));
    PageStamps stamps_{memory_.data()->bytes, kBytes};
    std::uint64_t number_ = 0;
    std::uint64_t seen_ = 0;
};

TEST_P(PageStampsTest, TheLowHalfOfANumberIsNeverZero) {
    EXPECT_EQ(PageStamps::next(0), 1U);
    EXPECT_EQ(PageStamps::next((std::uint64_t{1} << 32) - 1), (std::uint64_t{1} << 32) + 1);
}

TEST_P(PageStampsTest, RandomLooksAgreeWithAModel) {
    for (const std::uint64_t first : {std::uint64_t{0}, kBeforeWrap}) {
        std::mt19937 random(static_cast<unsigned>(first) + 1);
        number_ = seen_ = first;
        std::fill(memory_.begin(), memory_.end(), Line{});
        std::vector<bool> model(kPages);
        for (int step = 0; step < 200; ++step) {
            if (random() % 4 != 0) {
                const std::size_t at = random() % kBytes;
                const std::size_t bytes = 1 + random() % (kBytes - at) / (1 + random() % 500);
                set(at, bytes);
                for (std::size_t p = at / kPageBytes; p <= (at + bytes - 1) / kPageBytes; ++p)
                    model[p] = true;
                continue;
            }
            ASSERT_EQ(stamps_.last(policy_), number_);
            // A look at a part changes nothing.
            const std::size_t begin = random() % kPages;
            const std::size_t end = begin + 1 + random() % (kPages - begin);
            const std::vector<bool> part = look(begin * kPageBytes, end * kPageBytes);
            for (std::size_t p = 0; p < kPages; ++p)
                ASSERT_EQ(part[p], p >= begin && p < end && model[p]) << "page " << p;
            ASSERT_EQ(look(), model) << "step " << step << " from number " << first;
            seen_ = stamps_.last(policy_);
            model.assign(kPages, false);
        }
    }
}

// A PE stores a number to a page and stamps it; at its end the owner has seen the last number of
// each page.
TEST_P(PageStampsTest, NoChangeIsLostWhileTheOwnerLooks) {
    constexpr std::uint32_t kRounds = 20000;
    std::vector<std::uint32_t> data(kPages);
    std::vector<std::uint32_t> seen_data(kPages);
    std::atomic<bool> is_running{true};
    auto page_of = [&](std::size_t page) { return reinterpret_cast<char*>(&data[page]); };
    std::thread writer([&] {
        std::mt19937 random(1);
        for (std::uint32_t round = 1; round <= kRounds; ++round) {
            const std::size_t page = random() % kPages;
            policy_.store(page_of(page), &round, sizeof round);
            policy_.finish();
            set(page * kPageBytes, 1);
        }
        is_running = false;
    });
    auto look_at_data = [&] {
        const std::uint64_t last = stamps_.last(policy_);
        stamps_.changed(policy_, 0, kBytes, seen_, [&](std::size_t from, std::size_t to) {
            for (std::size_t p = from / kPageBytes; p < to / kPageBytes; ++p) {
                policy_.before_load(page_of(p), sizeof(std::uint32_t));
                seen_data[p] = std::atomic_ref(data[p]).load(std::memory_order_relaxed);
            }
        });
        seen_ = last;
    };
    while (is_running) look_at_data();
    look_at_data();
    writer.join();
    ASSERT_EQ(seen_data, data);
}

INSTANTIATE_TEST_SUITE_P(Policies, PageStampsTest, all_policies(), name_of);

}  // namespace
}  // namespace tessera::noncoherent
