// SPDX-License-Identifier: BSD-3-Clause
//
// errmsg= where gfortran passes it in a way of its own. Other statements pass the address and the
// length of the variable.

#pragma once

#include <cstddef>
#include <cstdint>

#include "core/runtime.hpp"

namespace tessera::caf {

// The stat= and errmsg= of a sync statement. GCC 8 to 15 pass the address of a pointer to the
// variable (abi12/errmsg.cpp), GCC 16 that of the variable (abi16/errmsg.cpp).
ErrorTarget target_of_sync(int* stat, char* errmsg, std::size_t errmsg_bytes);

// The same of a collective subroutine. A variable that lies in the caller itself is passed by
// value on the stack, and the arguments behind it come one register early: then a length is where
// the address would be, and errmsg= stays as it was. Programs begin at 4 MiB without PIE, at 1 MiB
// under valgrind.
inline ErrorTarget target_of_collective(int* stat, char* errmsg, std::size_t errmsg_bytes) {
    constexpr std::uintptr_t kNoLength = std::uintptr_t{1} << 20;
    const bool is_address = reinterpret_cast<std::uintptr_t>(errmsg) >= kNoLength;
    return is_address ? ErrorTarget{stat, errmsg, errmsg_bytes} : ErrorTarget{.stat = stat};
}

}  // namespace tessera::caf
