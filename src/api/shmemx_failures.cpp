// SPDX-License-Identifier: BSD-3-Clause
//
// Programs that survive the death of PEs (include/shmemx/failures.h).
#include "api/entry.hpp"
#include "base/fatal.hpp"
#include "core/address_map.hpp"
#include "session/failures.hpp"
#include "shmemx.h"

SHMEM_ENTRY(int, shmemx_survive_failures, shmemx_failure_handler_t handler) {
    tessera::check_initialized(SHMEM_WHERE);
    return tessera::survive_failures(handler) ? 1 : 0;
}

SHMEM_ENTRY(int, shmemx_failure_count, void) { return static_cast<int>(tessera::failure_count()); }

SHMEM_ENTRY(int, shmemx_failed_pe, int index) {
    const auto count = static_cast<int>(tessera::failure_count());
    if (index < 0 || index >= count) [[unlikely]] {
        tessera::fatal("%s: index %d is not in [0, %d), the PEs that have died", SHMEM_WHERE, index,
                       count);
    }
    return tessera::failed_pe(static_cast<std::uint32_t>(index));
}
