// SPDX-License-Identifier: BSD-3-Clause
//
// The network that a PE on this host would use to reach other nodes, without being one. Called by
// osh_info --doctor.
#pragma once

#include "transports/fabric_transport.hpp"

namespace tessera {

// The fabric's choice by this process's settings, and by the launcher if there is one. Ends the
// process with the message that a PE would give where there is no such network.
FabricOutlook fabric_outlook();

}  // namespace tessera
