// SPDX-License-Identifier: BSD-3-Clause
//
// errmsg= of sync statements, of GCC 8 to 14.

#include "abi12/errmsg.hpp"

#include <cstring>

namespace tessera::caf {

ErrorTarget target_of_sync(int* stat, char* errmsg, std::size_t errmsg_bytes) {
    char* variable = nullptr;
    if (errmsg != nullptr) std::memcpy(&variable, errmsg, sizeof variable);
    return {stat, variable, errmsg_bytes};
}

}  // namespace tessera::caf
