// SPDX-License-Identifier: BSD-3-Clause
//
// errmsg= of sync statements, as GCC 16 passes it: like that of all others.

#include "abi12/errmsg.hpp"

namespace tessera::caf {

ErrorTarget target_of_sync(int* stat, char* errmsg, std::size_t errmsg_bytes) {
    return {stat, errmsg, errmsg_bytes};
}

}  // namespace tessera::caf
