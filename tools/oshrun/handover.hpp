// SPDX-License-Identifier: BSD-3-Clause
//
// oshrun does not start jobs on several hosts itself: it becomes srun, prterun or mpirun, with its
// options translated and its environment passed on. That launcher then handles exit codes and
// signals.
// Called by main.cpp before anything else is done.
#pragma once

#include "options.hpp"

namespace tessera::oshrun {

// RETURNS if oshrun itself is to start the job.
void hand_over(const Options& options);

}  // namespace tessera::oshrun
