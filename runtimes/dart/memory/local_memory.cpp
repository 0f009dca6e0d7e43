// SPDX-License-Identifier: BSD-3-Clause
//
// Small blocks come from pools, each with a buddy allocator, so that blocks which are allocated one
// after the other ascend while nothing has been freed. Large blocks are allocated one by one.
// Pools stay with the unit, also over dart_exit.
#include "memory/local_memory.hpp"

#include <dash/dart/if/dart_globmem.h>
#include <shmemx.h>

#include <algorithm>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "allocators/buddies.hpp"
#include "core/entry.hpp"
#include "core/log.hpp"
#include "core/lookup.hpp"
#include "core/types.hpp"

namespace tessera::dart {
namespace {

constexpr std::size_t kPoolBytes = std::size_t{16} << 20;
constexpr std::size_t kSmallestPoolBytes = std::size_t{64} << 10;
constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kSmallestBlockBytes = 16;

struct Pool {
    char* base;
    std::size_t bytes;
    Buddies blocks;

    bool contains(const char* block) const { return block >= base && block < base + bytes; }
};

struct LocalMemory {
    std::mutex mutex{};
    std::vector<Pool> pools{};
    std::unordered_set<char*> large{};
};

// Never destroyed: static destructors of programs may free memory.
LocalMemory& local_memory() {
    static LocalMemory& memory = *new LocalMemory;
    return memory;
}

char* allocate_in(Pool& pool, std::size_t bytes) {
    const auto offset = pool.blocks.allocate(std::max(bytes, kSmallestBlockBytes));
    return offset.has_value() ? pool.base + *offset : nullptr;
}

// As large as local memory has room for. RETURNS: nullptr: there is not even room for the block.
Pool* add_pool(std::vector<Pool>& pools, std::size_t block_bytes) {
    for (std::size_t bytes = kPoolBytes; bytes >= kSmallestPoolBytes && bytes >= block_bytes;
         bytes /= 2) {
        if (void* base = shmemx_local_align(kPageBytes, bytes)) {
            return &pools.emplace_back(Pool{static_cast<char*>(base), bytes, Buddies(bytes)});
        }
    }
    return nullptr;
}

char* allocate_small(LocalMemory& memory, std::size_t bytes) {
    for (Pool& pool : memory.pools) {
        if (char* block = allocate_in(pool, bytes)) {
            return block;
        }
    }
    Pool* pool = add_pool(memory.pools, bytes);
    return pool != nullptr ? allocate_in(*pool, bytes) : nullptr;
}

char* allocate_large(LocalMemory& memory, std::size_t bytes) {
    auto* block = static_cast<char*>(shmemx_local_malloc(bytes));
    if (block != nullptr) {
        memory.large.insert(block);
    }
    return block;
}

}  // namespace

char* allocate_local(std::size_t bytes) {
    LocalMemory& memory = local_memory();
    const std::lock_guard lock(memory.mutex);
    return bytes <= kPoolBytes / 4 ? allocate_small(memory, bytes) : allocate_large(memory, bytes);
}

bool free_local(char* block) {
    LocalMemory& memory = local_memory();
    const std::lock_guard lock(memory.mutex);
    if (memory.large.erase(block) == 1) {
        shmemx_local_free(block);
        return true;
    }
    for (Pool& pool : memory.pools) {
        if (pool.contains(block)) {
            return pool.blocks.free(static_cast<std::size_t>(block - pool.base));
        }
    }
    return false;
}

void end_local_memory() {
    LocalMemory& memory = local_memory();
    const std::lock_guard lock(memory.mutex);
    for (char* block : memory.large) {
        shmemx_local_free(block);
    }
    memory.large.clear();
    for (Pool& pool : memory.pools) {
        pool.blocks = Buddies(pool.bytes);
    }
}

DART_ENTRY dart_ret_t dart_memalloc(size_t nelem, dart_datatype_t dtype, dart_gptr_t* gptr) {
    if (gptr == nullptr) {
        return fail(DART_ERR_INVAL, __func__, "the place for the result is NULL");
    }
    *gptr = DART_GPTR_NULL;
    if (!is_running()) {
        return fail_not_running(__func__);
    }
    std::size_t bytes = 0;
    if (!is_basic(dtype) || __builtin_mul_overflow(nelem, bytes_of_basic(dtype), &bytes)) {
        return fail(DART_ERR_INVAL, __func__, "%zu elements of type %ld cannot be allocated", nelem,
                    static_cast<long>(dtype));
    }
    const char* block = allocate_local(bytes);
    if (block == nullptr) {
        return fail(DART_ERR_NOMEM, __func__,
                    "no memory is left for %zu bytes; make SHMEM_LOCAL_MEMORY_SIZE larger", bytes);
    }
    dart_gptr_setunit(gptr, DART_TEAM_UNIT_ID(my_unit()));
    gptr->segid = DART_SEGMENT_LOCAL;
    gptr->teamid = DART_TEAM_ALL;
    gptr->addr_or_offs.offset = static_cast<std::uint64_t>(block - anchor());
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_memfree(dart_gptr_t gptr) {
    if (!is_running()) {
        return fail_not_running(__func__);
    }
    const bool is_own = gptr.segid == DART_SEGMENT_LOCAL && gptr.teamid == DART_TEAM_ALL &&
                        gptr.unitid == my_unit();
    if (!is_own || !free_local(anchor() + gptr.addr_or_offs.offset)) {
        return fail(DART_ERR_INVAL, __func__,
                    "the pointer (unit %d, team %d, segment %d) is none that dart_memalloc has "
                    "given to this unit",
                    gptr.unitid, gptr.teamid, gptr.segid);
    }
    return DART_OK;
}

}  // namespace tessera::dart
