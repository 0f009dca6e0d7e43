// SPDX-License-Identifier: BSD-3-Clause
//
// Mistakes of threads: calls of a thread that the thread level excludes, two calls at the same time
// where the level or the context allows one, and two threads in collectives of one team.
#pragma once

#include "tools/interpose/call.hpp"

namespace tessera::check {

// Called by the thread that has initialized the library.
void begin_threads();

void before_threads(const interpose::Call& call);
void after_threads(const interpose::Call& call);

}  // namespace tessera::check
