// SPDX-License-Identifier: BSD-3-Clause
//
// Splits a range of bytes into blocks of powers of two: a block's buddy is the other half of the
// next larger one, with which it joins again when both are free. All its state lies outside of the
// range. One thread at a time.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace tessera::dart {

class Buddies {
  public:
    // The range [0, bytes). REQUIRES: bytes is a power of two.
    explicit Buddies(std::uint64_t bytes);

    // RETURNS: the lowest offset of the smallest free block of at least so many bytes (1 if 0),
    // aligned to the block's size; nothing: no block is free that is large enough.
    std::optional<std::uint64_t> allocate(std::uint64_t bytes);

    // RETURNS: false: no allocated block starts there.
    bool free(std::uint64_t offset);

  private:
    std::vector<std::set<std::uint64_t>> free_;              // offsets, for each exponent
    std::unordered_map<std::uint64_t, unsigned> allocated_;  // exponent, for each offset
};

}  // namespace tessera::dart
