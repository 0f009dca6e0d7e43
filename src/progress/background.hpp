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

// Counts the work as one local part of `operation`, and advances it once.
// REQUIRES: both stay until the work is complete.
void start_background(BackgroundWork& work, Operation& operation);
// The same without advancing it. COST: a lock that is held for a few instructions.
void add_background(BackgroundWork& work, Operation& operation);

// Advances all works once, unless another thread does. COST: a load when there are none.
void advance_background();

// Whether any work is not complete.
bool has_background();

}  // namespace tessera
