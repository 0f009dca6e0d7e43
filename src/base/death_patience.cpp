// SPDX-License-Identifier: BSD-3-Clause
//
// See death_patience.hpp.
#include "base/death_patience.hpp"

#include "base/clock.hpp"
#include "base/fatal.hpp"

namespace tessera {

void DeathPatience::look_at_deaths() {
    constexpr std::uint64_t kNanosecondsMax = 3'000'000'000;
    look_for_failures();
    const std::uint64_t now = now_ns();
    if (since_ns_ == 0) since_ns_ = now;
    if (now - since_ns_ < kNanosecondsMax) return;
    fatal_lost_peer(
        "a transfer to or from another node has not ended for %u s; a PE has died (the first one "
        "was PE %d), and its memory is out of reach",
        static_cast<unsigned>(kNanosecondsMax / 1'000'000'000), failed_pe(0));
}

}  // namespace tessera
