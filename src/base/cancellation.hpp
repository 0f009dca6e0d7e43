// SPDX-License-Identifier: BSD-3-Clause
//
// pthread_cancel() of a thread in the library (docs/run/conformance.md). The calls of libfabric,
// PMIx and the system in which a thread could end are made with cancellation off: a thread that
// ended there would leave locks behind, which other threads need. Where nothing is held and nothing
// is under way, a public routine offers a point at which a cancelled thread may end.
//
// Hot path between nodes. COST: a load and a branch in programs with SHMEM_THREAD_SINGLE, in which
// no thread can cancel another one.
#pragma once

#include <pthread.h>

#include "base/platform.hpp"

namespace tessera {

// Set by init and finalize. THREADS: no other one is in the library.
extern constinit bool may_be_cancelled;

struct CancellationState {
    unsigned off = 0;        // objects NoCancellation of the thread
    unsigned no_points = 0;  // objects NoCancellationPoint of the thread
    int before = PTHREAD_CANCEL_ENABLE;
};
extern constinit thread_local CancellationState cancellation_state
    __attribute__((tls_model("initial-exec")));

// As long as it lives the thread cannot be cancelled.
class NoCancellation {
  public:
    NoCancellation() : is_on_(may_be_cancelled) {
        if (is_on_ && cancellation_state.off++ == 0)
            ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation_state.before);
    }
    ~NoCancellation() {
        if (is_on_ && --cancellation_state.off == 0)
            ::pthread_setcancelstate(cancellation_state.before, nullptr);
    }
    NoCancellation(const NoCancellation&) = delete;
    NoCancellation& operator=(const NoCancellation&) = delete;

  private:
    const bool is_on_;
};

// As long as it lives, cancellation_point() does nothing: the thread is in the middle of an
// operation of several steps. COST: two additions to a word of the thread.
class NoCancellationPoint {
  public:
    NoCancellationPoint() { ++cancellation_state.no_points; }
    ~NoCancellationPoint() { --cancellation_state.no_points; }
    NoCancellationPoint(const NoCancellationPoint&) = delete;
    NoCancellationPoint& operator=(const NoCancellationPoint&) = delete;
};

// A cancelled thread ends here: the stack is unwound, as by an exception. REQUIRES: the thread
// holds nothing that destructors do not give back.
inline void cancellation_point() {
    if (may_be_cancelled && cancellation_state.no_points == 0) ::pthread_testcancel();
}

}  // namespace tessera
