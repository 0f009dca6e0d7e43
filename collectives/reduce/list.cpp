// SPDX-License-Identifier: BSD-3-Clause
//
// The list of these algorithms, in the order of osh_info and of the documents: a line each.
#include "collectives/reduce/reduce.hpp"

namespace tessera::collectives {

// clang-format off
TESSERA_ALGORITHM_LIST(Reduce,
    kReduceDirectReduceScatter,
    kReduceFlatTree,
    kReduceRecursiveDoubling,
    kReduceBruck,
    kReduceRabenseifner,
    kReduceRing,
    kReduceKnomial,
    kReduceHierarchical,
    kReduceEager)
// clang-format on

}  // namespace tessera::collectives
