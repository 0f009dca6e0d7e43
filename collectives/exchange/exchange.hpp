// SPDX-License-Identifier: BSD-3-Clause
//
// The moves that only the runtime layer has: gather, scatter, and those with counts and
// displacements. A member gives and takes parts (streams/call.hpp). Gatherv and scatterv are gather
// and scatter with counts.
#pragma once

#include "collectives/algorithm.hpp"
#include "collectives/collect/collect.hpp"

namespace tessera::collectives {

struct Gather {
    static constexpr Collective kCollective = Collective::kGather;
    struct Run {};
};

struct Scatter {
    static constexpr Collective kCollective = Collective::kScatter;
    struct Run {};
};

// Algorithms of collect serve it as well: blocks of different sizes, one behind the other.
struct Allgatherv {
    static constexpr Collective kCollective = Collective::kAllgatherv;
    using Run = Collect::Run;
};

struct Alltoallv {
    static constexpr Collective kCollective = Collective::kAlltoallv;
    struct Run {};
};

}  // namespace tessera::collectives
