// SPDX-License-Identifier: BSD-3-Clause
//
// Finds out why a provider takes nothing more. It says "try again" when its queues are full, which
// ends by itself, and also when it finds no memory for another message, which does not.
#pragma once

#include <cstdint>

namespace tessera::ofi {

class MemoryWatch {
  public:
    // Called over and over while the provider takes nothing. Every 5 seconds it asks the system for
    // memory, and ends the job if there is none. COST: a look at the clock.
    void look();
    // The provider has taken something.
    void reset() { next_look_ns_ = 0; }

  private:
    std::uint64_t next_look_ns_ = 0;  // 0: look() has not been called since
};

}  // namespace tessera::ofi
