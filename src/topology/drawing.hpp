// SPDX-License-Identifier: BSD-3-Clause
//
// The machine and the binding of PEs as text for people. Called by oshrun and osh_info.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "topology/topology.hpp"

namespace tessera::topology {

// Where a PE with these PUs (ascending OS indices; empty: not bound) runs and gets its memory, on
// one line:
//   bound to package 0, NUMA node 1, L3 1, core 9 (PUs 9,73): [........ .B......]
// The map has brackets for packages, blanks between L3 caches, and a character for each allowed
// core: B when the PE may run on all its usable PUs, b on some of them, else a dot. It is left out
// on machines with more than 128 cores.
std::string binding_text(const Facts& facts, std::span<const std::uint32_t> pus);

// The packages, NUMA nodes, L3 caches and cores that the job may use, as a tree with a line each
// for the caches.
std::string drawing(const Facts& facts);

}  // namespace tessera::topology
