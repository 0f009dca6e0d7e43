// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when blocks of local memory overlap, lose their contents, are not aligned, when room is
// lost, or when threads that allocate at the same time get the same block. The random test
// compares with a list of blocks; TESSERA_TEST_SEED repeats it, TESSERA_TEST_SEQUENCES is the
// number of sequences.
#include <shmemx.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "support/pe_test.hpp"

namespace {

using tessera::test::shared_seed;

struct Block {
    unsigned char* start;
    std::size_t bytes;
    unsigned char mark;

    void write() const { std::memset(start, mark, bytes); }
    // Whether the first `count` bytes are as written.
    bool holds(std::size_t count) const {
        for (std::size_t i = 0; i < count; ++i) {
            if (start[i] != mark) return false;
        }
        return true;
    }
    bool holds() const { return holds(bytes); }
};

// The largest block that local memory gives now.
std::size_t room() {
    std::size_t most = 0;
    for (std::size_t step = std::size_t{1} << 40; step != 0; step /= 2) {
        if (void* block = shmemx_local_malloc(most + step)) {
            shmemx_local_free(block);
            most += step;
        }
    }
    return most;
}

// First of all tests: before a thread has freed any block.
TEST(LocalMemory, SmallBlocksAscend) {
    auto* first = static_cast<char*>(shmemx_local_malloc(12));
    auto* second = static_cast<char*>(shmemx_local_malloc(4));
    EXPECT_GE(second - first, 16);
    shmemx_local_free(first);
    shmemx_local_free(second);
}

TEST(LocalMemory, BlocksAreAlignedAndDisjoint) {
    std::vector<Block> blocks;
    for (std::size_t bytes = 1; bytes < 3'000'000; bytes = bytes * 5 / 4 + 1) {
        auto* start = static_cast<unsigned char*>(shmemx_local_malloc(bytes));
        ASSERT_NE(start, nullptr) << bytes;
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(start) % 16, 0U);
        blocks.push_back({start, bytes, static_cast<unsigned char>(blocks.size() + 1)});
        blocks.back().write();
    }
    for (const Block& block : blocks) {
        EXPECT_TRUE(block.holds()) << block.bytes;
        shmemx_local_free(block.start);
    }
}

TEST(LocalMemory, Alignments) {
    for (std::size_t alignment = 1; alignment <= std::size_t{2} << 20; alignment *= 2) {
        for (std::size_t bytes : {std::size_t{1}, std::size_t{24}, alignment + 1}) {
            void* block = shmemx_local_align(alignment, bytes);
            ASSERT_NE(block, nullptr) << alignment;
            ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U);
            std::memset(block, 0xff, bytes);
            shmemx_local_free(block);
        }
    }
    for (std::size_t bad : {0, 3, 24, 100}) EXPECT_EQ(shmemx_local_align(bad, 8), nullptr);
    EXPECT_EQ(shmemx_local_align(std::size_t{1} << 60, 8), nullptr);
}

