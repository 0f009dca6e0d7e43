// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when memory loses or changes its contents while its pages are replaced or brought back,
// when a view shows other memory than the owner has, when memory is taken that cannot be shared, or
// when a child of fork() writes to its parent's memory.
#include "heap/shared_pages.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "base/platform.hpp"
#include "heap/address_space.hpp"
#include "heap/peer_pages.hpp"

namespace tessera::heap {
namespace {

const auto kPage = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
constexpr std::size_t kCopyBytes = std::size_t{64} << 20;  // at most so many bytes exist twice

// Memory of the program that ends with its owner.
class Memory {
  public:
    explicit Memory(std::size_t bytes, int protection = PROT_READ | PROT_WRITE,
                    int flags = MAP_PRIVATE | MAP_ANONYMOUS, int fd = -1)
        : bytes_(bytes),
          data_(static_cast<char*>(::mmap(nullptr, bytes, protection, flags, fd, 0))) {}
    ~Memory() { ::munmap(data_, bytes_); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    char* data() const { return data_; }
    std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(data_); }

  private:
    std::size_t bytes_;
    char* data_;
};

// Bytes that depend on their place.
char byte_at(std::size_t i) { return static_cast<char>(i * 31 + i / 4096 + 1); }

bool is_private(std::uintptr_t begin, std::size_t bytes) {
    const auto mappings = mappings_of(begin, begin + bytes);
    return !mappings.empty() && std::ranges::all_of(mappings, &MappedRange::is_private_memory);
}

std::size_t resident_pages(char* base, std::size_t bytes) {
    std::vector<unsigned char> pages(bytes / kPage);
    EXPECT_EQ(::mincore(base, bytes, pages.data()), 0);
    return static_cast<std::size_t>(
        std::ranges::count_if(pages, [](unsigned char page) { return (page & 1) != 0; }));
}

class SharedPagesTest : public testing::Test {
  protected:
    ~SharedPagesTest() override { pages_.close(); }
    PageSpan share(const void* start, std::size_t bytes, std::size_t bytes_min = 1) {
        return pages_.share(reinterpret_cast<std::uintptr_t>(start), bytes, bytes_min);
    }
    void end(const void* start, std::size_t bytes) {
        pages_.end(reinterpret_cast<std::uintptr_t>(start), bytes);
    }
    PeerPages::View view(const PageSpan& pages) { return peer_.view_of(pages_.offer(), pages); }

