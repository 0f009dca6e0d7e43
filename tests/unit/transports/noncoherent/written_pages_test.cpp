// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when stores of the program, or of system calls for it, are not found, so that publishing
// misses them; or when pages without new stores are reported for ever.
#include "transports/noncoherent/written_pages.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "base/fd.hpp"

namespace tessera::noncoherent {
namespace {

constexpr std::size_t kPages = 500;

// The linker places the first one in the program's file, and the second one behind it.
alignas(4096) char initialized[8 * 4096] = {1};
alignas(4096) char uninitialized[64 * 4096];

class WrittenPagesTest : public testing::Test {
  protected:
    void SetUp() override {
        if (!pages_.is_watching()) {
            GTEST_SKIP() << "this kernel does not tell which pages were written (Linux 6.7), or "
                            "forbids userfaultfd";
        }
        (void)written();
    }
    char* page(std::size_t index) const { return memory_.data() + index * page_bytes(); }
    std::vector<std::size_t> written(std::size_t begin = 0, std::size_t end = kPages) {
        std::vector<std::size_t> found;
        pages_.take(page(begin), page(end), [&](char* from, char* to) {
            for (; from < to; from += page_bytes())
                found.push_back(static_cast<std::size_t>(from - memory_.data()) / page_bytes());
        });
        return found;
    }
    using Found = std::vector<std::size_t>;

    Mapping memory_ = Mapping::private_memory(kPages * page_bytes(), {});
    WrittenPages pages_{memory_.data(), memory_.bytes()};
};

TEST_F(WrittenPagesTest, FindsStoresOnce) {
    *page(3) = 1;
    *page(4) = 1;
    *page(400) = 1;
    EXPECT_EQ(written(), (Found{3, 4, 400}));
    EXPECT_EQ(written(), Found{});
    *page(4) = 2;
    EXPECT_EQ(written(4, 5), Found{4});
    EXPECT_EQ(written(), Found{});
}

TEST_F(WrittenPagesTest, FindsMoreRunsThanOneLookReturns) {
    Found odd;
    for (std::size_t i = 1; i < kPages; i += 2) {
        *page(i) = 1;
        odd.push_back(i);
    }
    EXPECT_EQ(written(), odd);
    EXPECT_EQ(written(), Found{});
}

TEST_F(WrittenPagesTest, FindsStoresOfSystemCalls) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ASSERT_EQ(::write(ends[1], "ab", 2), 2);
    ASSERT_EQ(::read(ends[0], page(8) - 1, 2), 2);
    ::close(ends[0]);
    ::close(ends[1]);
    EXPECT_EQ(written(), (Found{7, 8}));
}

TEST_F(WrittenPagesTest, LoadsAreNoStores) {
    *page(5) = 1;
    (void)written();
    volatile char sum = 0;
    for (std::size_t i = 0; i < kPages; ++i) sum = static_cast<char>(sum + *page(i));
    (void)written();  // The kernel counts pages of zeros that a load has mapped.
    for (std::size_t i = 0; i < kPages; ++i) sum = static_cast<char>(sum + *page(i));
    EXPECT_EQ(written(), Found{});
}

TEST_F(WrittenPagesTest, StoresBehindAForkAreFound) {
    *page(1) = 1;
    (void)written();
    const pid_t child = ::fork();
    if (child == 0) {
        *page(2) = 1;
        ::_exit(0);
    }
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_EQ(written(), Found{}) << "a child's stores are its own";
    *page(1) = 2;
    EXPECT_EQ(written(), Found{1});
}

// A thread counts in some pages meanwhile; the last look finds the last counts.
TEST_F(WrittenPagesTest, NoStoreIsLostWhileItLooks) {
    std::atomic<bool> is_done{false};
    std::thread program([&] {
        std::mt19937 random(1);
        for (int i = 0; i < 20000; ++i)
            std::atomic_ref(*page(random() % 20)).fetch_add(1, std::memory_order_relaxed);
        is_done = true;
    });
    std::vector<char> copy(20);
    auto look = [&] {
        for (const std::size_t i : written()) {
            if (i < 20) copy[i] = std::atomic_ref(*page(i)).load(std::memory_order_relaxed);
        }
    };
    while (!is_done) look();
    program.join();
    look();
    for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(copy[i], *page(i)) << i;
}

TEST_F(WrittenPagesTest, WatchesStaticData) {
    char* const start = &initialized[0];
    char* const end = &uninitialized[0] + sizeof uninitialized;
    ASSERT_LT(start, end);
    WrittenPages statics(start, static_cast<std::size_t>(end - start));
    ASSERT_TRUE(statics.is_watching());
    statics.take(start, end, [](char*, char*) {});
    std::vector<char*> expected = {start + 2 * page_bytes(), uninitialized + 10 * page_bytes()};
    for (char* byte : expected) *byte = 1;
    std::vector<char*> found;
    statics.take(start, end, [&](char* from, char*) { found.push_back(from); });
    EXPECT_EQ(found, expected);
}

TEST(WrittenPages, MemoryThatNoPageBeginsIsNotWatched) {
    const WrittenPages pages(uninitialized + 1, 2 * page_bytes());
    EXPECT_FALSE(pages.is_watching());
}

}  // namespace
}  // namespace tessera::noncoherent
