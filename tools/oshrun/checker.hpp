// SPDX-License-Identifier: BSD-3-Clause
//
// The checker (docs/run/checking.md) in the PEs: oshrun --check, or SHMEM_CHECK in its environment.
#pragma once

#include "options.hpp"

namespace tessera::oshrun {

// --check, or SHMEM_CHECK with a value that turns the checker on.
bool is_checked(const Options& options);

// Adds the checker to LD_PRELOAD, for PEs that oshrun or another launcher starts.
// REQUIRES: the variables of the command line are exported.
void preload_checker(Options& options);

}  // namespace tessera::oshrun
