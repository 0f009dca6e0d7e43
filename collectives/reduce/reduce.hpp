// SPDX-License-Identifier: BSD-3-Clause
//
// The reductions, one algorithm a file. All of them: dest on all members = source of member 0 op
// source of member 1 op ..., for any number of elements but 0; dest may be source.
#pragma once

#include "collectives/algorithm.hpp"
#include "collectives/reduce/reduction.hpp"

namespace tessera::collectives {

struct Reduce {
    static constexpr Collective kCollective = Collective::kReduce;
    using Run = void (*)(const Reduction& call);
};

}  // namespace tessera::collectives
