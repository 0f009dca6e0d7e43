// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of the machine that a process is bound to. A pure function of the facts.
#pragma once

#include <cstdint>
#include <span>

#include "topology/topology.hpp"

namespace tessera::topology {

// Numbers as in CoreFacts; kNotBound: the process may run on several such parts, or the machine
// does not tell.
struct Location {
    static constexpr std::int32_t kNotBound = -1;

    std::int32_t package = kNotBound;
    std::int32_t numa_domain = kNotBound;
    std::int32_t cache_cluster = kNotBound;
    std::int32_t core = kNotBound;
};

// The place of a process that may run on `pus` (OS indices, ascending). A PU that is not among the
// listed ones makes all numbers unknown. COST: a search for each listed PU.
Location locate(const Facts& facts, std::span<const std::uint32_t> pus);

}  // namespace tessera::topology
