// SPDX-License-Identifier: BSD-3-Clause
//
// dart_allocator_*: each unit has a pool, its part of one allocation of the team, and divides it
// without the others (buddies.hpp).

#include "allocators/allocators.hpp"

#include <dash/dart/if/dart_globmem.h>

#include <bit>
#include <mutex>

#include "allocators/buddies.hpp"
#include "collectives/arguments.hpp"
#include "core/entry.hpp"
#include "core/handles.hpp"
#include "core/log.hpp"
#include "core/types.hpp"

namespace tessera::dart {
namespace {

struct Allocator {
    dart_gptr_t pool;  // this unit's pool
    std::mutex mutex{};
    Buddies buddies;

    Allocator(dart_gptr_t pool_of_unit, std::uint64_t bytes) : pool(pool_of_unit), buddies(bytes) {}
};

using Allocators = Handles<Allocator, HandleKind::kAllocator>;

std::uint64_t number_of(dart_allocator_t allocator) {
    return reinterpret_cast<std::uintptr_t>(allocator);
}

dart_ret_t fail_allocator(const char* routine) {
    return fail(DART_ERR_INVAL, routine,
                "the allocator was not made by dart_allocator_new, or has ended");
}

}  // namespace

void stop_allocators() { Allocators::all().clear(); }

DART_ENTRY dart_ret_t dart_allocator_new(size_t pool_size, dart_team_t team_id,
                                         dart_allocator_t* new_allocator) {
    Collective call(team_id, __func__);
    call.check_place(new_allocator);
    if (new_allocator != nullptr) *new_allocator = nullptr;
    if (call.is_possible() && pool_size > std::size_t{1} << 62)
        call.refuse(fail(DART_ERR_INVAL, __func__, "a pool of %zu bytes", pool_size));
    if (!call.begin()) return call.fail_together();
    const std::size_t bytes = std::bit_ceil(pool_size);
    dart_gptr_t pool = DART_GPTR_NULL;
    const dart_ret_t result = dart_team_memalloc_aligned(team_id, bytes, DART_TYPE_BYTE, &pool);
    if (result != DART_OK) return result;
    dart_gptr_setunit(&pool, call.team().my_id);
    *new_allocator = reinterpret_cast<dart_allocator_t>(
        Allocators::all().add(std::make_unique<Allocator>(pool, bytes)));
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_allocator_alloc(size_t nelem, dart_datatype_t dtype, dart_gptr_t* gptr,
                                           dart_allocator_t allocator) {
    if (gptr == nullptr) return fail(DART_ERR_INVAL, __func__, "gptr is a null pointer");
    *gptr = DART_GPTR_NULL;
    Allocator* found = Allocators::all().find(number_of(allocator));
    if (found == nullptr) return fail_allocator(__func__);
    if (!is_basic(dtype))
        return fail(DART_ERR_INVAL, __func__, "type %ld is not basic", static_cast<long>(dtype));
    std::size_t bytes = 0;
    std::optional<std::uint64_t> offset;
    if (!__builtin_mul_overflow(nelem, bytes_of_basic(dtype), &bytes)) {
        const std::lock_guard guard(found->mutex);
        offset = found->buddies.allocate(bytes);
    }
    if (!offset.has_value()) {
        // No message: a program may allocate until the pool is used up.
        return DART_ERR_NOMEM;
    }
    *gptr = found->pool;
    gptr->addr_or_offs.offset += *offset;
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_allocator_free(dart_gptr_t* gptr, dart_allocator_t allocator) {
    if (gptr == nullptr) return fail(DART_ERR_INVAL, __func__, "gptr is a null pointer");
    Allocator* found = Allocators::all().find(number_of(allocator));
    if (found == nullptr) return fail_allocator(__func__);
    const dart_gptr_t& pool = found->pool;
    const std::lock_guard guard(found->mutex);
    if (gptr->segid != pool.segid || gptr->teamid != pool.teamid || gptr->unitid != pool.unitid ||
        !found->buddies.free(gptr->addr_or_offs.offset - pool.addr_or_offs.offset)) {
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
    const std::unique_ptr<Allocator> ended =
        allocator != nullptr ? Allocators::all().remove(number_of(*allocator)) : nullptr;
    if (ended == nullptr) return fail_allocator(__func__);
    dart_gptr_t pool = ended->pool;
    dart_gptr_setunit(&pool, 0);
    *allocator = nullptr;
    return dart_team_memfree(pool);
}

}  // namespace tessera::dart
