// SPDX-License-Identifier: BSD-3-Clause
//
// The deprecated shmem_barrier and shmem_sync: a set of PEs that exists only for one call, with the
// program's own flags in pSync.
#pragma once

namespace tessera::collectives {

struct ActiveSet {
    int start = 0;
    int log_stride = 0;
    int size = 1;
};

// Whether the calling PE is a member. Old programs let all PEs call, so the first call of another
// PE only warns. A set that is not within the world ends the job.
bool is_in_active_set(const ActiveSet& set, const char* where);

// REQUIRES: is_in_active_set. RETURNS when: all PEs of the set have called it. pSync is then as it
// was: SHMEM_SYNC_VALUE.
void sync_active_set(const ActiveSet& set, long* psync, const char* where);

}  // namespace tessera::collectives
