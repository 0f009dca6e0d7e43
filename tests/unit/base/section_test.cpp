// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when the normal form of a strided transfer moves other bytes than the program described,
// keeps dimensions that could be one, or puts a far dimension inside a near one.
#include "base/section.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace tessera {
namespace {

using Strides = std::vector<std::ptrdiff_t>;

Section made(const std::vector<std::size_t>& extents, const Strides& remote, const Strides& local,
             std::size_t element_bytes) {
    return make_section({.extents = extents.data(),
                         .remote_strides = remote.data(),
                         .local_strides = local.data(),
                         .ndims = static_cast<int>(extents.size()),
                         .element_bytes = element_bytes});
}

TEST(Section, OneElementIsOneRun) {
    const Section section = made({}, {}, {}, 24);
    EXPECT_EQ(section.ndims, 0);
    EXPECT_EQ(section.run_bytes, 24U);
    EXPECT_EQ(section.remote_span(), 24U);
}

TEST(Section, ContiguousDimensionsBecomeOneRun) {
    // In any order, backwards on both sides, with dimensions of one element.
    const Section section = made({5, 1, 7, 3}, {-168, 99, 8, 56}, {-168, -3, 8, 56}, 8);
    EXPECT_EQ(section.ndims, 0);
    EXPECT_EQ(section.run_bytes, 5U * 7 * 3 * 8);
    EXPECT_EQ(section.remote_start, -4 * 168);
    EXPECT_EQ(section.local_start, -4 * 168);
}

TEST(Section, DimensionsThatContinueEachOtherAreMerged) {
    // Every second element of whole rows: the rows follow each other.
    const Section section = made({64, 32}, {1024, 32}, {512, 16}, 8);
    EXPECT_EQ(section.ndims, 1);
    EXPECT_EQ(section.extents[0], 64U * 32);
    EXPECT_EQ(section.remote[0], 32);
    EXPECT_EQ(section.local[0], 16);
    EXPECT_EQ(section.run_bytes, 8U);
}

TEST(Section, OnlyOneSideContinues) {
    const Section section = made({4, 6}, {8, 32}, {8, 40}, 8);
    EXPECT_EQ(section.ndims, 1);
    EXPECT_EQ(section.run_bytes, 32U);
    EXPECT_EQ(section.extents[0], 6U);
}

TEST(Section, NearDimensionsAreInside) {
    // A transpose in a block of four dimensions.
    const Section section =
        made({10, 20, 30, 40}, {100000, 16, 400, 13000}, {64, 5000, 200000, 1024}, 8);
    ASSERT_EQ(section.ndims, 4);
    EXPECT_EQ(section.extents[0], 20U) << "nearest on the remote side";
    EXPECT_EQ(section.extents[1], 10U) << "nearest on the local side";
    EXPECT_EQ(section.extents[2], 30U);
    EXPECT_EQ(section.extents[3], 40U);
}

TEST(Section, RemoteStridesAreNotNegative) {
    const Section section = made({3, 4}, {-8, 0}, {16, -100}, 8);
    ASSERT_EQ(section.ndims, 2);
    EXPECT_EQ(section.remote[0], 0);
    EXPECT_EQ(section.local[0], 100);
    EXPECT_EQ(section.remote[1], 8);
    EXPECT_EQ(section.local[1], -16);
    EXPECT_EQ(section.remote_start, -16);
    EXPECT_EQ(section.local_start, 32 - 300);
    EXPECT_EQ(section.remote_span(), 24U);
}

TEST(Section, SpansThatNoMemoryHas) {
    const std::vector<std::size_t> two{2, 2};
    auto span = [&](const Strides& strides, std::size_t element_bytes) {
        return span_of({two.data(), strides.data(), strides.data(), 2, element_bytes},
                       strides.data());
    };
    EXPECT_EQ(span({8, -16}, 8), 32U);
    EXPECT_EQ(span({PTRDIFF_MAX, 1}, 1), SIZE_MAX);
    EXPECT_EQ(span({PTRDIFF_MAX - 1, 0}, 1), static_cast<std::size_t>(PTRDIFF_MAX));
    EXPECT_EQ(span({PTRDIFF_MIN, 0}, 1), SIZE_MAX);
    EXPECT_EQ(span({PTRDIFF_MAX, PTRDIFF_MAX}, 8), SIZE_MAX);
    const std::size_t many = SIZE_MAX;
    const std::ptrdiff_t stride = 8;
    EXPECT_EQ(span_of({&many, &stride, &stride, 1, 8}, &stride), SIZE_MAX);
}

// The offsets of each run in the order of the lines.
std::vector<std::ptrdiff_t> offsets(const Runs& runs, std::size_t first, std::size_t count) {
    std::vector<std::ptrdiff_t> all;
    for_each_line(runs, first, count, [&](std::ptrdiff_t offset, std::size_t here) {
        for (std::size_t i = 0; i < here; ++i)
            all.push_back(offset + static_cast<std::ptrdiff_t>(i) * runs.strides[0]);
    });
    return all;
}

TEST(Section, LinesOfAnyPartAreThePartOfAllLines) {
    const Section section = made({3, 4, 5}, {8, 50, 300}, {1000, 10, 70}, 4);
    ASSERT_EQ(section.ndims, 3);
    std::vector<std::ptrdiff_t> remote;
    std::vector<std::ptrdiff_t> local;
    for_each_index(section, 0, [&](std::ptrdiff_t there, std::ptrdiff_t here) {
        remote.push_back(there);
        local.push_back(here);
    });
    ASSERT_EQ(remote.size(), 60U);
    for (std::size_t first = 0; first <= 60; ++first) {
        for (std::size_t count = 0; count <= 60 - first; ++count) {
            auto part = [&](const std::vector<std::ptrdiff_t>& all) {
                const auto start = all.begin() + static_cast<std::ptrdiff_t>(first);
                return std::vector<std::ptrdiff_t>(start,
                                                   start + static_cast<std::ptrdiff_t>(count));
            };
            ASSERT_EQ(offsets(section.remote_runs(), first, count), part(remote));
            ASSERT_EQ(offsets(section.local_runs(), first, count), part(local));
        }
    }
}

}  // namespace
}  // namespace tessera
