// SPDX-License-Identifier: BSD-3-Clause
//
// The list of these algorithms, in the order of osh_info and of the documents: a line each.
#include "collectives/alltoall/alltoall.hpp"

namespace tessera::collectives {

// clang-format off
TESSERA_ALGORITHM_LIST(Alltoall,
    kAlltoallDirect,
    kAlltoallPairwise,
    kAlltoallBruck,
    kAlltoallHierarchical,
    kAlltoallEager,
    kAlltoallExposed,
    kAlltoallStream)
// clang-format on

}  // namespace tessera::collectives
