// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when parts of the shared files overlap, are not aligned, cost memory before they are used,
// or when the heap's default size or a complaint about it is wrong.
#include "heap/node_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

namespace tessera::heap {
namespace {

NodeLayout read_layout(const NodeFiles& files) {
    NodeLayout layout{};
    EXPECT_EQ(::pread(files.node.get(), &layout, sizeof layout, 0),
              static_cast<ssize_t>(sizeof layout));
    return layout;
}

std::uint64_t size_of(const Fd& file) {
    struct stat status {};
    EXPECT_EQ(::fstat(file.get(), &status), 0);
    return static_cast<std::uint64_t>(status.st_size);
}

class NodeFileTest : public testing::TestWithParam<int> {};

TEST_P(NodeFileTest, PartsLieOneBehindTheOther) {
    std::string error;
    NodeFiles files = create_node_files({.npes = GetParam(),
                                         .heap_bytes = 5'000'000,
                                         .local_memory_bytes = 1,
                                         .try_huge_pages = false,
                                         .facts_bytes = 12345,
                                         .usable_cores = 17},
                                        error);
    ASSERT_TRUE(static_cast<bool>(files.node)) << error;
    const NodeLayout layout = read_layout(files);
    const auto npes = static_cast<std::uint64_t>(GetParam());
    EXPECT_EQ(layout.magic, kNodeMagic);
    EXPECT_EQ(layout.npes, GetParam());
    EXPECT_EQ(layout.usable_cores, 17U);
    EXPECT_EQ(layout.page_kind, PageKind::kSmall);
    EXPECT_GE(layout.records_offset, sizeof(NodeHeader));
    EXPECT_GE(layout.facts_offset, layout.records_offset + npes * sizeof(PeRecord));
    EXPECT_EQ(layout.facts_bytes, 12345U);
    EXPECT_GE(layout.inline_limits_offset, layout.facts_offset + layout.facts_bytes);
    EXPECT_GE(layout.internal_offset,
              layout.inline_limits_offset + kInlineLimits * sizeof(InlineLimit));
    EXPECT_EQ(layout.static_offset, layout.internal_offset + npes * layout.internal_bytes);
    EXPECT_GE(size_of(files.node), layout.static_offset + npes * layout.static_slot_bytes);
    for (std::uint64_t aligned :
         {layout.range.heap_bytes, layout.heap_stride, layout.inline_limits_offset,
          layout.internal_offset, layout.internal_bytes, layout.static_offset,
          layout.static_slot_bytes}) {
        EXPECT_EQ(aligned % kHugePageBytes, 0U);
    }
    EXPECT_EQ(layout.records_offset % kFalseSharingBytes, 0U);
    EXPECT_EQ(layout.facts_offset % alignof(std::max_align_t), 0U);
    EXPECT_EQ(layout.range.heap_bytes, 3 * kHugePageBytes) << "5,000,000 bytes, rounded up";
    EXPECT_EQ(layout.range.team_begin(), 3 * kHugePageBytes);
    EXPECT_EQ(layout.range.local_begin(), 6 * kHugePageBytes) << "team memory: as the heap";
    EXPECT_EQ(layout.range.bytes(), 7 * kHugePageBytes) << "local memory: a byte, rounded up";
    EXPECT_EQ(layout.heap_stride, layout.range.bytes());
    EXPECT_EQ(size_of(files.heap), npes * layout.heap_stride);
}

TEST_P(NodeFileTest, AreEmptyUntilUsed) {
    std::string error;
    NodeFiles files = create_node_files(
        {.npes = GetParam(), .heap_bytes = std::size_t{1} << 33, .try_huge_pages = false}, error);
    ASSERT_TRUE(static_cast<bool>(files.heap)) << error;
    struct stat status {};
    ASSERT_EQ(::fstat(files.heap.get(), &status), 0);
    EXPECT_EQ(status.st_blocks, 0);
    ASSERT_EQ(::fstat(files.node.get(), &status), 0);
    EXPECT_LE(status.st_blocks * 512, 8192) << "the header";
    std::vector<char> page(4096, 'x');
    const NodeLayout layout = read_layout(files);
    ASSERT_EQ(::pread(files.node.get(), page.data(), page.size(),
                      static_cast<off_t>(layout.internal_offset)),
              4096);
    EXPECT_EQ(page, std::vector<char>(4096, '\0'));
}

INSTANTIATE_TEST_SUITE_P(Pes, NodeFileTest, testing::Values(1, 2, 7, 64));

TEST(NodeFile, HeapsOfAnySizeHaveSomeRoom) {
    std::string error;
    NodeFiles files = create_node_files({.npes = 1, .heap_bytes = 0}, error);
    ASSERT_TRUE(static_cast<bool>(files.heap)) << error;
    EXPECT_EQ(read_layout(files).range.heap_bytes, kHugePageBytes);
}

TEST(NodeFile, FailureIsExplained) {
    std::string error;
    NodeFiles files = create_node_files(
        {.npes = 4, .heap_bytes = std::size_t{1} << 61, .try_huge_pages = false}, error);
    EXPECT_FALSE(static_cast<bool>(files.heap));
    EXPECT_FALSE(static_cast<bool>(files.node));
    EXPECT_NE(error.find("cannot make a shared memory file of"), std::string::npos) << error;
}

TEST(NodeFile, DefaultHeapIsAShareOfHalfTheMemory) {
    constexpr std::uint64_t kGibi = std::uint64_t{1} << 30;
    EXPECT_EQ(default_heap_bytes(64 * kGibi, 4), 8 * kGibi);
    EXPECT_EQ(default_heap_bytes(64 * kGibi, 1), 32 * kGibi);
    EXPECT_EQ(default_heap_bytes(4096 * kGibi, 2), 64 * kGibi) << "the most";
    EXPECT_EQ(default_heap_bytes(kGibi, 100000), kHugePageBytes) << "the least";
    EXPECT_EQ(default_heap_bytes(0, 1), kHugePageBytes);
    EXPECT_EQ(default_heap_bytes(7 * kGibi, 3) % kHugePageBytes, 0U);
    EXPECT_LE(default_heap_bytes(7 * kGibi, 3) * 3, 7 * kGibi / 2);
}

TEST(NodeFile, ComplaintSaysWhatFits) {
    constexpr std::uint64_t kGibi = std::uint64_t{1} << 30;
    EXPECT_EQ(heap_size_complaint(kGibi, 4 * kGibi, 4), "");
    EXPECT_EQ(heap_size_complaint(kGibi, 0, 4), "") << "the memory is not known";
    NodePlan plan{.heap_bytes = kGibi, .local_memory_bytes = 2 * kGibi};
    EXPECT_NE(choose_sizes(plan, 4 * kGibi, 4).find("SHMEM_LOCAL_MEMORY_SIZE asks for 2048.0 MiB"),
              std::string::npos);
    plan = {.team_memory_bytes = 2 * kGibi};
    EXPECT_NE(choose_sizes(plan, 4 * kGibi, 4).find("SHMEM_TEAM_MEMORY_SIZE asks for 2048.0 MiB"),
              std::string::npos);
    plan = {};
    EXPECT_EQ(choose_sizes(plan, 4 * kGibi, 4), "");
    EXPECT_EQ(plan.heap_bytes, kGibi / 2) << "the default";
    std::string complaint = heap_size_complaint(2 * kGibi, 4 * kGibi, 4);
    EXPECT_NE(complaint.find("2048.0 MiB in each of 4 PEs"), std::string::npos) << complaint;
    EXPECT_NE(complaint.find("at most 1024M"), std::string::npos) << complaint;
}

}  // namespace
}  // namespace tessera::heap
