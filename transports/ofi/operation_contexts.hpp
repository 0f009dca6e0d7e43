// SPDX-License-Identifier: BSD-3-Clause
//
// Some providers (psm3, opx) keep notes about an operation in the object that its context points
// to, until it is complete (FI_CONTEXT, FI_CONTEXT2). For these, each operation under way gets an
// object of its own, which remembers what the operation completes. THREADS: any.
#pragma once

#include <rdma/fabric.h>

#include <memory>
#include <mutex>
#include <vector>

#include "base/mutexes.hpp"

namespace tessera::ofi {

class OperationContexts {
  public:
    // RETURNS: the context of an operation that completes `completion`.
    void* take(void* completion) {
        std::lock_guard guard(lock_);
        if (free_.empty()) {
            all_.push_back(std::make_unique<Context>());
            free_.push_back(all_.back().get());
        }
        Context* const context = free_.back();
        free_.pop_back();
        context->completion = completion;
        return context;
    }
    // RETURNS: the argument of take(). REQUIRES: the operation has completed, or has not begun.
    void* put_back(void* context) {
        auto* const ended = static_cast<Context*>(context);
        std::lock_guard guard(lock_);
        free_.push_back(ended);
        return ended->completion;
    }

  private:
    struct Context {
        fi_context2 notes{};  // the provider's
        void* completion = nullptr;
    };
    ShortMutex lock_;  // for a few instructions
    std::vector<Context*> free_;
    std::vector<std::unique_ptr<Context>> all_;
};

}  // namespace tessera::ofi
