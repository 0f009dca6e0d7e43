// SPDX-License-Identifier: BSD-3-Clause
//
// The list of these algorithms, in the order of osh_info and of the documents: a line each.
#include "collectives/broadcast/broadcast.hpp"

namespace tessera::collectives {

// clang-format off
TESSERA_ALGORITHM_LIST(Broadcast,
    kBroadcastDirect,
    kBroadcastLinear,
    kBroadcastKnomial,
    kBroadcastScatterAllgather,
    kBroadcastChain,
    kBroadcastHierarchical,
    kBroadcastEager,
    kBroadcastExposed,
    kBroadcastStream)
// clang-format on

}  // namespace tessera::collectives
