// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks of powers of two (buddies.hpp).

#include "allocators/buddies.hpp"

#include <bit>

namespace tessera::dart {

Buddies::Buddies(std::uint64_t bytes) : free_(std::bit_width(bytes)) { free_.back().insert(0); }

std::optional<std::uint64_t> Buddies::allocate(std::uint64_t bytes) {
    const std::uint64_t largest = std::uint64_t{1} << (free_.size() - 1);
    if (bytes > largest) return std::nullopt;
    const unsigned wanted = bytes <= 1 ? 0 : static_cast<unsigned>(std::bit_width(bytes - 1));
    unsigned exponent = wanted;
    while (exponent < free_.size() && free_[exponent].empty()) ++exponent;
    if (exponent == free_.size()) return std::nullopt;
    const std::uint64_t offset = *free_[exponent].begin();
    free_[exponent].erase(free_[exponent].begin());
    while (exponent > wanted) {
        --exponent;
        free_[exponent].insert(offset + (std::uint64_t{1} << exponent));
    }
    allocated_.emplace(offset, wanted);
    return offset;
}

bool Buddies::free(std::uint64_t offset) {
    const auto found = allocated_.find(offset);
    if (found == allocated_.end()) return false;
    unsigned exponent = found->second;
    allocated_.erase(found);
    while (exponent + 1 < free_.size() &&
           free_[exponent].erase(offset ^ (std::uint64_t{1} << exponent)) != 0) {
        offset &= ~(std::uint64_t{1} << exponent);
        ++exponent;
    }
    free_[exponent].insert(offset);
    return true;
}

}  // namespace tessera::dart
