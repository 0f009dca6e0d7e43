// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of a team (shmemx/team_memory.h). The members find a place together
// (collectives/team_memory.cpp); each keeps its own books (heap/team_memory.hpp).
#include "shmemx/team_memory.h"

#include <cstring>

#include "api/entry.hpp"
#include "base/bits.hpp"
#include "base/fatal.hpp"
#include "collectives/barrier/barrier.hpp"
#include "collectives/team_memory.hpp"
#include "core/pe_state.hpp"
#include "heap/team_memory.hpp"
#include "settings/config.hpp"

namespace tessera::api {
namespace {

using heap::TeamMemory;

void* allocate(shmem_team_t handle, std::size_t alignment, std::size_t bytes, const char* where) {
    Team& team = team_of(handle, where);
    if (bytes == 0) return nullptr;
    if (!is_power_of_two(alignment) || alignment > kHugePageBytes) {
        if (config().debug) {
            warn("%s: alignment %zu is not a power of two up to %zu, so NULL is returned", where,
                 alignment, kHugePageBytes);
        }
        return nullptr;
    }
    const auto offset = collectives::allocate_team_memory(team, bytes, alignment, where);
    return offset ? heap_address(*offset) : nullptr;
}

void* allocate_zeroed(shmem_team_t handle, std::size_t count, std::size_t size, const char* where) {
    Team& team = team_of(handle, where);
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
    void* block = allocate(handle, TeamMemory::kUnit, bytes, where);
    if (block == nullptr) return nullptr;
    std::memset(block, 0, bytes);
    collectives::sync(team, where);
    return block;
}

// The offset of a block of this team; any other pointer ends the job.
std::size_t checked_block(const Team& team, const void* address, const char* where) {
    const std::size_t offset = heap_offset(address);
    const heap::MemoryRange& range = memory_range();
    if (offset < range.team_begin() || offset >= range.local_begin()) {
        const char* part = address_map.part_of(address).name;
        fatal("%s: %p lies in %s; only blocks of team memory can be freed here", where, address,
              part != nullptr ? part : "no memory of the library");
    }
    const auto block = team_memory().block_containing(offset);
    if (!block)
        fatal("%s: %p lies in no allocated block of team memory (freed twice?)", where, address);
    if (block->begin != offset) {
        fatal("%s: %p lies %zu bytes behind the start of a block of team memory; pass the start",
              where, address, offset - block->begin);
    }
    if (block->team != &team) {
        fatal(
            "%s: the block at %p belongs to another team; free it with the team that allocated it",
            where, address);
    }
    return offset;
}

}  // namespace
}  // namespace tessera::api

namespace api = tessera::api;

SHMEM_ENTRY(void*, shmemx_team_malloc, shmem_team_t team, size_t size) {
    return api::allocate(team, tessera::heap::TeamMemory::kUnit, size, SHMEM_WHERE);
}

SHMEM_ENTRY(void*, shmemx_team_align, shmem_team_t team, size_t alignment, size_t size) {
    return api::allocate(team, alignment, size, SHMEM_WHERE);
}

SHMEM_ENTRY(void*, shmemx_team_calloc, shmem_team_t team, size_t count, size_t size) {
    return api::allocate_zeroed(team, count, size, SHMEM_WHERE);
}

SHMEM_ENTRY(void, shmemx_team_free, shmem_team_t team, void* ptr) {
    tessera::Team& owner = api::team_of(team, SHMEM_WHERE);
    if (ptr == nullptr) return;
    const std::size_t offset = api::checked_block(owner, ptr, SHMEM_WHERE);
    tessera::collectives::barrier(owner, SHMEM_WHERE);  // No member uses the block any more.
    tessera::team_memory().free(offset);
}
