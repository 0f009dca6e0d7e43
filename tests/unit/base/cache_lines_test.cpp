// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a store past the caches writes too little, too much or the wrong bytes, when it takes
// neighbours along that another thread writes, when cache maintenance changes memory, or when a
// range misses a line.
#include "base/cache_lines.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

namespace tessera {
namespace {

constexpr std::size_t kBlockBytes = 512;
constexpr unsigned char kGuard = 0xA5;

struct alignas(kCacheLineBytes) Block {
    unsigned char bytes[kBlockBytes];
};

Block random_block(unsigned seed) {
    Block block;
    std::mt19937 random(seed);
    for (unsigned char& byte : block.bytes) byte = static_cast<unsigned char>(random());
    return block;
}

TEST(CacheLines, RangeHasAllLines) {
    for (std::size_t start = 0; start < 3 * kCacheLineBytes; ++start) {
        for (std::size_t bytes = 1; bytes < 3 * kCacheLineBytes; ++bytes) {
            const LineRange lines = lines_of(start, bytes);
            ASSERT_EQ(lines.begin, start / kCacheLineBytes * kCacheLineBytes);
            ASSERT_EQ(lines.end % kCacheLineBytes, 0U);
            ASSERT_GE(lines.end, start + bytes);
            ASSERT_LT(lines.end - (start + bytes), kCacheLineBytes);
        }
    }
    EXPECT_EQ(lines_of(77, 0).begin, lines_of(77, 0).end);
}

TEST(CacheLines, TheBestInstructionExists) {
    const LineInstruction keeps = write_back_instruction();
    const LineInstruction drops = drop_instruction();
    EXPECT_TRUE(keeps == LineInstruction::kNone || cpu_has(keeps));
    EXPECT_TRUE(drops == LineInstruction::kNone || cpu_has(drops));
    EXPECT_NE(drops, LineInstruction::kClwb) << "clwb keeps lines";
    EXPECT_STRNE(line_instruction_name(keeps), "");
}

// With every instruction that the processor has.
TEST(CacheLines, MaintenanceChangesNothing) {
    const Block original = random_block(1);
    for (LineInstruction instruction :
         {LineInstruction::kClwb, LineInstruction::kClflushopt, LineInstruction::kClflush,
          LineInstruction::kDc, LineInstruction::kNone}) {
        if (instruction != LineInstruction::kNone && !cpu_has(instruction)) continue;
        SCOPED_TRACE(line_instruction_name(instruction));
        Block block = original;
        for (std::size_t offset = 0; offset < 2 * kCacheLineBytes; offset += 7) {
            for (std::size_t bytes : {0, 1, 8, 63, 64, 65, 200}) {
                // A change that is only in the cache.
                block.bytes[offset] = static_cast<unsigned char>(block.bytes[offset] + 1);
                write_back_lines(block.bytes + offset, bytes, instruction);
                block.bytes[offset] = original.bytes[offset];
                drop_lines(block.bytes + offset, bytes, instruction);
                ASSERT_EQ(std::memcmp(block.bytes, original.bytes, kBlockBytes), 0)
                    << bytes << " bytes at " << offset;
            }
        }
    }
}

TEST(StorePastCache, EverySizeAtEveryOffset) {
    const Block source = random_block(2);
    for (std::size_t offset = 64; offset < 64 + 2 * kCacheLineBytes; ++offset) {
        for (std::size_t bytes = 0; bytes <= 200; ++bytes) {
            Block dest;
            std::memset(dest.bytes, kGuard, kBlockBytes);
            const std::size_t from = (offset * 3 + bytes) % 64;
            store_past_cache(dest.bytes + offset, source.bytes + from, bytes);
            finish_stores_past_cache();
            ASSERT_EQ(std::memcmp(dest.bytes + offset, source.bytes + from, bytes), 0)
                << bytes << " bytes at " << offset;
            for (std::size_t i = 0; i < kBlockBytes; ++i) {
                if (i >= offset && i < offset + bytes) continue;
                ASSERT_EQ(dest.bytes[i], kGuard)
                    << "byte " << i << ", " << bytes << " bytes at " << offset;
            }
        }
    }
}

TEST(StorePastCache, EveryMask) {
    constexpr std::uint64_t kOld = 0x1122334455667788;
    constexpr std::uint64_t kNew = 0xa1b2c3d4e5f60718;
    for (unsigned mask = 0; mask <= 0xff; ++mask) {
        for (std::size_t at = 1; at <= 2; ++at) {
            alignas(kCacheLineBytes) std::uint64_t words[4] = {kOld, kOld, kOld, kOld};
            store_bytes_past_cache(words + at, kNew, static_cast<std::uint8_t>(mask));
            finish_stores_past_cache();
            for (std::size_t word = 0; word < 4; ++word) {
                std::uint64_t wanted = kOld;
                for (unsigned byte = 0; byte < 8 && word == at; ++byte) {
                    const std::uint64_t bits = std::uint64_t{0xff} << 8 * byte;
                    if ((mask >> byte & 1) != 0) wanted = (wanted & ~bits) | (kNew & bits);
                }
                ASSERT_EQ(words[word], wanted) << "mask " << mask << ", word " << word;
            }
        }
    }
}

// One thread counts in the even words of a line, the other stores the odd ones past the cache.
TEST(StorePastCache, NeighboursKeepWhatOthersWrite) {
    constexpr std::uint32_t kRounds = 20000;
    alignas(kCacheLineBytes) std::atomic<std::uint32_t> words[16] = {};
    std::thread counter([&] {
        for (std::uint32_t round = 1; round <= kRounds; ++round) {
            for (std::size_t i = 0; i < 16; i += 2) words[i].store(round);
        }
    });
    for (std::uint32_t round = 1; round <= kRounds / 10; ++round) {
        for (std::size_t i = 1; i < 16; i += 2) {
            // Two bytes in the middle of the word, which have no store of their own.
            store_past_cache(reinterpret_cast<char*>(&words[i]) + 1, &round, 2);
        }
    }
    finish_stores_past_cache();
    counter.join();
    for (std::size_t i = 0; i < 16; ++i)
        EXPECT_EQ(words[i].load(), i % 2 == 0 ? kRounds : (kRounds / 10) << 8) << "word " << i;
}

// A reader that watches a word sees no half of it.
TEST(StorePastCache, WordsAreWhole) {
    alignas(kCacheLineBytes) std::uint64_t word = 0;
    std::atomic<bool> must_stop{false};
    std::atomic<int> torn{0};
    std::thread reader([&] {
        while (!must_stop.load()) {
            const std::uint64_t seen = std::atomic_ref(word).load();
            if (seen != 0 && seen != ~std::uint64_t{0}) torn.fetch_add(1);
        }
    });
    for (int round = 0; round < 20000; ++round) {
        const std::uint64_t value = round % 2 == 0 ? ~std::uint64_t{0} : 0;
        store_past_cache(&word, &value, sizeof value);
    }
    finish_stores_past_cache();
    must_stop.store(true);
    reader.join();
    EXPECT_EQ(torn.load(), 0);
}

}  // namespace
}  // namespace tessera
