// SPDX-License-Identifier: BSD-3-Clause
//
// The measurement of osh_tune, an OpenSHMEM program of two PEs: PE 0 measures, and prints "name
// value" for each parameter (collectives/profile.hpp) that can be measured where the PEs run.
#pragma once

namespace tessera::osh_tune {

// Parameters of the cost model. Both PEs on one node: alpha, context_switch, beta, beta_memory,
// gamma. On two: "fabric" and the provider, off_node_latency, off_node_gap_per_byte,
// off_node_overhead. RETURNS: the exit code.
int measure();
// With helpers (SHMEM_PROGRESS=helpers) that take all sizes: helper_bytes where the last PE is on
// the node of PE 0, else "fabric" and the provider, and off_node_helper_bytes; nothing where they
// save no time. RETURNS: the exit code.
int measure_helpers();

}  // namespace tessera::osh_tune
