// SPDX-License-Identifier: BSD-3-Clause
//
// Collective calls that do not match. Each team and active set numbers its collectives. The first
// PE to make the n-th one writes what it calls onto a board, in memory of the team's first member;
// each other PE compares its own call with that before it goes on. So two PEs that would wait for
// each other in different calls are found while the second one still runs.
//
// Collectives of different teams in different orders: each PE also shows which collective it is in.
// A PE about to wait for a member that waits for this PE elsewhere has found a deadlock.
#pragma once

#include "tools/interpose/call.hpp"

namespace tessera::check {

// Whether the call takes part in the order of collectives.
bool is_collective(const interpose::Call& call);

void before_collective(interpose::Call& call);
void after_collective(const interpose::Call& call);

// Collective: the board lies in team memory, which the program's heap does not notice.
void begin_collectives();
void end_collectives();

}  // namespace tessera::check
