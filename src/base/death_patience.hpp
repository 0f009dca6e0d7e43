// SPDX-License-Identifier: BSD-3-Clause
//
// The patience of a wait of a fabric in a job that survives the death of PEs: the PE that was to
// answer may be dead. One object a wait.
#pragma once

#include <cstdint>

#include "base/failures.hpp"
#include "base/platform.hpp"

namespace tessera {

class DeathPatience {
  public:
    // Calls the handler of failures (base/failures.hpp). A wait that goes on for some seconds
    // behind a death ends the job. COST: two loads while no PE has died.
    TESSERA_INLINE void look() {
        if (failure_count() > 0) [[unlikely]]
            look_at_deaths();
    }

  private:
    TESSERA_COLD void look_at_deaths();

    std::uint64_t since_ns_ = 0;  // the first look that found a death
};

}  // namespace tessera
