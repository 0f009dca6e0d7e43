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
    kAuto,      // as kCore while every PE gets usable cores of its own, else as kNone
    kHwthread,  // one usable PU; never two PEs on one
    kCore,      // all usable PUs of one core; never two PEs on one core
    kL3,        // all usable PUs that share the core's L3 cache; any number of PEs, as for the next
    kNuma,      // all usable PUs of one NUMA node
    kPackage,   // all usable PUs of one package
    kNone,      // wherever the kernel likes
};
inline constexpr std::string_view kBindToNames[] = {"auto", "hwthread", "core", "l3",
                                                    "numa", "package",  "none"};

// The order in which the PEs of a node get its cores. Faster kinds of cores come first.
enum class MapBy : std::uint8_t {
    kHwthread,  // as kCore, but with kHwthread the PUs of a core go to neighbours
    kCore,  // neighbours: PE 0 the first core, PE 1 the next; fills a NUMA node before the next one
    kL3,    // in turn over the L3 caches: PE 0 a core of the first, PE 1 of the second, and so on;
            // a cache whose cores are all given out is passed over
    kNuma,  // the same over the NUMA nodes
    kPackage,  // the same over the packages
    kNode,     // in turn over the hosts, which the launcher does when it numbers the PEs; inside
               // one host the same as kCore
};
inline constexpr std::string_view kMapByNames[] = {"hwthread", "core",    "l3",
                                                   "numa",     "package", "node"};

// How many cores (with kHwthread: PUs) a PE gets, and how many PEs a part of the machine gets
// before the next part has its turn.
struct Share {
    int cores_per_pe = 1;
    int pes_per_part = 1;
};

struct Plan {
    // OS indices for each PE of this node, in the order of their local index. Empty: not bound.
    std::vector<std::vector<std::uint32_t>> pus;
    // Not empty: the reason why the request cannot be met; pus is then empty.
    std::string error;
};

// REQUIRES: npes_local >= 0. With more PEs than cores the parts larger than a core start over
// at the first core.
Plan plan(const Facts& facts, int npes_local, BindTo bind_to = BindTo::kAuto,
          MapBy map_by = MapBy::kCore, Share share = {});

// The parts of the machine that `map_by` deals PEs out to: cores, L3 caches, NUMA nodes, packages.
int part_count(const Facts& facts, MapBy map_by);

// The processors of helpers: each gets a core that no PE may use, as near as there is one to the PE
// that neighbours[i] names. `pes`: the result of plan(). error: why there are too few such cores.
Plan plan_helpers(const Facts& facts, const Plan& pes, std::span<const int> neighbours);

}  // namespace tessera::topology
