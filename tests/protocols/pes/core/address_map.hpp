// SPDX-License-Identifier: BSD-3-Clause
//
// For harnesses whose threads are PEs: the library's header, with an address map for each thread.
#pragma once

#define address_map address_map_of_process
#include_next "core/address_map.hpp"
#undef address_map

#include "protocol.hpp"

namespace tessera::protocols {

inline constinit AddressMap address_maps[kThreadsMax]{};

}  // namespace tessera::protocols

#define address_map ::tessera::protocols::address_maps[::tessera::protocols::my_thread]
