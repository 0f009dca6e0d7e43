// SPDX-License-Identifier: BSD-3-Clause
//
// Global pointers and addresses of the calling unit: dart_gptr_* (dart_globmem.h).
#include <dash/dart/if/dart_globmem.h>

#include "core/entry.hpp"
#include "core/log.hpp"
#include "core/lookup.hpp"
#include "memory/local_pointer.hpp"

namespace tessera::dart {
DART_ENTRY dart_ret_t dart_gptr_getaddr(const dart_gptr_t gptr, void** addr) {
    if (addr == nullptr) [[unlikely]]
        return fail_null(__func__);
    *addr = nullptr;
    const Segment* segment = segment_of_call(gptr, __func__);
    if (segment == nullptr) [[unlikely]]
        return bad_argument();
    if (gptr.unitid != find_team(gptr.teamid)->my_id) return DART_OK;
    if (gptr.segid == DART_SEGMENT_LOCAL) [[unlikely]] {
        *addr = local_address(gptr);
    } else {
        *addr = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(segment->base) +
                                        gptr.addr_or_offs.offset);
    }
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_gptr_setaddr(dart_gptr_t* gptr, void* addr) {
    if (gptr == nullptr) [[unlikely]]
        return fail_null(__func__);
    const Segment* segment = segment_of_call(*gptr, __func__);
    if (segment == nullptr) [[unlikely]]
        return bad_argument();
    if (gptr->segid == DART_SEGMENT_LOCAL) {
        set_local_address(*gptr, addr);
    } else {
        gptr->addr_or_offs.offset =
            static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(addr) -
                                       reinterpret_cast<std::uintptr_t>(segment->base));
    }
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_gptr_getflags(dart_gptr_t gptr, uint16_t* flags) {
    if (flags == nullptr) [[unlikely]]
        return fail_null(__func__);
    const Segment* segment = segment_of_call(gptr, __func__);
    if (segment == nullptr) [[unlikely]]
        return bad_argument();
    *flags = segment->flags;
    return DART_OK;
}

DART_ENTRY dart_ret_t dart_gptr_setflags(dart_gptr_t* gptr, uint16_t flags) {
    if (gptr == nullptr) [[unlikely]]
        return fail_null(__func__);
    Segment* segment = segment_of_call(*gptr, __func__);
    if (segment == nullptr) [[unlikely]]
        return bad_argument();
    segment->flags = flags;
    gptr->flags = flags & 0xFF;
    if (gptr->segid == DART_SEGMENT_LOCAL) forget_local_block(*gptr);
    return DART_OK;
}

}  // namespace tessera::dart
