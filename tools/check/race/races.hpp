// SPDX-License-Identifier: BSD-3-Clause
//
// Races: conflicting accesses of two PEs, or of one, to symmetric memory, which nothing orders. The
// checker's observer calls these functions (tools/check/observer.cpp); docs/run/checking.md says
// what is seen and what is not.
#pragma once

#include "tools/interpose/call.hpp"

namespace tessera::check::race {

// Collective over all PEs.
void begin();
void end();

// In the order of the calls; the library runs between the two.
void before(const interpose::Call& call);
void after(const interpose::Call& call);

}  // namespace tessera::check::race
