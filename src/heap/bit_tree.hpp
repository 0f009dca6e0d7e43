// SPDX-License-Identifier: BSD-3-Clause
//
// A set of numbers below a limit, of which the smallest is found in a few steps: a bit for each,
// and above every 64 bits one that says whether any of them is set. It lies in memory of the caller
// that is zero at first; pages of it exist only where bits are set. THREADS: one at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace tessera::heap {

class BitTree {
  public:
    // The words that a tree for numbers below `count` needs.
    static constexpr std::size_t words(std::uint64_t count) {
        std::size_t all = 0;
        do {
            count = words_of_level(count);
            all += count;
        } while (count > 1);
        return all;
    }

    BitTree() = default;
    // REQUIRES: `memory` has words(count) zeros.
    BitTree(std::uint64_t* memory, std::uint64_t count) {
        do {
            count = words_of_level(count);
            levels_[depth_++] = memory;
            memory += count;
        } while (count > 1);
    }

    bool empty() const { return *levels_[depth_ - 1] == 0; }
    bool test(std::uint64_t number) const {
        return (levels_[0][number / 64] >> number % 64 & 1) != 0;
    }
    // COST: a store, more only where the word was 0.
    void insert(std::uint64_t number) {
        for (int level = 0; level < depth_; ++level, number /= 64) {
            std::uint64_t& word = levels_[level][number / 64];
            const bool was_empty = word == 0;
            word |= std::uint64_t{1} << number % 64;
            if (!was_empty) return;
        }
    }
    void erase(std::uint64_t number) {
        for (int level = 0; level < depth_; ++level, number /= 64) {
            std::uint64_t& word = levels_[level][number / 64];
            word &= ~(std::uint64_t{1} << number % 64);
            if (word != 0) return;
        }
    }
    // REQUIRES: !empty().
    std::uint64_t smallest() const {
        std::uint64_t number = 0;
        for (int level = depth_ - 1; level >= 0; --level)
            number = number * 64 + static_cast<unsigned>(std::countr_zero(levels_[level][number]));
        return number;
    }

  private:
    static constexpr int kLevels = 8;  // 2^48 numbers

    static constexpr std::uint64_t words_of_level(std::uint64_t bits) {
        return bits > 64 ? (bits + 63) / 64 : 1;
    }

    std::uint64_t* levels_[kLevels] = {};
    int depth_ = 0;
};

}  // namespace tessera::heap
