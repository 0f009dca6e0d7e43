// SPDX-License-Identifier: BSD-3-Clause
//
// The list of these algorithms, in the order of osh_info and of the documents: a line each.
#include "collectives/reduce/reduce.hpp"
#include "collectives/reduce/to_owners.hpp"

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
    kReduceEager,
    kReduceExposed,
    kReduceStreamDoubling,
    kReduceStreamHalving)

TESSERA_ALGORITHM_LIST(ReduceToRoot,
    kReduceToRootStream,
    kReduceToRootExposed,
    kReduceToRootHierarchical)

TESSERA_ALGORITHM_LIST(ReduceScatter,
    kReduceScatterStream,
    kReduceScatterExposed,
    kReduceScatterHierarchical)
// clang-format on

}  // namespace tessera::collectives
