// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when an allocation is not symmetric, too small, misaligned, overlaps another one or is not
// ready on all PEs when it returns; when memory changes its contents; when a barrier that the
// specification names is left out, or one is added (OpenSHMEM 1.6, 9.3).
#include <sched.h>

#include <functional>
#include <vector>

#include "conformance/routines.hpp"
#include "conformance/values.hpp"
#include "support/pe_test.hpp"

namespace tessera::conformance {
namespace {

using Allocate = void* (*)(std::size_t bytes);

struct Memory {
    Allocate malloc;
    void (*free)(void* block);
    void* (*realloc)(void* block, std::size_t bytes);
    void* (*align)(std::size_t alignment, std::size_t bytes);
};
const Memory kNames[] = {
    {ROUTINE(shmem_malloc), ROUTINE(shmem_free), ROUTINE(shmem_realloc), ROUTINE(shmem_align)},
    {ROUTINE(pshmem_malloc), ROUTINE(pshmem_free), ROUTINE(pshmem_realloc), ROUTINE(pshmem_align)},
    {ROUTINE(shmalloc), ROUTINE(shfree), ROUTINE(shrealloc), ROUTINE(shmemalign)},
    {ROUTINE(pshmalloc), ROUTINE(pshfree), ROUTINE(pshrealloc), ROUTINE(pshmemalign)}};

using Calloc = void* (*)(std::size_t count, std::size_t size);
const Calloc kCallocs[] = {ROUTINE(shmem_calloc), ROUTINE(pshmem_calloc)};
using Hinted = void* (*)(std::size_t bytes, long hints);
const Hinted kHinted[] = {ROUTINE(shmem_malloc_with_hints), ROUTINE(pshmem_malloc_with_hints)};
constexpr long kHints[] = {0, SHMEM_MALLOC_ATOMICS_REMOTE, SHMEM_MALLOC_SIGNAL_REMOTE,
                           SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE};

std::size_t npes() { return static_cast<std::size_t>(shmem_n_pes()); }
int right() { return (shmem_my_pe() + 1) % shmem_n_pes(); }
int left() { return (shmem_my_pe() + shmem_n_pes() - 1) % shmem_n_pes(); }

bool is_aligned(const void* address, std::size_t alignment) {
    return reinterpret_cast<std::uintptr_t>(address) % alignment == 0;
}

// The block is symmetric in all its length: the neighbour's puts arrive here. It may be used at
// once, because all PEs have it when one returns.
void use(void* block, std::size_t bytes, std::size_t round) {
    ASSERT_NE(block, nullptr) << bytes << " bytes";
    EXPECT_EQ(shmem_addr_accessible(block, right()), 1);
    EXPECT_EQ(shmem_addr_accessible(static_cast<char*>(block) + bytes - 1, right()), 1);
    test::Bytes source(bytes);
    test::fill(source.data(), bytes, shmem_my_pe(), right(), round);
    shmem_putmem(block, source.data(), bytes, right());
    shmem_barrier_all();
}

void expect_used(const void* block, std::size_t bytes, std::size_t round) {
    test::Bytes expected(bytes);
    test::fill(expected.data(), bytes, left(), shmem_my_pe(), round);
    EXPECT_EQ(test::difference(static_cast<const unsigned char*>(block), expected.data(), bytes),
              "");
}

// Blocks of many sizes at the same time, freed in another order: each keeps what was put into it.
TEST(Memory, blocks_are_symmetric_and_apart) {
    constexpr std::size_t kSizes[] = {1, 7, 8, 16, 33, 64, 100, 4096, 5000, 70000, 1 << 20};
    for (const Memory& memory : kNames) {
        std::vector<void*> blocks;
        for (std::size_t bytes : kSizes) {
            blocks.push_back(memory.malloc(bytes));
            EXPECT_TRUE(is_aligned(blocks.back(), 16)) << bytes;
            use(blocks.back(), bytes, bytes);
        }
        for (std::size_t i = 0; i < blocks.size(); ++i)
            expect_used(blocks[i], kSizes[i], kSizes[i]);
        for (std::size_t i = 0; i < blocks.size(); i += 2) memory.free(blocks[i]);
        for (std::size_t i = 0; i < blocks.size(); i += 2) {
            blocks[i] = memory.malloc(kSizes[i] + 3);
            use(blocks[i], kSizes[i] + 3, i);
        }
        for (std::size_t i = 1; i < blocks.size(); i += 2)
            expect_used(blocks[i], kSizes[i], kSizes[i]);
        for (std::size_t i = 0; i < blocks.size(); i += 2) expect_used(blocks[i], kSizes[i] + 3, i);
        for (void* block : blocks) memory.free(block);
        memory.free(nullptr);
    }
}

TEST(Memory, align) {
    for (const Memory& memory : kNames) {
        for (std::size_t alignment = sizeof(void*); alignment <= 1 << 20; alignment *= 2) {
            std::vector<void*> blocks;
            for (std::size_t bytes : {24, 5000}) {
                blocks.push_back(memory.align(alignment, bytes));
                EXPECT_TRUE(is_aligned(blocks.back(), alignment)) << alignment;
                use(blocks.back(), bytes, alignment);
            }
            expect_used(blocks[0], 24, alignment);
            for (void* block : blocks) memory.free(block);
        }
        EXPECT_EQ(memory.align(64, 0), nullptr);
    }
}

TEST(Memory, hints) {
    for (Hinted allocate : kHinted) {
        for (long hints : kHints) {
            void* block = allocate(200, hints);
            use(block, 200, 3);
            expect_used(block, 200, 3);
            shmem_free(block);
            EXPECT_EQ(allocate(0, hints), nullptr);
        }
    }
}

// Zeroed before any PE can put into it, also where an older block has been before.
TEST(Memory, calloc) {
    for (Calloc allocate : kCallocs) {
        for (std::size_t bytes : {1, 104, 4096, 30000, 30000, 30000, 30000, 70000}) {
            auto* before = static_cast<unsigned char*>(shmem_malloc(bytes));
            std::memset(before, 0xFF, bytes);
            shmem_free(before);
            auto* block = static_cast<unsigned char*>(allocate(bytes, 1));
            ASSERT_EQ(block, before) << "The test needs the dirty place again.";
            const unsigned char mark = 7;
            shmem_putmem(block + bytes / 2, &mark, 1, right());
            shmem_barrier_all();
            test::Bytes expected(bytes, 0);
            expected[bytes / 2] = mark;
            EXPECT_EQ(test::difference(block, expected.data(), bytes), "");
            shmem_free(block);
        }
        void* pairs = allocate(50, 8);
        use(pairs, 400, 1);
        expect_used(pairs, 400, 1);
        shmem_free(pairs);
        EXPECT_EQ(allocate(0, 8), nullptr);
        EXPECT_EQ(allocate(8, 0), nullptr);
        EXPECT_EQ(allocate(SIZE_MAX / 2, 3), nullptr);
        EXPECT_EQ(allocate(std::size_t{1} << 40, std::size_t{1} << 40), nullptr);
    }
}

TEST(Memory, realloc_keeps_the_contents) {
    constexpr std::size_t kSizes[] = {100, 40, 4000, 100000, 17, 300000, 1, 1, 64, 63, 5000, 5001};
    for (const Memory& memory : kNames) {
        for (bool has_neighbour : {false, true}) {
            void* block = memory.realloc(nullptr, kSizes[0]);
            use(block, kSizes[0], 0);
            std::vector<void*> neighbours;
            for (std::size_t i = 1; i < std::size(kSizes); ++i) {
                // Something behind it, so that it must move.
                if (has_neighbour) neighbours.push_back(memory.malloc(64));
                const std::size_t kept = std::min(kSizes[i - 1], kSizes[i]);
                block = memory.realloc(block, kSizes[i]);
                ASSERT_NE(block, nullptr);
                expect_used(block, kept, i - 1);
                shmem_barrier_all();
                use(block, kSizes[i], i);
                expect_used(block, kSizes[i], i);
            }
            EXPECT_EQ(memory.realloc(block, 0), nullptr);
            for (void* neighbour : neighbours) memory.free(neighbour);
        }
        EXPECT_EQ(memory.realloc(nullptr, 0), nullptr);
    }
}

// No room: null on all PEs, the heap is as it was, and realloc leaves the block alone.
TEST(Memory, no_room) {
    constexpr std::size_t kHuge = std::size_t{1} << 50;
    for (const Memory& memory : kNames) {
        void* block = memory.malloc(500);
        use(block, 500, 1);
        for (std::size_t bytes :
             {std::size_t{1} << 45, kHuge, SIZE_MAX / 2, SIZE_MAX, SIZE_MAX - 15, SIZE_MAX - 100}) {
            EXPECT_EQ(memory.malloc(bytes), nullptr);
            EXPECT_EQ(memory.align(4096, bytes), nullptr);
            EXPECT_EQ(memory.realloc(block, bytes), nullptr);
        }
        expect_used(block, 500, 1);
        memory.free(block);
    }
    EXPECT_EQ(shmem_malloc_with_hints(kHuge, SHMEM_MALLOC_ATOMICS_REMOTE), nullptr);
    EXPECT_EQ(shmem_calloc(1, kHuge), nullptr);
}

// All PEs have come before one of them goes; another PE is late each time.
void expect_barrier(const char* name, const std::function<void()>& call) {
    static std::uint64_t come;  // symmetric: how often its PE has come
    for (std::size_t late = 0; late < npes(); ++late) {
        if (late == static_cast<std::size_t>(shmem_my_pe())) {
            for (int i = 0; i < 5; ++i) sched_yield();
        }
        const std::uint64_t mine = shmem_uint64_atomic_fetch_inc(&come, shmem_my_pe()) + 1;
        call();
        for (int pe = 0; pe < shmem_n_pes(); ++pe)
            EXPECT_GE(shmem_uint64_atomic_fetch(&come, pe), mine) << name << ": PE " << pe;
        shmem_barrier_all();
    }
}

TEST(Memory, barriers) {
    for (const Memory& memory : kNames) {
        void* block = nullptr;
        std::vector<void*> blocks;
        expect_barrier("malloc", [&] { blocks.push_back(memory.malloc(100)); });
        expect_barrier("align", [&] { blocks.push_back(memory.align(64, 100)); });
        expect_barrier("realloc(null)", [&] { blocks.push_back(memory.realloc(nullptr, 100)); });
        expect_barrier("malloc without room", [&] { memory.malloc(SIZE_MAX / 4); });
        block = memory.malloc(64);
        std::size_t bytes = 64;
        expect_barrier("realloc", [&] { block = memory.realloc(block, bytes += 5000); });
        memory.free(block);
        expect_barrier("free", [&] {
            memory.free(blocks.back());
            blocks.pop_back();
        });
        expect_barrier("realloc(block, 0)", [&] {
            memory.realloc(blocks.back(), 0);
            blocks.pop_back();
        });
        for (void* left_over : blocks) memory.free(left_over);
    }
    std::vector<void*> blocks;
    expect_barrier("calloc", [&] { blocks.push_back(shmem_calloc(3, 50)); });
    expect_barrier("malloc_with_hints", [&] { blocks.push_back(shmem_malloc_with_hints(50, 0)); });
    for (void* block : blocks) shmem_free(block);
}

// Size 0, and free of nothing, do not wait: every PE calls them only after its left neighbour has
// returned.
TEST(Memory, no_barrier_without_a_block) {
    static std::uint64_t turn;  // symmetric
    shmem_barrier_all();
    const std::uint64_t rounds = std::size(kNames);
    for (std::uint64_t round = 1; round <= rounds; ++round) {
        const Memory& memory = kNames[round - 1];
        if (shmem_my_pe() > 0) shmem_uint64_wait_until(&turn, SHMEM_CMP_GE, round);
        EXPECT_EQ(memory.malloc(0), nullptr);
        EXPECT_EQ(memory.align(16, 0), nullptr);
        EXPECT_EQ(memory.realloc(nullptr, 0), nullptr);
        memory.free(nullptr);
        EXPECT_EQ(shmem_calloc(0, 5), nullptr);
        EXPECT_EQ(shmem_calloc(5, 0), nullptr);
        EXPECT_EQ(shmem_malloc_with_hints(0, kHints[1]), nullptr);
        shmem_uint64_atomic_set(&turn, round, right());
    }
    shmem_barrier_all();
}

}  // namespace
}  // namespace tessera::conformance
