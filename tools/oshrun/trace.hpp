// SPDX-License-Identifier: BSD-3-Clause
//
// --trace, --report and SHMEM_TRACE: the PEs preload libtessera-trace.so and write their parts of
// the trace to a folder; after the job osh_report makes the timeline and the page of them
// (docs/run/timeline.md). Called by main.cpp.
#pragma once

#include <csignal>

#include "options.hpp"

namespace tessera::oshrun {

// Adds what the PEs need to the job's variables. Does nothing if no trace is wanted.
void prepare_trace(Options& options);

// Says what to do when the job has ended, before another launcher takes oshrun's place.
void announce_report(const Options& options);

// RETURNS whether all that was wanted is there; else a message says why. REQUIRES: no PE is left.
bool make_report(const Options& options, const sigset_t& mask);

}  // namespace tessera::oshrun
