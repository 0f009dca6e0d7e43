// SPDX-License-Identifier: BSD-3-Clause
//
// Which first checks suit two PEs that wait for each other: bare ones, or with the processor's
// pause between them (base/wait.hpp)? A pause takes 11 to 60 ns, mostly longer than the rest of the
// wait. But a PE that checks without pauses slows down another PE that runs on the same core, and a
// virtual machine does not show which of its processors share one. So two PEs of a node try both
// when they start.
#pragma once

#include "base/wait.hpp"

namespace tessera {

// Sets wait_policy.pauses of this PE to the result of two PEs. Both call it at about the same
// time, each with its own gate, which is at 0 before, and with the other's; one of them decides. A
// partner that does not come within the first checks of a wait (10 to 60 us) changes nothing.
// REQUIRES: a policy with a core for each PE; no thread of this PE waits meanwhile.
// COST: the wait for the partner and 72 exchanges of two cache lines, 4 to 20 us.
void try_pauses(Gate& mine, Gate& theirs, bool decides);

}  // namespace tessera
