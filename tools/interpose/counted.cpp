// SPDX-License-Identifier: BSD-3-Clause
//
// See counted.hpp.
#include "tools/interpose/counted.hpp"

namespace tessera::interpose {

thread_local constinit Table table;

}  // namespace tessera::interpose
