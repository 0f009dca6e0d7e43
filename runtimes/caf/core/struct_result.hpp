// SPDX-License-Identifier: BSD-3-Clause
//
// Functions of the program that return a derived type (user_function.hpp). The compiler tells its
// bytes, not its components. More than 16 bytes come back through a pointer. Up to 16 bytes come
// back in registers, by the components of each word (System V psABI for x86-64, 3.2.3): integer
// registers rax, rdx, or xmm0, xmm1 if all components of the word are reals.

#pragma once

#include <cstddef>

#include "core/user_function.hpp"

namespace tessera::caf {

// RETURNS: a caller of the function for one element, or NULL: not possible on this processor, or
// with arguments that have the attribute VALUE.
void (*find_struct_caller(const UserFunction& user))(UserFunction&, std::byte*, std::byte*);

}  // namespace tessera::caf
