// SPDX-License-Identifier: BSD-3-Clause
//
// Locks of shmem_set_lock: released by a PE that does not hold them, taken twice, never released.
#pragma once

#include "tools/interpose/call.hpp"

namespace tessera::check {

void before_lock(const interpose::Call& call);
void after_lock(const interpose::Call& call);
// At the last finalize.
void end_locks(const interpose::Call& call);
// Before the call frees `bytes`: the PE holds no lock in them.
void check_freed_locks(const interpose::Call& call, std::size_t bytes);

}  // namespace tessera::check
