// SPDX-License-Identifier: BSD-3-Clause
//
// A put or a get that is not the usual case: on memory that is not mapped, of many bytes, or with
// strided and indexed types.
#pragma once

#include <dash/dart/if/dart_communication.h>

#include <cstddef>

#include "core/requests.hpp"
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

// Checks the place of the handle, which becomes DART_HANDLE_NULL, and the own memory.
dart_ret_t check_own_side(const Move& what, const char* routine);

// The whole operation, with all checks.
[[gnu::noinline]] dart_ret_t move(const Move& what, const char* routine);

}  // namespace tessera::dart
