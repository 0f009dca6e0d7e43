// SPDX-License-Identifier: BSD-3-Clause
//
// Functions of the program for co_reduce: elements come by reference or by value, and a result
// comes back as the calling convention has it for its type.

#pragma once

#include <cstddef>
#include <cstdint>

#include "core/element_ops.hpp"

namespace tessera::caf {

using AnyFunction = void (*)();

struct UserFunction {
    enum Class { kInteger, kReal, kComplex, kString, kDerived };
    AnyFunction function;
    Class type;
    std::size_t bytes;          // of an element
    bool takes_values = false;  // the arguments have the attribute VALUE
    std::size_t character_bytes = 1;
    WideReal wide = WideReal::kQuad;
    std::int64_t scores[4] = {};  // findings of struct_result.cpp about the result
};

// Combines a[i] = function(a[i], b[i]): the function of a shmemx_op_t whose user_data is a
// UserFunction.
// ERRORS: a type that co_reduce cannot call on this processor ends the program.
void apply_user_function(void* inout, const void* in, std::size_t elements, void* user_function);

}  // namespace tessera::caf
