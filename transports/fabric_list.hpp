// SPDX-License-Identifier: BSD-3-Clause
//
// The fabrics that this library has, in the order in which SHMEM_FABRIC=auto tries them. A new
// fabric is its folder and a row here; fabric_transport.hpp says what the folder defines. The
// simulation (docs/code/simulation.md) has one of its own. PEs of a simulated node reach each
// other's registered segments by it, too (memory/segment_transport.cpp).
#pragma once

#include <string_view>

#ifdef TESSERA_SIM
#define TESSERA_FABRICS(ROW) ROW(sim) ROW(loopback)
#else
#define TESSERA_FABRICS(ROW) \
    ROW(ofi)                 \
    ROW(loopback)
#endif

namespace tessera {

#define NAME_OF_FABRIC(NAME) #NAME,
inline constexpr std::string_view kFabricChoiceNames[] = {"auto", TESSERA_FABRICS(NAME_OF_FABRIC)};
#undef NAME_OF_FABRIC

}  // namespace tessera
