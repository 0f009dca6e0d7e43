// SPDX-License-Identifier: BSD-3-Clause
//
// See failures.hpp.
#include "session/failures.hpp"

#include "session/session.hpp"

namespace tessera {

bool survive_failures(FailureHandler handler) {
    if (session->job.launcher != launch::Launcher::kOshrun) return false;
    watch_failures(session->node->header().failures, handler);
    // oshrun may append to the log from here on. Pairs with tools/oshrun/survive.cpp:is_survivable.
    session->node->my_record().survives_failures.store(1, std::memory_order_release);
    return true;
}

bool ends_alone() {
    return failure_count() > 0 || (survives_failures() && session->fabric == nullptr);
}

}  // namespace tessera
