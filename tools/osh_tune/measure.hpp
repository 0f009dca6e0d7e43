// SPDX-License-Identifier: BSD-3-Clause
//
// The measurement of osh_tune, an OpenSHMEM program of two PEs: PE 0 measures, and prints "name
// value" for each parameter (collectives/profile.hpp) that can be measured where the PEs run.
#pragma once

namespace tessera::osh_tune {

// Both PEs on one node: alpha, context_switch, beta, beta_memory, gamma. On two: "fabric" and the
// provider, off_node_latency, off_node_gap_per_byte, off_node_overhead. RETURNS: the exit code.
int measure();

}  // namespace tessera::osh_tune
