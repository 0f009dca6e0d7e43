// SPDX-License-Identifier: BSD-3-Clause
//
// Functions of the program for co_reduce: elements come by reference or by value, and a result
// comes back as the calling convention has it for its type.

#pragma once

#include <cstddef>

#include "core/element_ops.hpp"
#include "core/result_type.hpp"

namespace tessera::caf {

struct UserFunction {
    enum Class { kInteger, kReal, kComplex, kString, kDerived };
    AnyFunction function;
    Class type;
    std::size_t bytes;          // size of an element
    bool takes_values = false;  // the arguments have the attribute VALUE
    std::size_t character_bytes = 1;
    WideReal wide = WideReal::kQuad;
    // The call for one element: a = function(a, b). prepare() chooses it.
    void (*call)(const UserFunction&, std::byte* a, std::byte* b) = nullptr;
};

// Finds out how the function is called. Each image calls it, also those that combine nothing.
// ERRORS: an element or function that co_reduce does not support, and a result of a derived type
// of up to 16 bytes without debug information, end the program.
void prepare(UserFunction& user);

// Combines a[i] = function(a[i], b[i]): the function of a shmemx_op_t whose user_data is a
// prepared UserFunction.
void apply_user_function(void* inout, const void* in, std::size_t elements, void* user_function);

}  // namespace tessera::caf
