// SPDX-License-Identifier: BSD-3-Clause
//
// Context handles (OpenSHMEM 1.6, 9.5): what a handle that is no context leads to.
#include "api/entry.hpp"
#include "base/fatal.hpp"

namespace tessera::api {

void fail_context(shmem_ctx_t ctx, const char* where) {
    check_initialized(where);
    if (ctx == SHMEM_CTX_INVALID) {
        fatal("%s: ctx is SHMEM_CTX_INVALID; was the context created, and not destroyed?", where);
    }
    fatal("%s: ctx %p is not a context", where, static_cast<void*>(ctx));
}

}  // namespace tessera::api
