// SPDX-License-Identifier: BSD-3-Clause
//
// The rule of docs/run/progress.md ("Who may wait"), checked in every build: neither a handler of
// messages, nor the holder of a lock that a handler takes, waits, drives progress, or takes a lock
// that is held over progress. Otherwise a PE that waits would run a handler that waits for this PE.
// A thread that breaks the rule ends the job at that moment, with a message, and not in the rare
// run in which the wait never ends.
//
// Hot path: a handler, and a lock, pay for two additions to a word of the thread.
#pragma once

#include "base/platform.hpp"

namespace tessera {

struct NoWaitState {
    unsigned depth = 0;  // objects NoWait, and mutexes held, of the thread
    const char* last = "";
};
// The model that needs no call: the words lie at a fixed distance from the thread's own.
extern constinit thread_local NoWaitState no_wait_state __attribute__((tls_model("initial-exec")));

[[noreturn]] TESSERA_COLD void fail_wait(const char* where);

// The calling thread is about to wait, to drive progress, or to take a lock that is held over
// progress. `where` names it.
TESSERA_INLINE void check_may_wait(const char* where) {
    if (no_wait_state.depth != 0) [[unlikely]]
        fail_wait(where);
}

TESSERA_INLINE void begin_no_wait(const char* what) {
    ++no_wait_state.depth;
    no_wait_state.last = what;
}
TESSERA_INLINE void end_no_wait() { --no_wait_state.depth; }

// As long as it lives the thread must not wait. `what` says why, for the message.
class NoWait {
  public:
    explicit NoWait(const char* what) { begin_no_wait(what); }
    ~NoWait() { end_no_wait(); }
    NoWait(const NoWait&) = delete;
    NoWait& operator=(const NoWait&) = delete;
};

}  // namespace tessera
