// SPDX-License-Identifier: BSD-3-Clause
//
// See allocation.hpp. The words of two allocations take turns, as those of form team do: an image
// that writes some has passed a sync_members() behind the last reads of them.

#include "core/allocation.hpp"

#include <shmem.h>
#include <shmemx.h>

#include "core/report.hpp"

namespace tessera::caf {
namespace {

// The same on all images for symmetric memory; 0 for other memory.
std::uint64_t name_of(const void* object) {
    const bool is_symmetric = shmem_addr_accessible(object, shmem_my_pe()) != 0;
    return is_symmetric ? shmemx_gptr_of(object, 0) : 0;
}

}  // namespace

int sync_allocation(Team& team, const Allocation& mine) {
    const int me = team.pe_of(team.this_image);
    std::uint64_t* words = &team.allocation_words[team.allocations++ % 2 * 2];
    const std::uint64_t name = name_of(mine.object);
    shmem_uint64_atomic_set(&words[0], mine.bytes, me);
    shmem_uint64_atomic_set(&words[1], name, me);
    shmem_quiet();
    const int status = sync_members(team);
    if (status != kOk || team.this_image == 1) return status;
    const std::uint64_t bytes = shmem_uint64_atomic_fetch(&words[0], team.pe_of(1));
    if (shmem_uint64_atomic_fetch(&words[1], team.pe_of(1)) != name) {
        stop_with_error(mine.statement,
                        "this image %s another coarray than image 1; all images of a team %s the "
                        "same coarrays in the same order",
                        mine.verb, mine.statement);
    }
    if (bytes != mine.bytes) {
        stop_with_error(mine.statement,
                        "this image %s %zu bytes, and image 1 %zu bytes, in the same statement; a "
                        "coarray has the same shape on all images",
                        mine.verb, mine.bytes, static_cast<std::size_t>(bytes));
    }
    return status;
}

}  // namespace tessera::caf
