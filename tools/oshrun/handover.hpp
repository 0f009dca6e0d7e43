// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs on several hosts are not started by oshrun itself: it becomes srun, prterun or mpirun, with
// its options translated and its environment passed on. Exit codes and signals are then theirs.
// Called by main.cpp before anything else is done.
#pragma once

#include "options.hpp"

namespace tessera::oshrun {

// RETURNS if oshrun itself is to start the job.
void hand_over(const Options& options);

}  // namespace tessera::oshrun
