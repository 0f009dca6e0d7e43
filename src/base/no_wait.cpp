// SPDX-License-Identifier: BSD-3-Clause
//
// See no_wait.hpp.
#include "base/no_wait.hpp"

#include "base/fatal.hpp"

namespace tessera {

constinit thread_local NoWaitState no_wait_state;

void fail_wait(const char* where) {
    const char* const what = no_wait_state.last;
    no_wait_state.depth = 0;  // The end of the job may wait.
    fatal(
        "%s waits in %s, which must not wait: a mistake in Tessera (docs/run/progress.md, \"Who "
        "may wait\"); please report it",
        where, what);
}

}  // namespace tessera
