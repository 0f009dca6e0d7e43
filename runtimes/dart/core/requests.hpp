// SPDX-License-Identifier: BSD-3-Clause
//
// Handles of operations are the requests of <shmemx.h>: complete is NULL for both.
#pragma once

#include <dash/dart/if/dart_communication.h>
#include <shmemx.h>

namespace tessera::dart {

inline shmemx_req_t* request_of(dart_handle_t* handle) {
    return reinterpret_cast<shmemx_req_t*>(handle);
}

}  // namespace tessera::dart
