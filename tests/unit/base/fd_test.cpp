// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a descriptor or mapping is closed too early, twice or never, or when a mapping shows
// another part of its file.
#include "base/fd.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <utility>

namespace tessera {
namespace {

bool is_open(int number) { return ::fcntl(number, F_GETFD) >= 0; }

int open_file() { return ::memfd_create("fd_test", 0); }

TEST(Fd, ClosesAtTheEndOfItsScope) {
    int number = -1;
    {
        Fd file(open_file());
        ASSERT_TRUE(static_cast<bool>(file));
        number = file.get();
        EXPECT_TRUE(is_open(number));
    }
    EXPECT_FALSE(is_open(number));
    EXPECT_FALSE(static_cast<bool>(Fd()));
    EXPECT_FALSE(static_cast<bool>(Fd(-1)));
}

TEST(Fd, MovesWithoutClosing) {
    Fd first(open_file());
    int number = first.get();
    Fd second(std::move(first));
    EXPECT_EQ(second.get(), number);
    EXPECT_FALSE(static_cast<bool>(first));
    EXPECT_TRUE(is_open(number));
    Fd third(open_file());
    third = std::move(second);
    EXPECT_EQ(third.get(), number);
    EXPECT_TRUE(is_open(number));
}

TEST(Fd, ReleaseAndReset) {
    Fd file(open_file());
    int number = file.get();
    EXPECT_EQ(file.release(), number);
    EXPECT_FALSE(static_cast<bool>(file));
    EXPECT_TRUE(is_open(number));
    Fd again(number);
    again.reset();
    EXPECT_FALSE(is_open(number));
    again.reset();
    EXPECT_FALSE(static_cast<bool>(again));
}

constexpr std::size_t kPage = 4096;

class MappingTest : public testing::Test {
  protected:
    MappingTest() : file_(open_file()) {
        EXPECT_EQ(::ftruncate(file_.get(), 64 * kPage), 0);
        for (std::size_t page = 0; page < 64; ++page) {
            auto mark = static_cast<char>(page + 1);
            EXPECT_EQ(::pwrite(file_.get(), &mark, 1, static_cast<off_t>(page * kPage)), 1);
        }
    }
    Fd file_;
};

TEST_F(MappingTest, ShowsThePartThatWasAskedFor) {
    Mapping some = Mapping::share(file_.get(), 3 * kPage, 2 * kPage);
    ASSERT_TRUE(some.is_mapped());
    EXPECT_EQ(some.bytes(), 2 * kPage);
    EXPECT_EQ(some.data()[0], 4);
    EXPECT_EQ(some.data()[kPage], 5);
    some.data()[kPage + 7] = 99;
    Mapping all = Mapping::share(file_.get(), 0, 64 * kPage);
    EXPECT_EQ(all.data()[4 * kPage + 7], 99) << "not shared";
}

TEST_F(MappingTest, IsAlignedAndLeavesNothingAround) {
    for (std::size_t alignment : {kPage, 16 * kPage, std::size_t{2} << 20}) {
        Mapping mapping = Mapping::share(file_.get(), kPage, 5 * kPage, {.aligned_to = alignment});
        ASSERT_TRUE(mapping.is_mapped());
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(mapping.data()) % alignment, 0U);
        EXPECT_EQ(mapping.data()[4 * kPage], 6);
    }
}

TEST_F(MappingTest, IsAlignedAtAnyOffset) {
    constexpr std::size_t kAlignment = std::size_t{64} << 20;
    for (std::size_t at : {kPage, 3 * kPage, 100 * kPage}) {
        const MappingAddress place{.aligned_to = kAlignment, .aligned_at = at};
        Mapping mapping = Mapping::share(file_.get(), 0, 5 * kPage, place);
        ASSERT_TRUE(mapping.is_mapped());
        EXPECT_EQ((reinterpret_cast<std::uintptr_t>(mapping.data()) + at) % kAlignment, 0U);
        EXPECT_EQ(mapping.data()[4 * kPage], 5);
        // Not for another offset.
        const MappingAddress other{
            .aligned_to = kAlignment, .aligned_at = at + kPage, .wanted = mapping.data()};
        mapping.reset();
        Mapping moved = Mapping::share(file_.get(), 0, 5 * kPage, other);
        EXPECT_EQ((reinterpret_cast<std::uintptr_t>(moved.data()) + at + kPage) % kAlignment, 0U);
    }
}

TEST_F(MappingTest, TakesThePlaceThatIsWantedIfItIsFree) {
    const std::size_t alignment = 16 * kPage;
    char* place = nullptr;
    {
        Mapping first = Mapping::share(file_.get(), 0, 8 * kPage, {.aligned_to = alignment});
        place = first.data();
        const MappingAddress wanted{.aligned_to = alignment, .wanted = place};
        Mapping other = Mapping::share(file_.get(), 4 * kPage, 2 * kPage, wanted);
        ASSERT_TRUE(other.is_mapped());
        EXPECT_NE(other.data(), place);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(other.data()) % alignment, 0U);
        EXPECT_EQ(place[0], 1) << "nothing there was replaced";
    }
    const MappingAddress wanted{.aligned_to = alignment, .wanted = place};
    Mapping again = Mapping::share(file_.get(), 4 * kPage, 2 * kPage, wanted);
    EXPECT_EQ(again.data(), place);
    EXPECT_EQ(place[0], 5);
}

TEST_F(MappingTest, EndsWithItsScope) {
    char* address = nullptr;
    {
        Mapping mapping = Mapping::share(file_.get(), 0, kPage);
        address = mapping.data();
        Mapping moved(std::move(mapping));
        EXPECT_FALSE(mapping.is_mapped());
        Mapping assigned;
        assigned = std::move(moved);
        EXPECT_EQ(assigned.data(), address);
        EXPECT_EQ(address[0], 1);
    }
    EXPECT_EQ(::msync(address, kPage, MS_ASYNC), -1);
    EXPECT_EQ(errno, ENOMEM) << "still mapped";
}

TEST_F(MappingTest, FailuresAreSeen) {
    EXPECT_FALSE(Mapping::share(-1, 0, kPage).is_mapped());
    EXPECT_FALSE(Mapping::share(file_.get(), 0, ~std::size_t{0} / 2).is_mapped());
    EXPECT_FALSE(Mapping::share(file_.get(), 1, kPage).is_mapped()) << "not on a page";
}

}  // namespace
}  // namespace tessera
