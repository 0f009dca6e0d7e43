// SPDX-License-Identifier: BSD-3-Clause
//
// The list of these algorithms, in the order of osh_info and of the documents: a line each.
#include "collectives/barrier/barrier.hpp"

namespace tessera::collectives {

// clang-format off
TESSERA_ALGORITHM_LIST(Barrier,
    kBarrierCentral,
    kBarrierDissemination,
    kBarrierKwayDissemination,
    kBarrierHierarchical,
    kBarrierStream)
// clang-format on

}  // namespace tessera::collectives
