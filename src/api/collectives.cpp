// SPDX-License-Identifier: BSD-3-Clause
//
// Barriers and syncs (OpenSHMEM 1.6, 9.10).
#include "shmem/collectives.h"

#include "api/entry.hpp"
#include "collectives/barrier/active_set.hpp"
#include "collectives/table.hpp"
#include "core/runtime.hpp"
#include "shmem/deprecated.h"

SHMEM_ENTRY(void, shmem_barrier_all, void) {
    tessera::check_initialized(SHMEM_WHERE);
    tessera::collectives::barrier(tessera::world_team, SHMEM_WHERE);
}

SHMEM_ENTRY(void, shmem_sync_all, void) {
    tessera::check_initialized(SHMEM_WHERE);
    tessera::collectives::sync(tessera::world_team, SHMEM_WHERE);
}

// Deprecated since 1.5.
SHMEM_ENTRY(void, shmem_barrier, int PE_start, int logPE_stride, int PE_size, long* pSync) {
    tessera::check_initialized(SHMEM_WHERE);
    tessera::default_context.quiet();
    tessera::collectives::sync_active_set({PE_start, logPE_stride, PE_size}, pSync, SHMEM_WHERE);
}
SHMEM_ENTRY(void, shmem_sync, int PE_start, int logPE_stride, int PE_size, long* pSync) {
    tessera::check_initialized(SHMEM_WHERE);
    tessera::collectives::sync_active_set({PE_start, logPE_stride, PE_size}, pSync, SHMEM_WHERE);
}
