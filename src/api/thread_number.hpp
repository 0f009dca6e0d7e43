// SPDX-License-Identifier: BSD-3-Clause
//
// The number of the calling thread, to check that a private context stays with its thread
// (SHMEM_DEBUG), and to tell the owner of a lock. Hot path: locks ask for it in every call.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/platform.hpp"
#include "shmemx.h"

namespace tessera::api {

// The program's function. Relaxed: it registers it before other threads create contexts.
extern std::atomic<shmemx_gettid_t> registered_gettid;
// Initial-exec: one load instead of a call. 0: this thread has not asked the system yet.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local std::uint64_t system_number;
TESSERA_COLD std::uint64_t ask_thread_number();

// The number of the calling thread from the function of shmemx_register_gettid; without one, its
// number in the system.
TESSERA_INLINE std::uint64_t thread_number() {
    const bool is_known = registered_gettid.load(std::memory_order_relaxed) == nullptr;
    if (is_known && system_number != 0) [[likely]]
        return system_number;
    return ask_thread_number();
}

}  // namespace tessera::api
