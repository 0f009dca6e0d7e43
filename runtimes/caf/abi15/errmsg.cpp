// SPDX-License-Identifier: BSD-3-Clause
//
// errmsg= of sync statements, of GCC 15 and later: no compiler has shown how it comes.

#include "abi12/errmsg.hpp"

namespace tessera::caf {

ErrorTarget target_of_sync(int* stat, char*, std::size_t) { return {.stat = stat}; }

}  // namespace tessera::caf
