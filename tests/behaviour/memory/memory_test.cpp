// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when an allocation overlaps another, lies at different places on the PEs, loses its
// contents, or lacks the barrier that completes earlier puts. memory_conformance_test.cpp has every
// form, size and failure.
#include <pshmem.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::Bytes;
using tessera::test::difference;
using tessera::test::fill;
using tessera::test::scaled;

unsigned char* as_bytes(void* block) { return static_cast<unsigned char*>(block); }

// Blocks have no common base to compare, so they are compared by their distance to this one.
void* anchor() {
    static void* const block = shmem_malloc(16);
    return block;
}

// The same on all PEs: `value` of PE 0 is the reference.
::testing::AssertionResult is_same_everywhere(long value) {
    static long reference;
    if (shmem_my_pe() == 0) {
        for (int pe = 0; pe < shmem_n_pes(); ++pe) shmem_long_p(&reference, value, pe);
    }
    shmem_barrier_all();
    const long expected = reference;
    shmem_barrier_all();
    if (value == expected) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << value << " here, " << expected << " on PE 0";
}

long offset_of(void* block) {
    return block == nullptr ? -1 : static_cast<long>(as_bytes(block) - as_bytes(anchor()));
}

// The allocators, each asked for about `bytes`.
struct Allocator {
    const char* name;
    void* (*run)(std::size_t bytes);
};
const Allocator kAllocators[] = {
    {"malloc", [](std::size_t bytes) { return shmem_malloc(bytes); }},
    {"calloc", [](std::size_t bytes) { return shmem_calloc(bytes, 1); }},
    {"calloc of pairs", [](std::size_t bytes) { return shmem_calloc((bytes + 1) / 2, 2); }},
    {"align", [](std::size_t bytes) { return shmem_align(256, bytes); }},
    {"malloc_with_hints",
     [](std::size_t bytes) { return shmem_malloc_with_hints(bytes, SHMEM_MALLOC_SIGNAL_REMOTE); }},
    {"realloc of NULL", [](std::size_t bytes) { return shmem_realloc(nullptr, bytes); }},
    {"pshmem malloc", [](std::size_t bytes) { return pshmem_malloc(bytes); }},
    {"pshmem calloc", [](std::size_t bytes) { return pshmem_calloc(1, bytes); }},
    {"pshmem align", [](std::size_t bytes) { return pshmem_align(64, bytes); }},
    {"pshmem malloc_with_hints",
     [](std::size_t bytes) {
         return pshmem_malloc_with_hints(bytes, SHMEM_MALLOC_ATOMICS_REMOTE);
     }},
    {"pshmem realloc of NULL", [](std::size_t bytes) { return pshmem_realloc(nullptr, bytes); }},
    {"shmalloc", [](std::size_t bytes) { return shmalloc(bytes); }},
    {"shmemalign", [](std::size_t bytes) { return shmemalign(32, bytes); }},
    {"shrealloc of NULL", [](std::size_t bytes) { return shrealloc(nullptr, bytes); }},
};

// Counts on all PEs that this PE has come here; the put needs a barrier to be complete.
struct Arrivals {
    Arrivals() {
        shmem_barrier_all();
        std::memset(counts(), 0, 64 * sizeof(long));
        shmem_barrier_all();
        const long one = 1;
        for (int pe = 0; pe < shmem_n_pes(); ++pe)
            shmem_long_put_nbi(&counts()[shmem_my_pe()], &one, 1, pe);
    }
    static bool all_have_come() {
        for (int pe = 0; pe < shmem_n_pes(); ++pe) {
            if (counts()[pe] != 1) return false;
        }
        return true;
    }
    static long* counts() {
        static long array[64];
        return array;
    }
};

TEST(Memory, AllocationsEndWithABarrier) {
    for (int repetition = 0; repetition < 5; ++repetition) {
        for (const Allocator& allocator : kAllocators) {
            Arrivals arrivals;
            void* block = allocator.run(100);
            ASSERT_TRUE(Arrivals::all_have_come()) << allocator.name;
            ASSERT_NE(block, nullptr) << allocator.name;
            ASSERT_TRUE(is_same_everywhere(offset_of(block))) << allocator.name;
            shmem_free(block);
        }
    }
}