    SharedPages pages_;
    PeerPages peer_;
};

TEST_F(SharedPagesTest, ContentsStayAndBothMappingsAreOneMemory) {
    const std::size_t bytes = 5 * kPage;
    Memory memory(bytes + 2 * kPage);
    char* base = memory.data() + kPage;  // Neighbours on both sides.
    for (std::size_t i = 0; i < bytes + 2 * kPage; ++i) memory.data()[i] = byte_at(i);
    // Whole pages only: one byte less on either side is a page less.
    const PageSpan pages = share(base - 1, bytes + 2);
    EXPECT_EQ(pages.begin, memory.address() + kPage);
    EXPECT_EQ(pages.bytes(), bytes);
    for (std::size_t i = 0; i < bytes + 2 * kPage; ++i) ASSERT_EQ(memory.data()[i], byte_at(i));
    EXPECT_TRUE(is_private(memory.address(), kPage));
    EXPECT_FALSE(is_private(pages.begin, kPage));
    EXPECT_TRUE(is_private(pages.end, kPage));
    const PeerPages::View other = view(pages);
    ASSERT_NE(other.start, nullptr);
    ASSERT_NE(other.start, base);
    EXPECT_EQ(std::memcmp(other.start, base, bytes), 0);
    other.start[bytes - 1] = 'x';
    base[0] = 'y';
    EXPECT_EQ(base[bytes - 1], 'x');
    EXPECT_EQ(other.start[0], 'y');
    end(base - 1, bytes + 2);
    EXPECT_TRUE(is_private(memory.address(), bytes + 2 * kPage));
    EXPECT_EQ(base[bytes - 1], 'x');
    EXPECT_EQ(base[0], 'y');
    EXPECT_EQ(base[kPage], byte_at(2 * kPage));
    base[1] = 'z';
    EXPECT_NE(other.start[1], 'z') << "an old view sees nothing of it";
}

TEST_F(SharedPagesTest, MoreThanOneCopy) {
    const std::size_t bytes = 2 * kCopyBytes + 3 * kPage;
    Memory memory(bytes);
    const std::size_t places[] = {0, kCopyBytes - 1, kCopyBytes, 2 * kCopyBytes, bytes - 1};
    for (std::size_t place : places) memory.data()[place] = byte_at(place);
    const PageSpan pages = share(memory.data(), bytes);
    ASSERT_EQ(pages.bytes(), bytes);
    const PeerPages::View other = view(pages);
    ASSERT_NE(other.start, nullptr);
    for (std::size_t place : places) EXPECT_EQ(memory.data()[place], byte_at(place));
    for (std::size_t place : places) EXPECT_EQ(other.start[place], byte_at(place));
    end(memory.data(), bytes);
    EXPECT_TRUE(is_private(memory.address(), bytes));
    for (std::size_t place : places) EXPECT_EQ(memory.data()[place], byte_at(place));
}

TEST_F(SharedPagesTest, UntouchedPagesTakeNoMemory) {
    const std::size_t bytes = std::size_t{32} << 20;
    Memory memory(bytes);
    ::madvise(memory.data(), bytes, MADV_NOHUGEPAGE);
    memory.data()[bytes / 2] = 1;
    ASSERT_EQ(share(memory.data(), bytes).bytes(), bytes);
    EXPECT_LE(resident_pages(memory.data(), bytes), kHugePageBytes / kPage);
    EXPECT_EQ(memory.data()[bytes / 2], 1);
    end(memory.data(), bytes);
    EXPECT_LE(resident_pages(memory.data(), bytes), kHugePageBytes / kPage);
    EXPECT_EQ(memory.data()[bytes / 2], 1);
}

// Many ranges that overlap, some shared and some only counted, against a model of each page.
TEST_F(SharedPagesTest, OverlappingRanges) {
    constexpr std::size_t kPages = 40;
    Memory memory(kPages * kPage);
    std::memset(memory.data(), 1, kPages * kPage);
    std::mt19937 random(7);
    struct Range {
        std::size_t begin, bytes;
    };
    std::vector<Range> live;
    std::vector<int> users(kPages);
    std::vector<bool> is_shared(kPages);
    for (int step = 0; step < 600; ++step) {
        const bool ends = live.size() > 6 || (!live.empty() && random() % 3 == 0);
        const std::size_t first = random() % (kPages - 1);
        Range range{first * kPage + random() % 2 * 64,
                    (random() % (kPages - first - 1)) * kPage + 32};
        if (ends) {
            std::swap(live[random() % live.size()], live.back());
            range = live.back();
            live.pop_back();
            end(memory.data() + range.begin, range.bytes);
        } else {
            live.push_back(range);
        }
        const std::size_t touched_end = (range.begin + range.bytes + kPage - 1) / kPage;
        const std::size_t whole = (range.begin + kPage - 1) / kPage;
        const std::size_t whole_end = (range.begin + range.bytes) / kPage;
        if (!ends) {
            const bool wants = random() % 4 != 0;
            bool can = wants && whole < whole_end;
            for (std::size_t i = whole; i < whole_end; ++i) can &= users[i] == 0 || is_shared[i];
            const PageSpan pages =
                share(memory.data() + range.begin, range.bytes, wants ? 1 : SharedPages::kNever);
            ASSERT_EQ(pages.bytes(), can ? (whole_end - whole) * kPage : 0) << step;
            for (std::size_t i = whole; can && i < whole_end; ++i) is_shared[i] = true;
        }
        for (std::size_t i = range.begin / kPage; i < touched_end; ++i) {
            users[i] += ends ? -1 : 1;
            if (users[i] == 0) is_shared[i] = false;
        }
        for (std::size_t i = 0; i < kPages; ++i) {
            ASSERT_EQ(is_private(memory.address() + i * kPage, kPage), !is_shared[i]) << step;
            char& byte = memory.data()[i * kPage + 9];
            ASSERT_EQ(byte, 1);
        }
    }
}

TEST_F(SharedPagesTest, AMappedBlockOfMallocOwnsItsPages) {
    ::mallopt(M_MMAP_THRESHOLD, 128 << 10);
    const std::size_t bytes = 300000;
    const std::unique_ptr<char, decltype(&std::free)> block(static_cast<char*>(std::malloc(bytes)),
                                                            std::free);
    const auto address = reinterpret_cast<std::uintptr_t>(block.get());
    if (address % kPage != 16) GTEST_SKIP() << "another malloc";
    std::memset(block.get(), 'm', bytes);
    const PageSpan pages = share(block.get(), bytes);
    EXPECT_TRUE(pages.holds(address, bytes));
    EXPECT_EQ(view(pages).start[16], 'm');
    end(block.get(), bytes);
    // Parts of a block, whose other bytes may be in use.
    EXPECT_FALSE(share(block.get() + 16, bytes - 16).holds(address + 16, 1));
    end(block.get() + 16, bytes - 16);
    const PageSpan half = share(block.get(), bytes / 2);
    EXPECT_TRUE(half.holds(address, 1));
    EXPECT_LE(half.end, address + bytes / 2);
    end(block.get(), bytes / 2);
    EXPECT_EQ(share(block.get(), 2 * bytes).begin, 0U) << "more than the block";
    end(block.get(), 2 * bytes);
    EXPECT_EQ(block.get()[bytes - 1], 'm');
}

// The heap grows and shrinks around memory that was shared.
TEST_F(SharedPagesTest, HeapOfMalloc) {
    ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
    const std::size_t bytes = 200000;
    for (int round = 0; round < 20; ++round) {
        std::vector<char*> blocks;
        for (int i = 0; i < 10; ++i) {
            blocks.push_back(static_cast<char*>(std::malloc(bytes)));
            std::memset(blocks.back(), i, bytes);
            EXPECT_GT(share(blocks.back(), bytes).bytes(), 0U);
        }
        for (int i = 9; i >= 0; --i) {
            char* block = blocks[static_cast<std::size_t>(i)];
            EXPECT_EQ(block[bytes - 1], i);
            end(block, bytes);
            EXPECT_EQ(block[bytes - 1], i);
            block = static_cast<char*>(std::realloc(block, 2 * bytes));
            EXPECT_EQ(block[bytes - 1], i);
            std::free(block);
        }
        ::malloc_trim(0);
    }
    ::mallopt(M_MMAP_THRESHOLD, 128 << 10);
}

// The program's mistake; other memory at the place must stay what it is.
TEST_F(SharedPagesTest, MemoryThatIsFreedTooEarly) {
    Memory memory(4 * kPage);
    std::memset(memory.data(), 'a', 4 * kPage);
    ASSERT_GT(share(memory.data(), 4 * kPage).bytes(), 0U);
    ::mmap(memory.data(), 2 * kPage, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    memory.data()[0] = 'b';
    EXPECT_GT(share(memory.data(), kPage).bytes(), 0U);
    EXPECT_EQ(memory.data()[0], 'b');
    EXPECT_EQ(memory.data()[1], 0);
    ::mmap(memory.data(), kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
           -1, 0);
    memory.data()[0] = 'c';
    end(memory.data(), kPage);
    end(memory.data(), 4 * kPage);
    EXPECT_EQ(memory.data()[0], 'c');
    EXPECT_EQ(memory.data()[3 * kPage], 'a');
}

TEST_F(SharedPagesTest, ChildrenHaveMemoryOfTheirOwn) {
    Memory memory(4 * kPage);
    std::memset(memory.data(), 'a', 4 * kPage);
    const PageSpan pages = share(memory.data(), 4 * kPage);
    ASSERT_GT(pages.bytes(), 0U);
    pages_.before_fork();
    const pid_t child = ::fork();
    if (child == 0) {
        pages_.make_private_in_child();
        const bool is_right = memory.data()[5] == 'a' && memory.data()[4 * kPage - 1] == 'a';
        std::memset(memory.data(), 'c', 4 * kPage);
        ::_exit(is_right && memory.data()[5] == 'c' ? 0 : 1);
    }
    pages_.after_fork();
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(memory.data()[5], 'a');
    EXPECT_EQ(view(pages).start[4 * kPage - 1], 'a');
}

TEST_F(SharedPagesTest, RefusesWhatCannotBeShared) {
    const auto is_refused = [this](const Memory& memory, std::size_t pages) {
        return share(memory.data(), pages * kPage).bytes() == 0;
    };
    Memory shared(kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);
    EXPECT_TRUE(is_refused(shared, 1));
    Memory constant(kPage, PROT_READ);
    EXPECT_TRUE(is_refused(constant, 1));
    Memory part(3 * kPage);
    std::memset(part.data(), 'p', 3 * kPage);
    ::mprotect(part.data() + 2 * kPage, kPage, PROT_READ);
    EXPECT_TRUE(is_refused(part, 3));
    EXPECT_EQ(part.data()[0], 'p');
    Memory hole(3 * kPage);
    ::munmap(hole.data() + kPage, kPage);
    EXPECT_TRUE(is_refused(hole, 3));
    Fd file(::memfd_create("contents", MFD_CLOEXEC));
    ASSERT_EQ(::ftruncate(file.get(), static_cast<off_t>(kPage)), 0);
    Memory of_a_file(kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE, file.get());
    EXPECT_TRUE(is_refused(of_a_file, 1));
    Memory small(3 * kPage);
    EXPECT_EQ(share(small.data(), 3 * kPage, 4 * kPage).bytes(), 0U);
    EXPECT_EQ(share(small.data() + kPage + 1, kPage).bytes(), 0U);
    EXPECT_EQ(share(small.data(), 0).bytes(), 0U);
}

TEST_F(SharedPagesTest, RefusesWhereFilesAreLimited) {
    Memory memory(4 * kPage);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    rlimit small = before;
    small.rlim_cur = kPage;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    EXPECT_EQ(share(memory.data(), 4 * kPage).bytes(), 0U);
    ::setrlimit(RLIMIT_FSIZE, &before);
}

TEST_F(SharedPagesTest, ADifferentFileUnderTheSameNumberIsNoticed) {
    Memory memory(kPage);
    const PageSpan pages = share(memory.data(), kPage);
    PagesOffer offer = pages_.offer();
    ++offer.inode;
    EXPECT_EQ(peer_.view_of(offer, pages).start, nullptr);
    EXPECT_EQ(view(pages).start, nullptr) << "it does not try again";
}

TEST_F(SharedPagesTest, NeighboursAreOneMappingAndOneView) {
    Memory memory(64 * kPage);
    const std::size_t before = count_mappings();
    PeerPages::View views[64];
    for (std::size_t i = 0; i < 64; ++i) {
        views[i] = view(share(memory.data() + i * kPage, kPage));
        EXPECT_EQ(views[i].start, views[0].start + i * kPage);
    }
    EXPECT_LE(count_mappings(), before + 4);
}

}  // namespace
}  // namespace tessera::heap
