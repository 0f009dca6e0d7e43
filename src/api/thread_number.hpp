// SPDX-License-Identifier: BSD-3-Clause
//
// The number of the calling thread, to check that a private context stays with its thread
// (SHMEM_DEBUG), and to tell the owner of a lock.
#pragma once

#include <cstdint>

namespace tessera::api {

// The number of the calling thread from the function of shmemx_register_gettid; without one, its
// number in the system.
std::uint64_t thread_number();

}  // namespace tessera::api
