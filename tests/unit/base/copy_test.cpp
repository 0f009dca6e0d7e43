// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a copy writes too little, too much or the wrong bytes, at any size, alignment or
// routine, or when a word that a program may wait on is written in pieces.
#include "base/copy.hpp"

#include <gtest/gtest.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>

namespace tessera {
namespace {

constexpr std::size_t kGuardBytes = 192;
constexpr unsigned char kGuard = 0xA5;
constexpr std::size_t kLargeBytes = std::size_t{1} << 20;

// A page-aligned block, so that the offsets between source and dest are what the test asks for.
class Block {
  public:
    explicit Block(std::size_t bytes)
        : bytes_((bytes + 4095) / 4096 * 4096),
          data_(static_cast<unsigned char*>(std::aligned_alloc(4096, bytes_))) {}
    unsigned char* data() { return data_.get(); }
    std::size_t bytes() const { return bytes_; }
    void fill(unsigned char value) { std::memset(data_.get(), value, bytes_); }
    void fill_randomly(unsigned seed) {
        std::mt19937 random(seed);
        for (std::size_t i = 0; i < bytes_; ++i) data_[i] = static_cast<unsigned char>(random());
    }

  private:
    struct Free {
        void operator()(unsigned char* data) const { std::free(data); }
    };
    std::size_t bytes_;
    std::unique_ptr<unsigned char[], Free> data_;
};

// The bytes in [from, to) that are not kGuard.
std::size_t count_touched(const unsigned char* from, const unsigned char* to) {
    std::size_t count = 0;
    for (; from != to; ++from) count += *from != kGuard;
    return count;
}

// Copies `bytes` between these offsets and checks the whole dest block.
void check_copy(Block& dest, Block& source, std::size_t dest_offset, std::size_t source_offset,
                std::size_t bytes) {
    SCOPED_TRACE(testing::Message() << bytes << " bytes, dest offset " << dest_offset
                                    << ", source offset " << source_offset);
    ASSERT_LE(dest_offset + bytes + kGuardBytes, dest.bytes());
    ASSERT_LE(source_offset + bytes, source.bytes());
    dest.fill(kGuard);
    unsigned char* target = dest.data() + dest_offset;
    if (bytes % 2 == 0) {
        copy_bytes(target, source.data() + source_offset, bytes);
    } else if (bytes <= kShortCopyBytesMax) {
        copy_short_and_acquire(target, source.data() + source_offset, bytes);
    } else {
        copy_long_and_acquire(target, source.data() + source_offset, bytes);
    }
    ASSERT_EQ(std::memcmp(target, source.data() + source_offset, bytes), 0);
    ASSERT_EQ(count_touched(dest.data(), target), 0u);
    ASSERT_EQ(count_touched(target + bytes, dest.data() + dest.bytes()), 0u);
}

TEST(Copy, EverySmallSizeAtEveryAlignment) {
    Block source(1024);
    Block dest(1024);
    source.fill_randomly(1);
    for (std::size_t bytes = 0; bytes <= 300; ++bytes) {
        for (std::size_t offset = 0; offset < 16; ++offset) {
            ASSERT_NO_FATAL_FAILURE(check_copy(dest, source, 64 + offset, 0, bytes));
            ASSERT_NO_FATAL_FAILURE(check_copy(dest, source, 64, offset, bytes));
            ASSERT_NO_FATAL_FAILURE(check_copy(dest, source, 64 + offset, 15 - offset, bytes));
        }
    }
}

// Past the caches, at any offset within a line, down to what is too short for that.
TEST(Copy, PastTheCache) {
    Block source(17 << 10);
    Block dest(17 << 10);
    source.fill_randomly(6);
    choose_copy_routine(0);
    for (std::size_t bytes : {1, 2047, 2048, 2049, 2112, 4095, 4096, 8319, 16384}) {
        for (std::size_t offset = 0; offset < 64; offset += 7) {
            dest.fill(kGuard);
            unsigned char* target = dest.data() + 64 + offset;
            copy_past_cache(target, source.data() + 63 - offset, bytes);
            ASSERT_EQ(std::memcmp(target, source.data() + 63 - offset, bytes), 0) << bytes;
            ASSERT_EQ(count_touched(dest.data(), target), 0u) << bytes;
            ASSERT_EQ(count_touched(target + bytes, dest.data() + dest.bytes()), 0u) << bytes;
        }
    }
}

template <std::size_t kBytes>
void check_constant_size(Block& dest, Block& source) {
    dest.fill(kGuard);
    copy_bytes(dest.data() + 65, source.data() + 3, kBytes);
    EXPECT_EQ(std::memcmp(dest.data() + 65, source.data() + 3, kBytes), 0) << kBytes;
    EXPECT_EQ(count_touched(dest.data(), dest.data() + 65), 0u) << kBytes;
    EXPECT_EQ(count_touched(dest.data() + 65 + kBytes, dest.data() + dest.bytes()), 0u) << kBytes;
}

// The compiler takes other paths for sizes it knows.
TEST(Copy, ConstantSizes) {
    Block source(256);
    Block dest(256);
    source.fill_randomly(2);
    check_constant_size<1>(dest, source);
    check_constant_size<2>(dest, source);
    check_constant_size<3>(dest, source);
    check_constant_size<4>(dest, source);
    check_constant_size<8>(dest, source);
    check_constant_size<12>(dest, source);
    check_constant_size<16>(dest, source);
    check_constant_size<24>(dest, source);
    check_constant_size<32>(dest, source);
    check_constant_size<64>(dest, source);
}

// Between two routines' limits, at all offsets within a line.
TEST(Copy, MediumSizesAtEveryAlignment) {
    Block source(17 << 10);
    Block dest(17 << 10);
    source.fill_randomly(5);
    choose_copy_routine(0);
    for (std::size_t bytes = 2000; bytes <= 2600; ++bytes)
        ASSERT_NO_FATAL_FAILURE(check_copy(dest, source, 64 + bytes % 67, bytes % 59, bytes));
    for (std::size_t bytes : {4095, 4096, 4097, 8192, 16383, 16384, 16385}) {
        for (std::size_t offset = 0; offset < 64; ++offset) {
            ASSERT_NO_FATAL_FAILURE(check_copy(dest, source, 64 + offset, 0, bytes));
            ASSERT_NO_FATAL_FAILURE(check_copy(dest, source, 64, offset, bytes));
            ASSERT_NO_FATAL_FAILURE(check_copy(dest, source, 64 + offset, 63 - offset, bytes));
        }
    }
}

// A small "cache", so that every routine of this machine gets sizes it would only see beyond it.
TEST(Copy, LargeSizesAroundTheLimits) {
    constexpr std::size_t kCacheBytes = std::size_t{4} << 20;
    choose_copy_routine(kCacheBytes);
    const std::size_t sizes[] = {kLargeBytes - 1,      kLargeBytes,          kLargeBytes + 1,
                                 kCacheBytes / 2 - 1,  kCacheBytes / 2,      kCacheBytes / 2 + 63,
                                 kCacheBytes / 2 + 64, kCacheBytes / 2 + 65, kCacheBytes + 4097};
    // Dest offset, source offset. The third pair is "dest just past source modulo the page".
    const std::size_t offsets[][2] = {{64, 0},   {1, 0},     {4096 + 8, 0},
                                      {127, 63}, {64, 4095}, {200, 5}};
    Block source(kCacheBytes + 16384);
    Block dest(kCacheBytes + 16384);
    source.fill_randomly(3);
    for (std::size_t bytes : sizes) {
        for (const auto& [dest_offset, source_offset] : offsets)
            ASSERT_NO_FATAL_FAILURE(check_copy(dest, source, dest_offset, source_offset, bytes));
    }
}

// String copies are slow there on some processors, so another routine takes them.
TEST(Copy, DestALittleBehindSourceInAPage) {
    Block source(kLargeBytes + 8192);
    Block dest(kLargeBytes + 8192);
    source.fill_randomly(7);
    choose_copy_routine(0);
    for (const std::size_t behind : {1, 8, 16, 31, 32}) {
        for (const std::size_t from : {0, 5, 32, 4080}) {
            for (const std::size_t bytes : {2049, 2112, 4096, 5003, 20000, 262144, 262161})
                ASSERT_NO_FATAL_FAILURE(check_copy(dest, source, from + behind, from, bytes));
        }
    }
}

// The last piece of a long copy, which is shorter than any that copy_large gets.
TEST(Copy, PiecesOfAnyLength) {
    Block source(16384);
    Block dest(16384);
    source.fill_randomly(8);
    for (const std::size_t cache_bytes : {std::size_t{1} << 20, std::size_t{64} << 20}) {
        choose_copy_routine(cache_bytes);
        for (const std::size_t behind : {0, 1, 16, 31, 32}) {
            for (const std::size_t bytes : {0, 1, 31, 127, 511, 512, 2048, 2049, 4096}) {
                dest.fill(kGuard);
                unsigned char* target = dest.data() + 256 + behind;
                copy_piece(target, source.data() + 256, bytes, 4 * kLargeBytes + bytes);
                ASSERT_EQ(std::memcmp(target, source.data() + 256, bytes), 0) << bytes;
                ASSERT_EQ(count_touched(dest.data(), target), 0u) << bytes << ", " << behind;
                ASSERT_EQ(count_touched(target + bytes, dest.data() + dest.bytes()), 0u)
                    << bytes << ", " << behind;
            }
        }
    }
}

TEST(Copy, WorksWithAnyCacheSize) {
    Block source(3 * kLargeBytes);
    Block dest(3 * kLargeBytes);
    source.fill_randomly(4);
    for (std::size_t cache_bytes : {std::size_t{0}, std::size_t{1}, SIZE_MAX}) {
        choose_copy_routine(cache_bytes);
        ASSERT_NO_FATAL_FAILURE(check_copy(dest, source, 72, 8, 2 * kLargeBytes + 77));
        ASSERT_NO_FATAL_FAILURE(check_copy(dest, source, 10, 8, 2 * kLargeBytes + 77));
    }
    EXPECT_STRNE(copy_routine_name(), "");
}

// Two pages of which one cannot be written, and a way back from the fault.
sigjmp_buf after_fault;
void on_fault(int) { siglongjmp(after_fault, 1); }

class HalfProtectedPages {
  public:
    explicit HalfProtectedPages(bool is_first_protected)
        : pages_(static_cast<char*>(mmap(nullptr, 2 * kPageBytes, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
        std::memset(pages_, kGuard, 2 * kPageBytes);
        mprotect(is_first_protected ? pages_ : border(), kPageBytes, PROT_READ);
        struct sigaction action = {};
        action.sa_handler = on_fault;
        sigaction(SIGSEGV, &action, &old_action_);
    }
    ~HalfProtectedPages() {
        sigaction(SIGSEGV, &old_action_, nullptr);
        munmap(pages_, 2 * kPageBytes);
    }
    char* border() const { return pages_ + kPageBytes; }

  private:
    static constexpr std::size_t kPageBytes = 4096;
    char* pages_;
    struct sigaction old_action_ = {};
};

// A word written over the border of the pages faults. If it was one store, nothing has been
// written; if it was more, the half in the writable page has changed.
void check_is_one_store(std::size_t bytes, bool is_first_protected) {
    SCOPED_TRACE(testing::Message() << bytes << " bytes, protected page " << !is_first_protected);
    HalfProtectedPages pages(is_first_protected);
    std::uint64_t zeros = 0;
    // volatile: the compiler shall not know sizes and objects.
    const void* volatile source = &zeros;
    char* volatile dest = pages.border() - bytes / 2;
    std::size_t volatile hidden_bytes = bytes;
    if (sigsetjmp(after_fault, 1) == 0) {
        copy_bytes(dest, source, hidden_bytes);
        ADD_FAILURE() << "no fault";
    }
    for (std::size_t i = 0; i < bytes; ++i)
        EXPECT_EQ(static_cast<unsigned char>(dest[i]), kGuard) << "byte " << i;
}

TEST(Copy, WordsAreOneStore) {
    utsname system;
    uname(&system);
    if (std::strcmp(system.machine, "x86_64") != 0)
        GTEST_SKIP() << "only x86-64 promises that a store that faults has written nothing";
    for (std::size_t bytes : {2, 4, 8}) {
        check_is_one_store(bytes, false);
        check_is_one_store(bytes, true);
    }
}

}  // namespace
}  // namespace tessera
