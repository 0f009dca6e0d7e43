// SPDX-License-Identifier: BSD-3-Clause
//
// The output of SHMEM_VERSION and SHMEM_INFO when a job starts.
#pragma once

#include <span>

#include "launch/job.hpp"
#include "session/node.hpp"
#include "settings/config.hpp"

namespace tessera {

// Called by PE 0 once all PEs are up. Prints to stdout the parts that the settings ask for.
void print_info(const Node& node, const launch::Job& job, std::span<const Outcome> outcomes);

}  // namespace tessera
