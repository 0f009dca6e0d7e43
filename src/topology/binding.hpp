// SPDX-License-Identifier: BSD-3-Clause
//
// The processors of each PE of this node. A pure function of the facts; the launcher applies the
// result with sched_setaffinity() between fork and exec.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/topology.hpp"

namespace tessera::topology {

// How tightly a PE is held. The words of mpirun and srun.
enum class BindTo : std::uint8_t {
    kAuto,  // as kCore while every PE gets a usable core of its own, else as kNone
    kCore,  // all usable PUs of one core; never two PEs on one core
    kNuma,  // all usable PUs of one NUMA node; any number of PEs
    kNone,  // wherever the kernel likes
};

// The order in which the PEs of a node get its cores.
enum class MapBy : std::uint8_t {
    kCore,  // neighbours: PE 0 the first core, PE 1 the next; fills a NUMA node before the next one
    kNuma,  // in turn over the NUMA nodes: PE 0 a core of the first, PE 1 of the second, and so on;
            // a node whose cores are all given out is passed over
    kNode,  // in turn over the hosts, which the launcher does when it numbers the PEs; inside one
            // host the same as kCore
};

struct Plan {
    // OS indices for each PE of this node, in the order of their local index. Empty: not bound.
    std::vector<std::vector<std::uint32_t>> pus;
    // Not empty: the reason why the request cannot be met; pus is then empty.
    std::string error;
};

// REQUIRES: npes_local >= 0. With more PEs than cores kNuma starts over at the first core.
Plan plan(const Facts& facts, int npes_local, BindTo bind_to = BindTo::kAuto,
          MapBy map_by = MapBy::kCore);

}  // namespace tessera::topology
