// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions whose result goes to one member, or in blocks to all. An algorithm of reduce serves
// them as well: members leave the rest of the result where it is.
#pragma once

#include "collectives/algorithm.hpp"
#include "collectives/reduce/reduction.hpp"

namespace tessera::collectives {

struct ReduceToRoot {
    static constexpr Collective kCollective = Collective::kReduceToRoot;
    using Run = void (*)(const Reduction& call);
};

// Costs: of one member's block.
struct ReduceScatter {
    static constexpr Collective kCollective = Collective::kReduceScatter;
    using Run = void (*)(const Reduction& call);
};

}  // namespace tessera::collectives
