// SPDX-License-Identifier: BSD-3-Clause
//
// Who calls: for the check that a private context stays with its thread (SHMEM_DEBUG).
#pragma once

#include <cstdint>

namespace tessera::api {

// What the function of shmemx_register_gettid says of the calling thread; without one, its number
// in the system.
std::uint64_t thread_number();

}  // namespace tessera::api
