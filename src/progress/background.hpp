// SPDX-License-Identifier: BSD-3-Clause
//
// Work that goes on while the program computes or waits: nonblocking collectives, and long
// transfers that the PE leaves to the fabric's thread (progress/offload.hpp). It advances whenever
// the program waits or tests (base/wait_environment.hpp), and by the thread of the fabric, where
// there is one. A request names it (progress/request.hpp):
//
//   Request& request = open_request(where);
//   start_background(work, request.operation);
//   *req = publish(request);
//
// THREADS: any.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/mutexes.hpp"
#include "transports/operation.hpp"

namespace tessera {

class BackgroundWork {
  public:
    BackgroundWork() = default;
    BackgroundWork(const BackgroundWork&) = delete;
    BackgroundWork& operator=(const BackgroundWork&) = delete;

    // Does all that needs no waiting, but for room in the fabric. It must not call routines of the
    // specification.
    // RETURNS: whether the work is complete; it is not called again then.
    // THREADS: any, also the fabric's; one at a time for all works of the PE.
    virtual bool advance() = 0;
    // The work is complete, and nothing here uses the object any more. The request becomes complete
    // behind this call.
    virtual void release() = 0;

    // By the owner, in or after release().
    virtual ~BackgroundWork() = default;

  private:
    friend class BackgroundList;
    BackgroundWork* next_ = nullptr;
    Operation* operation_ = nullptr;
};

// The works that are not complete. The session owns it (core/pe_state.hpp).
class BackgroundList {
  public:
    // As start_background(), but without advancing it. COST: a lock, held for a few instructions.
    void add(BackgroundWork& work, Operation& operation);
    // As advance_background().
    void advance();
    bool is_empty() const;

  private:
    void take_added();
    void finish(BackgroundWork& work);

    // Both chains begin with the oldest work. `lock_` guards `added_`, its end, and the hook.
    ShortMutex lock_;
    BackgroundWork* added_ = nullptr;
    BackgroundWork** added_end_ = &added_;
    BackgroundWork* first_ = nullptr;  // the driver's
    std::atomic<std::uint32_t> count_{0};
    std::atomic_flag is_driven_;
};

// Counts the work as one local part of `operation`, and advances it once.
// REQUIRES: both stay until the work is complete.
void start_background(BackgroundWork& work, Operation& operation);

// Advances all works once, unless another thread does. COST: a load when there are none.
void advance_background();

}  // namespace tessera
