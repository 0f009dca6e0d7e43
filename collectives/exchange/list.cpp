// SPDX-License-Identifier: BSD-3-Clause
//
// The list of these algorithms, in the order of osh_info and of the documents: a line each.
#include "collectives/exchange/exchange.hpp"

namespace tessera::collectives {

// clang-format off
TESSERA_ALGORITHM_LIST(Gather,
    kGatherStream,
    kGatherExposed)

TESSERA_ALGORITHM_LIST(Scatter,
    kScatterStream,
    kScatterExposed)

TESSERA_ALGORITHM_LIST(Allgatherv,
    kAllgathervStream,
    kAllgathervExposed,
    kAllgathervHierarchical)

TESSERA_ALGORITHM_LIST(Alltoallv,
    kAlltoallvStream,
    kAlltoallvExposed)
// clang-format on

}  // namespace tessera::collectives
