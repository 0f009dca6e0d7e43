// SPDX-License-Identifier: BSD-3-Clause
//
// Random numbers that are the same on every PE and every machine for the same seed, and bytes made
// from them. Used by the generator, and wherever a step says "these bytes" with one number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tessera::random {

// splitmix64: every output is a bijection of a counter.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15U;
        std::uint64_t bits = state_;
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
        return bits ^ (bits >> 31);
    }

    // 0 to limit - 1. REQUIRES: limit > 0.
    int below(int limit) {
        return static_cast<int>(((next() >> 32) * static_cast<std::uint64_t>(limit)) >> 32);
    }
    // Both ends included.
    int between(int low, int high) { return low + below(high - low + 1); }
    bool chance(int percent) { return below(100) < percent; }

    // One element of an array or vector, which is not empty.
    template <class Container>
    const auto& pick(const Container& container) {
        return std::data(container)[below(static_cast<int>(std::size(container)))];
    }

  private:
    std::uint64_t state_;
};

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    return Random(a * 0x9E3779B97F4A7C15U + b).next();
}

// The bytes that `pattern` stands for.
inline void fill_pattern(unsigned char* memory, std::size_t bytes, std::uint64_t pattern) {
    Random random(pattern);
    for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
        const std::uint64_t word = random.next();
        const std::size_t left = bytes - at;
        std::memcpy(memory + at, &word, left < sizeof word ? left : sizeof word);
    }
}

}  // namespace tessera::random
