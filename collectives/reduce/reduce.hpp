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
    struct Run {
        void (*run)(const Reduction& call);
        std::size_t direct_from;  // bytes: auto takes put_get below, direct from here on
    };
    static constexpr std::size_t kAlwaysDirect = 0;
    static constexpr std::size_t kNeverDirect = ~std::size_t{0};
};

}  // namespace tessera::collectives
