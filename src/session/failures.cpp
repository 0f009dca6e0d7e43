// SPDX-License-Identifier: BSD-3-Clause
//
// See failures.hpp.
#include "session/failures.hpp"

#include "session/live.hpp"

namespace tessera {

bool survive_failures(FailureHandler handler) {
    if (live->job.launcher != launch::Launcher::kOshrun) return false;
    watch_failures(live->node->header().failures, handler);
    // oshrun may append to the log from here on. Pairs with tools/oshrun/survive.cpp:is_survivable.
    live->node->my_record().survives_failures.store(1, std::memory_order_release);
    return true;
}

bool ends_alone() {
    return failure_count() > 0 || (survives_failures() && live->fabric == nullptr);
}

}  // namespace tessera
