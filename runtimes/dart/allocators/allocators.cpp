// SPDX-License-Identifier: BSD-3-Clause
//
// dart_allocator_*: each unit has a pool, its part of one allocation of the team, and divides it
// without the others (buddies.hpp).

#include <dash/dart/if/dart_globmem.h>

#include <bit>
#include <mutex>

#include "allocators/buddies.hpp"
#include "core/entry.hpp"
#include "core/log.hpp"
#include "core/team.hpp"
#include "core/types.hpp"

struct dart_allocator_struct {
    static constexpr std::uint64_t kMark = 0x44415254'414C4C4F;  // "DARTALLO"
    std::uint64_t mark = kMark;
    dart_gptr_t pool;  // of this unit
    std::mutex mutex;
    tessera::dart::Buddies buddies;

    dart_allocator_struct(dart_gptr_t pool_of_unit, std::uint64_t bytes)
        : pool(pool_of_unit), buddies(bytes) {}
};

namespace tessera::dart {
namespace {

bool is_allocator(dart_allocator_t allocator, const char* routine) {
    if (allocator == nullptr || allocator->mark != dart_allocator_struct::kMark) [[unlikely]] {
        fail(DART_ERR_INVAL, routine, "the allocator was not made by dart_allocator_new");
        return false;
    }
    return true;
}

}  // namespace

DART_ENTRY dart_ret_t dart_allocator_new(size_t pool_size, dart_team_t team_id,
                                         dart_allocator_t* new_allocator) {
    if (new_allocator == nullptr) {
        return fail(DART_ERR_INVAL, __func__, "new_allocator is a null pointer");
    }
    *new_allocator = nullptr;
    if (pool_size > std::size_t{1} << 62) {
        return fail(DART_ERR_INVAL, __func__, "a pool of %zu bytes", pool_size);
    }
    const std::size_t bytes = std::bit_ceil(pool_size);
    dart_gptr_t pool = DART_GPTR_NULL;
    const dart_ret_t result = dart_team_memalloc_aligned(team_id, bytes, DART_TYPE_BYTE, &pool);
    if (result != DART_OK) {
        return result;
    }
    dart_gptr_setunit(&pool, find_team(team_id)->my_id);
    *new_allocator = new dart_allocator_struct(pool, bytes);
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_allocator_alloc(size_t nelem, dart_datatype_t dtype, dart_gptr_t* gptr,
                                           dart_allocator_t allocator) {
    if (gptr == nullptr) {
        return fail(DART_ERR_INVAL, __func__, "gptr is a null pointer");
    }
    *gptr = DART_GPTR_NULL;
    if (!is_allocator(allocator, __func__)) {
        return DART_ERR_INVAL;
    }
    if (!is_basic(dtype)) {
        return fail(DART_ERR_INVAL, __func__, "type %ld is not basic", static_cast<long>(dtype));
    }
    std::size_t bytes = 0;
    std::optional<std::uint64_t> offset;
    if (!__builtin_mul_overflow(nelem, bytes_of_basic(dtype), &bytes)) {
        const std::lock_guard guard(allocator->mutex);
        offset = allocator->buddies.allocate(bytes);
    }
    if (!offset.has_value()) {
        // No message: a program may allocate until the pool is used up.
        return DART_ERR_NOMEM;
    }
    *gptr = allocator->pool;
    gptr->addr_or_offs.offset += *offset;
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_allocator_free(dart_gptr_t* gptr, dart_allocator_t allocator) {
    if (gptr == nullptr || !is_allocator(allocator, __func__)) {
        return DART_ERR_INVAL;
    }
    const dart_gptr_t& pool = allocator->pool;
    const std::lock_guard guard(allocator->mutex);
    if (gptr->segid != pool.segid || gptr->teamid != pool.teamid || gptr->unitid != pool.unitid ||
        !allocator->buddies.free(gptr->addr_or_offs.offset - pool.addr_or_offs.offset)) {
        return fail(DART_ERR_INVAL, __func__,
                    "the pointer (unit %d, segment %d, offset %llu) was not given by "
                    "dart_allocator_alloc of this unit and allocator, or is free already",
                    gptr->unitid, gptr->segid,
                    static_cast<unsigned long long>(gptr->addr_or_offs.offset));
    }
    *gptr = DART_GPTR_NULL;
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_allocator_destroy(dart_allocator_t* allocator) {
    if (allocator == nullptr || !is_allocator(*allocator, __func__)) {
        return DART_ERR_INVAL;
    }
    dart_gptr_t pool = (*allocator)->pool;
    dart_gptr_setunit(&pool, 0);
    (*allocator)->mark = 0;
    delete *allocator;
    *allocator = nullptr;
    return dart_team_memfree(pool);
}

}  // namespace tessera::dart
