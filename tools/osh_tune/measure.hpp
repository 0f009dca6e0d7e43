// SPDX-License-Identifier: BSD-3-Clause
//
// What osh_tune does as an OpenSHMEM program of two PEs: PE 0 measures, and prints "name value" for
// each price (collectives/profile.hpp) that can be measured where the PEs are.
#pragma once

namespace tessera::osh_tune {

// Both PEs on one node: alpha, switching, beta, beta_far, gamma. On two: "fabric" and the
// provider, fabric_alpha, fabric_beta, fabric_ready. RETURNS: the exit code.
int measure();

}  // namespace tessera::osh_tune
