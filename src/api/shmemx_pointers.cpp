// SPDX-License-Identifier: BSD-3-Clause
//
// Global pointers (include/shmemx/pointers.h). memory/global_pointer.hpp has their bits.
#include <cstdint>

#include "api/entry.hpp"
#include "api/pointer.hpp"
#include "base/fatal.hpp"
#include "core/address_map.hpp"
#include "memory/global_pointer.hpp"
#include "memory/segments.hpp"
#include "shmemx.h"

namespace tessera::api {
namespace {

using Bits = unsigned long long;

[[noreturn]] TESSERA_COLD void fail_pointer(shmemx_gptr_t gptr, const char* where) {
    check_initialized(where);
    fatal("%s: %#llx is not a global pointer of this job; pass what a routine shmemx_gptr_... gave",
          where, static_cast<Bits>(gptr));
}

[[noreturn]] TESSERA_COLD void fail_limit(const void* address, int pe, const char* where) {
    fatal(
        "%s: no global pointer can name %p on PE %d: the limits are 2^20 PEs, and 4 TiB of "
        "symmetric heap, team and local memory of a PE",
        where, address, pe);
}

GlobalPointer checked_pointer(PointerKind kind, std::uint64_t offset, const void* address, int pe,
                              const char* where) {
    if (offset >= kind_bit(kind) || pe >> kPeBits != 0) fail_limit(address, pe, where);
    return global_pointer(static_cast<std::uint32_t>(pe), kind, offset);
}

TESSERA_COLD GlobalPointer pointer_slow_path(const void* address, int pe, const char* where) {
    const auto start = reinterpret_cast<std::uintptr_t>(address);
    if (is_segment_name(address)) {
        return checked_pointer(PointerKind::kSegmentName, segments().offset_of(address), address,
                               pe, where);
    }
    if (!address_map.in_statics(address, 1)) {
        const ExternalHeap* external = find_external_heap(address, 1);
        if (external == nullptr || external->device != nullptr) fail_address(address, 1, where);
        return checked_pointer(PointerKind::kSegmentName, external->name_of(address), address, pe,
                               where);
    }
    return checked_pointer(PointerKind::kStatics, start - address_map.static_base, address, pe,
                           where);
}

TESSERA_INLINE GlobalPointer pointer_of(const void* address, int pe, const char* where) {
    check_pe(pe, where);
    if (address == nullptr) return SHMEMX_GPTR_NULL;
    const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(address) - address_map.heap_base;
    if (offset >= address_map.heap_bytes) return pointer_slow_path(address, pe, where);
    return checked_pointer(PointerKind::kRange, offset, address, pe, where);
}

// The address that this PE passes to other routines. REQUIRES: not null.
TESSERA_INLINE char* address_of(GlobalPointer pointer, const char* where) {
    const std::uint64_t offset = offset_of(pointer);
    if (pe_of(pointer) >= address_map.npes) fail_pointer(pointer, where);
    switch (kind_of(pointer)) {
        case PointerKind::kRange:
            if (offset < address_map.heap_bytes)
                return reinterpret_cast<char*>(address_map.heap_base + offset);
            break;
        case PointerKind::kStatics:
            if (offset < address_map.static_bytes)
                return reinterpret_cast<char*>(address_map.static_base + offset);
            break;
        case PointerKind::kSegmentName: {
            char* name = segments().address_of(offset);
            if (is_segment_name(name)) return name;
            break;
        }
        case PointerKind::kNone: break;
    }
    fail_pointer(pointer, where);
}

GlobalPointer moved(GlobalPointer pointer, std::ptrdiff_t bytes, const char* where) {
    const PointerKind kind = kind_of(pointer);
    const std::uint64_t offset = offset_of(pointer) + static_cast<std::uint64_t>(bytes);
    if (pe_of(pointer) >= address_map.npes || kind == PointerKind::kNone)
        fail_pointer(pointer, where);
    if (offset >= kind_bit(kind)) {
        fatal("%s: %td bytes from %#llx is no memory; check the distance", where, bytes,
              static_cast<Bits>(pointer));
    }
    return global_pointer(pe_of(pointer), kind, offset);
}

std::ptrdiff_t distance(GlobalPointer last, GlobalPointer first, const char* where) {
    const bool is_same = pe_of(last) == pe_of(first) && kind_of(last) == kind_of(first) &&
                         kind_of(last) != PointerKind::kNone;
    if (!is_same || pe_of(last) >= address_map.npes) {
        check_initialized(where);
        fatal(
            "%s: %#llx and %#llx do not point into the same memory of one PE, so they have no "
            "distance",
            where, static_cast<Bits>(last), static_cast<Bits>(first));
    }
    return static_cast<std::ptrdiff_t>(offset_of(last) - offset_of(first));
}

}  // namespace
}  // namespace tessera::api

namespace api = tessera::api;

SHMEM_ENTRY(shmemx_gptr_t, shmemx_gptr_of, const void* addr, int pe) {
    return api::pointer_of(addr, pe, SHMEM_WHERE);
}

SHMEM_ENTRY(int, shmemx_gptr_pe, shmemx_gptr_t gptr) {
    if (gptr == SHMEMX_GPTR_NULL) return -1;
    if (tessera::pe_of(gptr) >= tessera::address_map.npes) api::fail_pointer(gptr, SHMEM_WHERE);
    return static_cast<int>(tessera::pe_of(gptr));
}

SHMEM_ENTRY(void*, shmemx_gptr_addr, shmemx_gptr_t gptr) {
    return gptr != SHMEMX_GPTR_NULL ? api::address_of(gptr, SHMEM_WHERE) : nullptr;
}

SHMEM_ENTRY(void*, shmemx_gptr_ptr, shmemx_gptr_t gptr) {
    if (gptr == SHMEMX_GPTR_NULL) return nullptr;
    char* address = api::address_of(gptr, SHMEM_WHERE);
    return api::pointer_to(address, static_cast<int>(tessera::pe_of(gptr)), SHMEM_WHERE);
}

SHMEM_ENTRY(shmemx_gptr_t, shmemx_gptr_add, shmemx_gptr_t gptr, ptrdiff_t bytes) {
    return api::moved(gptr, bytes, SHMEM_WHERE);
}

SHMEM_ENTRY(ptrdiff_t, shmemx_gptr_diff, shmemx_gptr_t last, shmemx_gptr_t first) {
    return api::distance(last, first, SHMEM_WHERE);
}
