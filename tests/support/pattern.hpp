// SPDX-License-Identifier: BSD-3-Clause
//
// Bytes that tell where they come from, and symmetric memory of both kinds to put them in. A wrong
// PE, offset, length or stride leaves a byte that does not match. Used by the RMA and signal tests.
#pragma once

#include <shmem.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace tessera::test {

using Bytes = std::vector<unsigned char>;

inline constexpr unsigned char kGuard = 0xA5;

// Equal bit by bit: tells -0.0 from 0.0 and compares NaN.
template <class T>
bool same_bits(T a, T b) {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

// Byte `i` of what PE `from` sends to PE `to` in `round`. Never kGuard.
inline unsigned char pattern(int from, int to, std::size_t round, std::size_t i) {
    std::uint64_t bits = (static_cast<std::uint64_t>(from) << 48) ^
                         (static_cast<std::uint64_t>(to) << 32) ^ (round << 20) ^ i;
    bits *= 0x9E3779B97F4A7C15ULL;
    auto byte = static_cast<unsigned char>(bits >> 56);
    return byte == kGuard ? static_cast<unsigned char>(byte + 1) : byte;
}

inline void fill(unsigned char* memory, std::size_t bytes, int from, int to, std::size_t round) {
    for (std::size_t i = 0; i < bytes; ++i) memory[i] = pattern(from, to, round, i);
}

// "" if the bytes are equal, else where they differ first.
inline std::string difference(const unsigned char* actual, const unsigned char* expected,
                              std::size_t bytes) {
    if (bytes == 0 || std::memcmp(actual, expected, bytes) == 0) return "";
    for (std::size_t i = 0; i < bytes; ++i) {
        if (actual[i] == expected[i]) continue;
        return "byte " + std::to_string(i) + " of " + std::to_string(bytes) + " is " +
               std::to_string(actual[i]) + ", not " + std::to_string(expected[i]);
    }
    return "";
}

// Symmetric memory of one kind.
struct Region {
    const char* kind;
    unsigned char* data;
};

inline constexpr std::size_t kRegionBytes = std::size_t{1} << 20;
alignas(64) inline unsigned char static_region[kRegionBytes];

// One region in the heap and one in static data, kRegionBytes each. The first call is collective.
inline const std::vector<Region>& regions() {
    static const std::vector<Region> both = {
        {"heap", static_cast<unsigned char*>(shmem_malloc(kRegionBytes))},
        {"static data", static_region},
    };
    return both;
}

// Fewer repetitions where many PEs share few cores: a wait then costs a context switch, and the
// work of most tests grows with the square of the PEs. Between nodes a wait also costs a message,
// and where static data are not mapped (SHMEM_STATIC_DATA=cma) a system call.
inline int scaled(int repetitions) {
    int npes = shmem_n_pes();
    const bool is_one_node = shmem_team_n_pes(SHMEM_TEAM_SHARED) == npes;
    if (!is_one_node || shmem_ptr(static_region, (shmem_my_pe() + 1) % npes) == nullptr)
        repetitions = repetitions / 5 + 1;
    if (npes <= 2) return repetitions;
    if (npes <= 8) return repetitions / npes + 1;
    return repetitions / 40 + 1;
}

}  // namespace tessera::test
