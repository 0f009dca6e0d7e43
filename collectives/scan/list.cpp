// SPDX-License-Identifier: BSD-3-Clause
//
// The list of these algorithms, in the order of osh_info and of the documents: a line each.
#include "collectives/scan/scan.hpp"

namespace tessera::collectives {

// clang-format off
TESSERA_ALGORITHM_LIST(Scan,
    kScanDirect,
    kScanLinear,
    kScanRecursiveDoubling,
    kScanHierarchical)
// clang-format on

}  // namespace tessera::collectives
