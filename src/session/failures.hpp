// SPDX-License-Identifier: BSD-3-Clause
//
// Programs that go on when other PEs' processes die (include/shmemx/failures.h, base/failures.hpp).
#pragma once

#include "base/failures.hpp"

namespace tessera {

// From here on the death of another PE does not end the job. RETURNS: false: the launcher cannot.
bool survive_failures(FailureHandler handler);

// Whether shmem_finalize waits for no other PE: it would wait for dead ones. Such programs have met
// by themselves; where PEs of other nodes live, they still have to wait for this one's answers.
bool ends_alone();

}  // namespace tessera
