// SPDX-License-Identifier: BSD-3-Clause
//
// allocated(x) where x has no descriptor (accessors.hpp), of GCC 15.

#include "abi15/accessors.hpp"

namespace tessera::caf {

void* checked_scalar(void*& memory) { return memory; }

}  // namespace tessera::caf
