// SPDX-License-Identifier: BSD-3-Clause
//
// osh_info --check-fabric: whether the provider that jobs would use between nodes keeps the
// promises that transports/ofi/capabilities.cpp relies on. For users of fabrics that Tessera's
// authors do not have.
#pragma once

#include <string>

namespace tessera::osh_info {

// Prints a line for each promise. RETURNS: the exit status, 1 if one that Tessera relies on is
// broken. COST: some seconds, on this host alone.
int check_fabric();

// One promise, as a program of its own (osh_info --doctor-part fabric-check=NAME): a provider may
// hang or end the process. Prints a verdict and details. RETURNS: the exit status.
int run_fabric_check(const std::string& name);

}  // namespace tessera::osh_info