TEST(Memory, FreesBeginWithABarrier) {
    void (*const frees[])(void*) = {shmem_free, pshmem_free, shfree,
                                    [](void* block) { shmem_realloc(block, 0); }};
    for (auto* free_block : frees) {
        void* block = shmem_malloc(64);
        Arrivals arrivals;
        free_block(block);
        ASSERT_TRUE(Arrivals::all_have_come());
    }
    void* block = shmem_malloc(64);
    {
        Arrivals arrivals;
        block = shmem_realloc(block, 100000);
        ASSERT_TRUE(Arrivals::all_have_come());
    }
    shmem_free(block);
}

TEST(Memory, ReallocOfABlockToNothingFreesIt) {
    void* first = shmem_malloc(5000);
    EXPECT_EQ(shmem_realloc(first, 0), nullptr);
    void* second = shmem_malloc(5000);
    EXPECT_EQ(second, first) << "The space was not given back.";
    shmem_free(second);
}

TEST(Memory, HintsChangeNothingButThePlace) {
    constexpr long kBoth = SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE;
    std::vector<long*> blocks;
    for (long hints : {0L, SHMEM_MALLOC_ATOMICS_REMOTE, SHMEM_MALLOC_SIGNAL_REMOTE, kBoth}) {
        for (int i = 0; i < 3; ++i) {
            auto* block = static_cast<long*>(shmem_malloc_with_hints(sizeof(long), hints));
            ASSERT_NE(block, nullptr);
            ASSERT_TRUE(is_same_everywhere(offset_of(block)));
            *block = static_cast<long>(blocks.size());
            blocks.push_back(block);
        }
    }
    shmem_barrier_all();
    for (std::size_t i = 0; i < blocks.size(); ++i)
        EXPECT_EQ(shmem_long_atomic_fetch_inc(blocks[i], shmem_my_pe()), static_cast<long>(i));
    // Also grown, and then still at a place of its own.
    for (long*& block : blocks) {
        block = static_cast<long*>(shmem_realloc(block, 300));
        ASSERT_NE(block, nullptr);
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        EXPECT_EQ(*blocks[i], static_cast<long>(i) + 1);
        shmem_free(blocks[i]);
    }
}

// The largest power of two that the heap has room for.
std::size_t largest_power() {
    std::size_t bytes = std::size_t{1} << 46;
    while (bytes > 1) {
        void* block = shmem_malloc(bytes);
        shmem_free(block);
        if (block != nullptr) break;
        bytes /= 2;
    }
    return bytes;
}

// The addresses that PEs of a node map their heaps at must not decide what is possible.
TEST(Memory, AlignsAsFarAsTheHeapGoes) {
    anchor();
    const std::size_t most = largest_power();
    const int right = (shmem_my_pe() + 1) % shmem_n_pes();
    ASSERT_GE(most, std::size_t{4} << 20);
    for (std::size_t alignment = std::size_t{1} << 20; alignment <= most; alignment *= 2) {
        auto* block = static_cast<long*>(shmem_align(alignment, 4096));
        ASSERT_NE(block, nullptr) << alignment << " of " << most;
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U) << alignment;
        ASSERT_TRUE(is_same_everywhere(offset_of(block)));
        shmem_long_p(block, shmem_my_pe(), right);
        shmem_barrier_all();
        ASSERT_EQ(shmem_long_g(block, shmem_my_pe()), (right + shmem_n_pes() - 2) % shmem_n_pes());
        shmem_free(block);
    }
}

TEST(Memory, NoAlignmentGivesNullEverywhereAndChangesNothing) {
    void* first = shmem_malloc(100);
    shmem_free(first);
    for (std::size_t alignment : {std::size_t{0}, std::size_t{3}, std::size_t{24}, std::size_t{63},
                                  std::size_t{1} << 63, SIZE_MAX}) {
        ASSERT_EQ(shmem_align(alignment, 100), nullptr) << alignment;
        ASSERT_EQ(shmemalign(alignment, 100), nullptr) << alignment;
        ASSERT_EQ(shmem_align(alignment, 0), nullptr) << alignment;
    }
    void* second = shmem_malloc(100);
    EXPECT_EQ(second, first);
    shmem_free(second);
}

