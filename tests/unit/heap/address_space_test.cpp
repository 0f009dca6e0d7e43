// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when memory is described as another kind of memory, when a hole counts as memory, or when
// a range is not cut to the bytes that were asked for. All tests run twice: first in a child where
// the kernel refuses the query for one mapping, as kernels before 6.11 do.
#include "heap/address_space.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "support/refused_calls.hpp"

namespace tessera::heap {
namespace {

const auto kPage = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
bool is_refused = false;

// Reserved addresses, and what the test maps there.
class AddressSpaceTest : public testing::Test {
  protected:
    static constexpr std::size_t kPages = 8;

    AddressSpaceTest()
        : start_(static_cast<char*>(::mmap(nullptr, kPages * kPage, PROT_NONE,
                                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {}
    ~AddressSpaceTest() override { ::munmap(start_, kPages * kPage); }

    std::uintptr_t at(std::size_t page, std::size_t offset = 0) const {
        return reinterpret_cast<std::uintptr_t>(start_) + page * kPage + offset;
    }
    void map(std::size_t page, std::size_t count, int protection = PROT_READ | PROT_WRITE,
             int flags = MAP_PRIVATE | MAP_ANONYMOUS, int fd = -1, std::size_t offset = 0) {
        ASSERT_NE(::mmap(start_ + page * kPage, count * kPage, protection, flags | MAP_FIXED, fd,
                         static_cast<off_t>(offset)),
                  MAP_FAILED);
    }
    void unmap(std::size_t page) { ::munmap(start_ + page * kPage, kPage); }

    char* start_;
};

TEST_F(AddressSpaceTest, KnowsWhetherTheKernelHasTheQuery) {
    if (is_refused) {
        EXPECT_FALSE(has_mapping_query());
    }
}

TEST_F(AddressSpaceTest, CutsAMappingToTheRange) {
    map(1, 4);
    const auto found = mappings_of(at(2, 24), at(4, 8));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].begin, at(2, 24));
    EXPECT_EQ(found[0].end, at(4, 8));
    EXPECT_TRUE(found[0].is_private_memory());
}

TEST_F(AddressSpaceTest, DescribesNeighbours) {
    std::FILE* file = std::tmpfile();
    ASSERT_NE(file, nullptr);
    ASSERT_EQ(::ftruncate(::fileno(file), static_cast<off_t>(8 * kPage)), 0);
    map(1, 1);
    map(2, 1, PROT_READ);
    map(3, 2, PROT_READ | PROT_WRITE, MAP_SHARED, ::fileno(file), 3 * kPage);
    map(5, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE, ::fileno(file), 0);
    const auto found = mappings_of(at(1), at(6));
    std::fclose(file);
    ASSERT_EQ(found.size(), 4U);
    for (std::size_t i = 1; i < found.size(); ++i) EXPECT_EQ(found[i].begin, found[i - 1].end);
    EXPECT_TRUE(found[0].is_private_memory());
    EXPECT_FALSE(found[1].is_data);
    EXPECT_TRUE(found[2].is_data && found[2].is_shared && found[2].inode != 0);
    EXPECT_EQ(found[2].offset, 3 * kPage);
    EXPECT_TRUE(found[3].is_data && !found[3].is_shared && !found[3].is_private_memory());
    EXPECT_EQ(found[3].inode, found[2].inode);
    EXPECT_EQ(found.back().end, at(6));
}

TEST_F(AddressSpaceTest, CountsTheOffsetFromTheBeginOfTheRange) {
    std::FILE* file = std::tmpfile();
    ASSERT_NE(file, nullptr);
    ASSERT_EQ(::ftruncate(::fileno(file), static_cast<off_t>(8 * kPage)), 0);
    map(1, 4, PROT_READ | PROT_WRITE, MAP_SHARED, ::fileno(file), 2 * kPage);
    const auto found = mappings_of(at(3), at(4));
    std::fclose(file);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].offset, 4 * kPage);
}

TEST_F(AddressSpaceTest, AHoleIsNoMemory) {
    map(1, 5);
    unmap(3);
    EXPECT_TRUE(mappings_of(at(1), at(6)).empty()) << "a hole inside";
    EXPECT_TRUE(mappings_of(at(3), at(5)).empty()) << "a hole in front";
    EXPECT_TRUE(mappings_of(at(2), at(4)).empty()) << "a hole at the end";
    EXPECT_FALSE(mappings_of(at(1), at(3)).empty());
    EXPECT_FALSE(mappings_of(at(4), at(6)).empty());
}

TEST_F(AddressSpaceTest, NamesTheFirstMappingInARange) {
    map(1, 5);
    unmap(3);
    std::FILE* file = std::fopen("/proc/self/exe", "re");
    ASSERT_NE(file, nullptr);
    map(5, 1, PROT_READ, MAP_PRIVATE, ::fileno(file), 0);
    std::fclose(file);
    char place[64];
    std::snprintf(place, sizeof place, "memory without a name at [0x%lx, 0x%lx)", at(1), at(3));
    EXPECT_EQ(describe_mapping_in(at(2), at(6)), place);
    EXPECT_EQ(describe_mapping_in(at(3), at(4)), "");
    EXPECT_NE(describe_mapping_in(at(5), at(6)).find("address_space_test at [0x"),
              std::string::npos);
}

TEST_F(AddressSpaceTest, CountsMappings) {
    map(1, 5);
    const std::size_t before = count_mappings();
    ASSERT_EQ(::mprotect(start_ + 3 * kPage, kPage, PROT_READ), 0);
    EXPECT_EQ(count_mappings(), before + 2);
    EXPECT_GT(mappings_max(), before);
}

// RETURNS: whether all tests pass without the query.
bool passes_without_query() {
    const pid_t child = ::fork();
    if (child == 0) {
        tessera::test::refuse_mapping_query();
        is_refused = true;
        const int result = RUN_ALL_TESTS();
        std::fflush(stdout);
        ::_exit(result);
    }
    int status = -1;
    return ::waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace
}  // namespace tessera::heap

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    const bool passes = tessera::heap::passes_without_query();
    return RUN_ALL_TESTS() == 0 && passes ? 0 : 1;
}
