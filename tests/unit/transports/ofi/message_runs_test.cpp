// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when the description of strided memory in a message is read other than it was written, or
// when a message that makes no sense, or reaches outside of the segments, is taken for a good one.
#include "transports/ofi/message_runs.hpp"

#include <gtest/gtest.h>

namespace tessera::ofi {
namespace {

constexpr std::size_t kExtents[] = {3, 4};
constexpr std::ptrdiff_t kStrides[] = {10, 100};
constexpr std::size_t kSpan = 2 * 10 + 3 * 100 + 8;

class MessageRuns : public testing::Test {
  protected:
    MessageRuns() { write({8, 2, kExtents, kStrides}, 5, 6); }

    // Replaces the message.
    void write(const Runs& runs, std::size_t first, std::size_t count) {
        packet_.size = sizeof(Header);
        append_runs(packet_, {Segment::kHeap, 16}, runs, first, count);
        packet_.size += 48;  // data
    }
    RunsBody& body() { return *reinterpret_cast<RunsBody*>(packet_.bytes + sizeof(Header)); }
    std::uint64_t& extent(int i) { return reinterpret_cast<std::uint64_t*>(&body() + 1)[i]; }
    std::int64_t& stride(int i) {
        return reinterpret_cast<std::int64_t*>(&body() + 1)[body().ndims + i];
    }
    std::optional<NamedRuns> read() { return read(packet_.size); }
    std::optional<NamedRuns> read(std::size_t bytes) {
        return named_runs(packet_.header(), bytes, segments_);
    }

    char heap_[16 + kSpan] = {};
    char internal_[64] = {};
    FabricSegments segments_{.heap = {heap_, sizeof heap_},
                             .internal = {internal_, sizeof internal_}};
    Packet packet_;
};

TEST_F(MessageRuns, AreReadAsTheyWereWritten) {
    const auto named = read();
    ASSERT_TRUE(named);
    EXPECT_EQ(named->base, heap_ + 16);
    EXPECT_EQ(named->first, 5U);
    EXPECT_EQ(named->count, 6U);
    EXPECT_EQ(named->data_bytes, 48U);
    EXPECT_EQ(named->bytes(), 48U);
    EXPECT_EQ(named->runs.run_bytes, 8U);
    ASSERT_EQ(named->runs.ndims, 2);
    EXPECT_EQ(named->runs.extents[1], 4U);
    EXPECT_EQ(named->runs.strides[1], 100);
    EXPECT_EQ(named->data, reinterpret_cast<char*>(packet_.bytes) + packet_.size - 48);
}

TEST_F(MessageRuns, ShortMessagesAreNoMessages) {
    const std::size_t described = packet_.size - 48;
    for (std::size_t bytes = 0; bytes < described; ++bytes) EXPECT_FALSE(read(bytes)) << bytes;
    EXPECT_TRUE(read(described));
}

TEST_F(MessageRuns, MemoryOutsideOfTheSegmentsIsRefused) {
    body().word += 1 << 10;  // the offset
    EXPECT_FALSE(read());
    body().word -= 1 << 10;
    EXPECT_TRUE(read());
    ++stride(1);
    EXPECT_FALSE(read());
    stride(1) = -100;
    EXPECT_FALSE(read());
}

TEST_F(MessageRuns, SpansThatOverflowAreRefused) {
    stride(1) = INT64_MAX;
    EXPECT_FALSE(read());
    stride(1) = 0;
    EXPECT_TRUE(read());
    extent(1) = UINT64_MAX;  // with a stride of 0 they are all in one place
    EXPECT_TRUE(read());
    stride(0) = 0;
    extent(0) = UINT64_MAX;
    EXPECT_TRUE(read());
    stride(0) = 2;
    EXPECT_FALSE(read());
}

TEST_F(MessageRuns, NothingIsRefused) {
    extent(0) = 0;
    EXPECT_FALSE(read());
    extent(0) = 3;
    body().run_bytes = 0;
    EXPECT_FALSE(read());
    body().run_bytes = 8;
    body().count = 0;
    EXPECT_FALSE(read());
}

TEST_F(MessageRuns, RunsBehindTheLastAreRefused) {
    body().first = 6;
    EXPECT_TRUE(read());
    body().first = 7;
    EXPECT_FALSE(read());
    body().first = 12;
    EXPECT_FALSE(read());
    body().first = UINT64_MAX;
    EXPECT_FALSE(read());
}

TEST_F(MessageRuns, TooManyDimensionsAreRefused) {
    std::size_t extents[kDimensionsMax];
    std::ptrdiff_t strides[kDimensionsMax];
    std::fill_n(extents, kDimensionsMax, 1);
    std::fill_n(strides, kDimensionsMax, 0);
    write({8, kDimensionsMax, extents, strides}, 0, 1);
    EXPECT_TRUE(read());
    body().ndims = kDimensionsMax + 1;
    EXPECT_FALSE(read());
    body().ndims = UINT16_MAX;
    EXPECT_FALSE(read());
}

}  // namespace
}  // namespace tessera::ofi
