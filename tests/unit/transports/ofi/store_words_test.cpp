// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when the data of a message arrives in part, in a wrong place, or beyond its end, or when
// an aligned word of it is stored in pieces: a program that waits for the word would see a part.
#include "transports/ofi/store_words.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>

namespace tessera::ofi {
namespace {

TEST(StoreWords, StoresEveryByteAndNoOther) {
    alignas(8) char dest[64];
    char source[64];
    std::iota(source, source + sizeof source, char{1});
    for (std::size_t offset = 0; offset < 16; ++offset) {
        for (std::size_t bytes = 0; bytes <= 40; ++bytes) {
            std::memset(dest, 0, sizeof dest);
            store_bytes(dest + offset, source, bytes);
            for (std::size_t i = 0; i < sizeof dest; ++i) {
                const bool is_data = i >= offset && i < offset + bytes;
                ASSERT_EQ(dest[i], is_data ? source[i - offset] : 0)
                    << bytes << " bytes at offset " << offset << ", byte " << i;
            }
        }
    }
}

// A reader of the aligned word behind an odd head sees the old value or the new one.
TEST(StoreWords, KeepsAlignedWordsWhole) {
    alignas(8) char dest[24] = {};
    char sources[2][18];
    std::memset(sources[0], 0x11, sizeof sources[0]);
    std::memset(sources[1], 0x22, sizeof sources[1]);
    std::atomic<bool> is_done = false;
    std::thread writer([&] {
        for (int i = 0; !is_done.load(); ++i) store_bytes(dest + 3, sources[i % 2], 18);
    });
    const std::atomic_ref word(*reinterpret_cast<std::uint64_t*>(dest + 8));
    std::uint64_t before = 0;
    int changes = 0;
    while (changes < 1000 && !HasFailure()) {
        const std::uint64_t seen = word.load(std::memory_order_relaxed);
        EXPECT_TRUE(seen == 0 || seen == 0x1111111111111111 || seen == 0x2222222222222222) << seen;
        changes += seen != before;
        before = seen;
    }
    is_done.store(true);
    writer.join();
}

}  // namespace
}  // namespace tessera::ofi
