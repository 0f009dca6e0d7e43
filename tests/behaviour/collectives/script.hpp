// SPDX-License-Identifier: BSD-3-Clause
//
// Shared by the tests of collectives: random calls that are the same on all PEs of a team, the
// contributions of a PE, and PEs that come late.
#pragma once

#include <cstddef>
#include <random>
#include <span>

namespace tessera::test {

// The same on all PEs of a team; everything that a call depends on comes from it.
class Script {
  public:
    // `lengths` lives longer than the script.
    Script(unsigned long seed, std::span<const std::size_t> lengths)
        : random_(seed), lengths_(lengths) {}
    std::size_t length() { return lengths_[random_() % lengths_.size()]; }
    unsigned number() { return static_cast<unsigned>(random_()); }

  private:
    std::mt19937_64 random_;
    std::span<const std::size_t> lengths_;
};

// The contribution of PE `pe` to element `i` of call `call`.
inline unsigned long contribution(int pe, std::size_t i, unsigned call) {
    return (static_cast<unsigned>(pe) + 3) * 2654435761UL + i * 40503 + call;
}

// Every fourth time late, for a random while. `own`: different on each PE.
inline void dawdle(std::mt19937& own) {
    volatile unsigned work = 0;
    if (own() % 4 != 0) return;
    for (auto i = own() % 20000; i > 0; --i) work = work + 1;
}

}  // namespace tessera::test
