// SPDX-License-Identifier: BSD-3-Clause
//
// The processors of each PE of this node. A pure function of the facts; the launcher applies the
// result with sched_setaffinity() between fork and exec.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/topology.hpp"

namespace tessera::topology {

// How tightly a PE is held. The words of mpirun and srun.
enum class BindTo : std::uint8_t {
    kAuto,     // as kCore while every PE gets a usable core of its own, else as kNone
    kCore,     // all usable PUs of one core; never two PEs on one core
    kL3,       // all usable PUs that share the core's L3 cache; any number of PEs, as for the next
    kNuma,     // all usable PUs of one NUMA node
    kPackage,  // all usable PUs of one package
    kNone,     // wherever the kernel likes
};
inline constexpr std::string_view kBindToNames[] = {"auto", "core",    "l3",
                                                    "numa", "package", "none"};

// The order in which the PEs of a node get its cores. Faster kinds of cores come first.
enum class MapBy : std::uint8_t {
    kCore,  // neighbours: PE 0 the first core, PE 1 the next; fills a NUMA node before the next one
    kL3,    // in turn over the L3 caches: PE 0 a core of the first, PE 1 of the second, and so on;
            // a cache whose cores are all given out is passed over
    kNuma,  // the same over the NUMA nodes
    kPackage,  // the same over the packages
    kNode,     // in turn over the hosts, which the launcher does when it numbers the PEs; inside
               // one host the same as kCore
};
inline constexpr std::string_view kMapByNames[] = {"core", "l3", "numa", "package", "node"};

struct Plan {
    // OS indices for each PE of this node, in the order of their local index. Empty: not bound.
    std::vector<std::vector<std::uint32_t>> pus;
    // Not empty: the reason why the request cannot be met; pus is then empty.
    std::string error;
};

// REQUIRES: npes_local >= 0. With more PEs than cores the parts larger than a core start over
// at the first core.
Plan plan(const Facts& facts, int npes_local, BindTo bind_to = BindTo::kAuto,
          MapBy map_by = MapBy::kCore);

// The processors of helpers: each gets a core that no PE may use, as near as there is one to the PE
// that neighbours[i] names. `pes`: the result of plan(). error: why there are too few such cores.
Plan plan_helpers(const Facts& facts, const Plan& pes, std::span<const int> neighbours);

}  // namespace tessera::topology