TEST(LocalMemory, CallocIsZero) {
    for (std::size_t bytes : {std::size_t{1}, std::size_t{100}, std::size_t{300'000}}) {
        void* dirty = shmemx_local_malloc(bytes);
        std::memset(dirty, 0x5a, bytes);
        shmemx_local_free(dirty);
        auto* start = static_cast<unsigned char*>(shmemx_local_calloc(bytes, 1));
        EXPECT_TRUE((Block{start, bytes, 0}.holds()));
        shmemx_local_free(start);
    }
    EXPECT_EQ(shmemx_local_calloc(SIZE_MAX / 2, 3), nullptr);
    EXPECT_EQ(shmemx_local_calloc(SIZE_MAX / 16 + 1, 16), nullptr);
}

TEST(LocalMemory, NothingAndTooMuch) {
    EXPECT_EQ(shmemx_local_malloc(0), nullptr);
    EXPECT_EQ(shmemx_local_calloc(0, 8), nullptr);
    EXPECT_EQ(shmemx_local_calloc(8, 0), nullptr);
    EXPECT_EQ(shmemx_local_align(64, 0), nullptr);
    EXPECT_EQ(shmemx_local_malloc(SIZE_MAX), nullptr);
    EXPECT_EQ(shmemx_local_malloc(std::size_t{1} << 50), nullptr);
    shmemx_local_free(nullptr);
    void* block = shmemx_local_realloc(nullptr, 10);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(shmemx_local_realloc(block, 0), nullptr);
}

TEST(LocalMemory, ReallocKeepsTheContents) {
    Block block{static_cast<unsigned char*>(shmemx_local_malloc(1)), 1, 77};
    block.write();
    for (std::size_t bytes : {20, 500, 100'000, 70'000, 64, 3'000'000, 1}) {
        auto* start = static_cast<unsigned char*>(shmemx_local_realloc(block.start, bytes));
        ASSERT_NE(start, nullptr);
        const std::size_t kept = std::min(bytes, block.bytes);
        block = {start, bytes, 77};
        ASSERT_TRUE(block.holds(kept)) << bytes;
        block.write();
    }
    EXPECT_EQ(shmemx_local_realloc(block.start, std::size_t{1} << 50), nullptr);
    EXPECT_TRUE(block.holds()) << "no room: as it was";
    shmemx_local_free(block.start);
}

TEST(LocalMemory, AllOfItCanBeUsedAgain) {
    const std::size_t before = room();
    EXPECT_GE(before, std::size_t{32} << 20) << "64 MiB";
    for (std::size_t bytes : {std::size_t{1} << 20, std::size_t{48} << 10}) {
        std::vector<void*> blocks;
        while (void* block = shmemx_local_malloc(bytes)) blocks.push_back(block);
        // Beside each block of 48 KiB lie 16 KiB for smaller blocks.
        const std::size_t least = bytes == std::size_t{1} << 20 ? 63 : 47;
        EXPECT_GE(blocks.size() * bytes, least << 20) << "of 64 MiB";
        EXPECT_EQ(shmemx_local_malloc(bytes), nullptr);
        // Every other one first, so that neighbours are free later.
        for (std::size_t i = 0; i < blocks.size(); i += 2) shmemx_local_free(blocks[i]);
        for (std::size_t i = 1; i < blocks.size(); i += 2) shmemx_local_free(blocks[i]);
        EXPECT_GE(room(), before - (std::size_t{2} << 20)) << "but for what a thread keeps";
    }
}

// Every thread allocates, checks and frees; some blocks are freed by the next thread.
TEST(LocalMemory, ThreadsAtTheSameTime) {
    constexpr int kThreads = 4;
    constexpr int kSteps = 3000;
    std::vector<std::vector<Block>> left(kThreads);
    auto work = [&](int number) {
        std::mt19937 random(static_cast<unsigned>(number));
        std::vector<Block> mine;
        for (int step = 0; step < kSteps; ++step) {
            if (random() % 2 == 0 || mine.empty()) {
                const std::size_t bytes = random() % (random() % 16 == 0 ? 20'000 : 200) + 1;
                auto* start = static_cast<unsigned char*>(shmemx_local_malloc(bytes));
                if (start == nullptr) return;
                mine.push_back({start, bytes, static_cast<unsigned char>(number * 60 + step % 50)});
                mine.back().write();
            } else {
                const std::size_t victim = random() % mine.size();
                if (!mine[victim].holds()) return;
                shmemx_local_free(mine[victim].start);
                mine[victim] = mine.back();
                mine.pop_back();
            }
        }
        left[static_cast<std::size_t>(number)] = mine;
    };
    for (int round = 0; round < 3; ++round) {
        std::vector<std::thread> threads;
        for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
        for (std::thread& thread : threads) thread.join();
        for (auto& blocks : left) {
            EXPECT_FALSE(blocks.empty()) << "a thread found a damaged block, or no room";
            for (const Block& block : blocks) {
                EXPECT_TRUE(block.holds());
                shmemx_local_free(block.start);
            }
            blocks.clear();
        }
    }
}

class LocalMemoryRandom : public testing::Test {
  protected:
    std::size_t pick(std::size_t least, std::size_t most) {
        return std::uniform_int_distribution<std::size_t>(least, most)(random_);
    }
    std::size_t pick_bytes() { return pick(1, std::size_t{1} << pick(0, 18)); }

    void allocate() {
        const std::size_t bytes = pick_bytes();
        const std::size_t alignment = std::size_t{1} << pick(0, 12);
        void* start = nullptr;
        const std::size_t kind = pick(0, 2);
        if (kind == 0) start = shmemx_local_malloc(bytes);
        if (kind == 1) start = shmemx_local_align(alignment, bytes);
        if (kind == 2) start = shmemx_local_calloc(1, bytes);
        ASSERT_NE(start, nullptr) << "there is room for all that is allocated at a time";
        if (kind == 1) {
            ASSERT_EQ(reinterpret_cast<std::uintptr_t>(start) % alignment, 0U);
        }
        Block block{static_cast<unsigned char*>(start), bytes, 0};
        if (kind == 2) {
            ASSERT_TRUE(block.holds());
        }
        block.mark = static_cast<unsigned char>(pick(1, 255));
        block.write();
        blocks_.push_back(block);
    }
    void resize(Block& block) {
        const std::size_t bytes = pick_bytes();
        block.start = static_cast<unsigned char*>(shmemx_local_realloc(block.start, bytes));
        ASSERT_NE(block.start, nullptr);
        ASSERT_TRUE(block.holds(std::min(bytes, block.bytes)));
        block.bytes = bytes;
        block.write();
    }
    void release(Block& block) {
        ASSERT_TRUE(block.holds());
        shmemx_local_free(block.start);
        block = blocks_.back();
        blocks_.pop_back();
    }
    void step() {
        const std::size_t what = pick(0, 9);
        if (blocks_.empty() || (what < 5 && blocks_.size() < 60)) return allocate();
        Block& block = blocks_[pick(0, blocks_.size() - 1)];
        what < 7 ? resize(block) : release(block);
    }

    std::mt19937_64 random_;
    std::vector<Block> blocks_;
};

TEST_F(LocalMemoryRandom, AgreesWithAListOfBlocks) {
    random_.seed(shared_seed() + static_cast<unsigned long>(shmem_my_pe()));
    const char* wanted = std::getenv("TESSERA_TEST_SEQUENCES");
    const int sequences = wanted != nullptr ? std::atoi(wanted) : 20;
    for (int sequence = 0; sequence < sequences; ++sequence) {
        SCOPED_TRACE(sequence);
        for (int i = 0; i < 100; ++i) {
            step();
            if (HasFatalFailure()) return;
        }
        while (!blocks_.empty()) release(blocks_.back());
    }
}

// A second life starts with all of it, also for threads that had kept blocks.
TEST(LocalMemory, AnotherInitStartsAfresh) {
    void* forgotten = shmemx_local_malloc(std::size_t{40} << 20);
    ASSERT_NE(forgotten, nullptr);
    std::vector<void*> kept;
    for (int i = 0; i < 100; ++i) kept.push_back(shmemx_local_malloc(64));
    for (void* block : kept) shmemx_local_free(block);
    shmem_finalize();
    int provided = 0;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    void* block = shmemx_local_malloc(std::size_t{40} << 20);
    EXPECT_NE(block, nullptr);
    shmemx_local_free(block);
    for (void*& small : kept) small = shmemx_local_malloc(64);
    for (std::size_t i = 1; i < kept.size(); ++i) EXPECT_NE(kept[i], kept[i - 1]);
    for (void* small : kept) shmemx_local_free(small);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_MULTIPLE)
