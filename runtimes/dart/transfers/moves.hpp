// SPDX-License-Identifier: BSD-3-Clause
//
// A put or a get that is not the usual case: on memory that is not mapped, of many bytes, or with
// strided and indexed types.
#pragma once

#include <dash/dart/if/dart_communication.h>
#include <shmemx.h>

#include <cstddef>

#include "transfers/ordering.hpp"

namespace tessera::dart {

enum class Direction : unsigned char { kPut, kGet };

struct Move {
    Direction direction;
    Completion completion;
    void* local;  // a put only reads it
    dart_gptr_t gptr;
    std::size_t elements;
    dart_datatype_t source_type;
    dart_datatype_t dest_type;
    dart_handle_t* handle = nullptr;  // kByHandle
};

// The whole operation, with all checks.
[[gnu::noinline]] dart_ret_t move(const Move& what, const char* routine);

// Handles are the requests of <shmemx.h>: complete is NULL for both.
inline shmemx_req_t* request_of(dart_handle_t* handle) {
    return reinterpret_cast<shmemx_req_t*>(handle);
}

}  // namespace tessera::dart
