// SPDX-License-Identifier: BSD-3-Clause
//
// How the library loads and stores the public copies of a segment. One object per segment, because
// segments may lie in different kinds of memory: the heap in a file that several hosts map, static
// data in the node's own file. THREADS: any.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transports/noncoherent_transport.hpp"

namespace tessera::noncoherent {

class Policy {
  public:
    constexpr explicit Policy(Access access) : access_(access) {}

    // Loads of these bytes that follow see what others have stored.
    void before_load(const void* start, std::size_t bytes) const;
    // Loads that follow are no older than what this PE has loaded or stored there before.
    void before_repeated_load() const;
    // Writes what the program has stored here to memory, by whole lines. Complete after finish().
    void write_back(const void* start, std::size_t bytes) const;
    // Exactly these bytes. A word of 1, 2, 4 or 8 bytes at an aligned address is stored whole and
    // once. Visible to others after finish().
    void store(char* dest, const void* source, std::size_t bytes) const;
    // The bytes i whose bit i of `mask` is set.
    void store_bytes(std::uint64_t* word, std::uint64_t value, std::uint8_t mask) const;
    // RETURNS when: everything stored before is visible before every store that follows.
    void finish() const;

    // Whether the hardware keeps these public copies coherent, so that they are an emulation.
    bool is_emulation() const { return access_ == Access::kCoherent; }
    const char* name() const;

  private:
    Access access_;
};

// 0xff in each byte in which a and b differ.
constexpr std::uint64_t bytes_that_differ(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t kLow = 0x7f7f7f7f7f7f7f7f;
    const std::uint64_t x = a ^ b;
    const std::uint64_t high = (((x & kLow) + kLow) | x) & ~kLow;  // the top bit of these bytes
    return (high >> 7) * 0xff;
}
// Bit i: byte i is 0xff. REQUIRES: each byte is 0 or 0xff.
constexpr std::uint8_t bits_of_bytes(std::uint64_t bytes) {
    constexpr std::uint64_t kGather = 0x0102040810204080;
    return static_cast<std::uint8_t>((bytes & 0x0101010101010101) * kGather >> 56);
}
constexpr std::uint64_t bytes_of_bits(std::uint8_t bits) {
    std::uint64_t bytes = 0;
    for (unsigned i = 0; i < 8; ++i) {
        if ((bits >> i & 1) != 0) bytes |= std::uint64_t{0xff} << 8 * i;
    }
    return bytes;
}
static_assert(bytes_that_differ(0x1100220000000001, 0x1200220080000000) == 0xff000000ff0000ff);
static_assert(bits_of_bytes(0xff000000ff0000ff) == 0b10001001);
static_assert(bytes_of_bits(0b10001001) == 0xff000000ff0000ff);

}  // namespace tessera::noncoherent
