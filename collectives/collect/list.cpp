// SPDX-License-Identifier: BSD-3-Clause
//
// The list of these algorithms, in the order of osh_info and of the documents: a line each.
#include "collectives/collect/collect.hpp"

namespace tessera::collectives {

// clang-format off
TESSERA_ALGORITHM_LIST(Collect,
    kCollectDirect,
    kCollectLinear,
    kCollectRing,
    kCollectHierarchical)

TESSERA_ALGORITHM_LIST(Fcollect,
    kFcollectDirect,
    kFcollectLinear,
    kFcollectRing,
    kFcollectBruck,
    kFcollectRecursiveDoubling,
    kFcollectNeighborExchange,
    kFcollectHierarchical,
    kFcollectEager,
    kFcollectExposed,
    kFcollectStream)
// clang-format on

}  // namespace tessera::collectives