// Takes the whole heap, in halves of what is left.
std::vector<void*> take_everything() {
    std::vector<void*> blocks;
    for (std::size_t bytes = std::size_t{1} << 45; bytes >= 4096;) {
        void* block = shmem_malloc(bytes);
        if (block == nullptr) {
            bytes /= 2;
        } else {
            blocks.push_back(block);
        }
    }
    return blocks;
}

TEST(Memory, ExhaustionIsTheSameEverywhereAndReversible) {
    void* kept = anchor();
    std::vector<void*> first = take_everything();
    ASSERT_GT(first.size(), 0U);
    ASSERT_TRUE(is_same_everywhere(static_cast<long>(first.size())));
    for (void* block : first) ASSERT_TRUE(is_same_everywhere(offset_of(block)));
    EXPECT_EQ(shmem_malloc(8192), nullptr);
    // The last bytes are memory, too.
    *as_bytes(first.back()) = 7;
    shmem_barrier_all();
    unsigned char got = 0;
    shmem_getmem(&got, first.back(), 1, (shmem_my_pe() + 1) % shmem_n_pes());
    EXPECT_EQ(got, 7);
    for (void* block : first) shmem_free(block);
    std::vector<void*> second = take_everything();
    EXPECT_EQ(first, second) << "Freeing did not bring all of the heap back.";
    for (void* block : second) shmem_free(block);
    EXPECT_EQ(kept, anchor());
}

struct Block {
    unsigned char* data;
    std::size_t bytes;
    std::size_t version;
};

void refill(Block& block, std::size_t version) {
    block.version = version;
    fill(block.data, block.bytes, shmem_my_pe(), 3, version);
}

void check_contents(const Block& block, int pe) {
    Bytes got(block.bytes);
    Bytes expected(block.bytes);
    fill(expected.data(), block.bytes, pe, 3, block.version);
    shmem_getmem(got.data(), block.data, block.bytes, pe);
    ASSERT_EQ(difference(got.data(), expected.data(), block.bytes), "") << "PE " << pe;
}

// The same random calls on all PEs. Blocks keep what each PE has written into its copy.
TEST(Memory, RandomCallsAgreeWithAModel) {
    std::mt19937_64 random(tessera::test::shared_seed());
    std::vector<Block> blocks;
    for (std::size_t step = 0; step < static_cast<std::size_t>(scaled(4000)); ++step) {
        const std::size_t bytes = 1 + random() % (random() % 8 == 0 ? 60000 : 700);
        const std::size_t which = blocks.empty() ? 0 : random() % blocks.size();
        const auto choice = random() % 10;
        if (blocks.empty() || (choice < 5 && blocks.size() < 60)) {
            const Allocator& allocator = kAllocators[random() % std::size(kAllocators)];
            blocks.push_back({as_bytes(allocator.run(bytes)), bytes, 0});
            ASSERT_NE(blocks.back().data, nullptr) << allocator.name;
            refill(blocks.back(), step);
        } else if (choice < 8) {
            Block& block = blocks[which];
            const std::size_t kept = bytes < block.bytes ? bytes : block.bytes;
            block.data = as_bytes(shmem_realloc(block.data, bytes));
            ASSERT_NE(block.data, nullptr);
            block.bytes = kept;
            check_contents(block, shmem_my_pe());
            block.bytes = bytes;
            refill(block, step);
        } else {
            check_contents(blocks[which], shmem_my_pe());
            shmem_free(blocks[which].data);
            blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(which));
        }
        if (step % 50 == 0 && !blocks.empty()) {
            ASSERT_TRUE(is_same_everywhere(offset_of(blocks.back().data)));
            const auto pe = static_cast<int>(random() % static_cast<unsigned>(shmem_n_pes()));
            for (const Block& block : blocks) check_contents(block, pe);
            shmem_barrier_all();
        }
        ASSERT_FALSE(HasFatalFailure()) << "step " << step;
    }
    for (const Block& block : blocks) shmem_free(block.data);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
