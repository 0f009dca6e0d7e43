// SPDX-License-Identifier: BSD-3-Clause
#include "transfers/target.hpp"

#include <shmemx.h>

#include "core/log.hpp"
#include "core/lookup.hpp"
#include "memory/local_pointer.hpp"

namespace tessera::dart {

namespace {

bool fail_range(const dart_gptr_t& gptr, std::size_t bytes, std::size_t segment_bytes,
                const char* routine) {
    fail(DART_ERR_INVAL, routine,
         "%zu bytes at offset %lld are not in segment %d of team %d, which has %zu bytes on unit "
         "%d",
         bytes, static_cast<long long>(gptr.addr_or_offs.offset), gptr.segid, gptr.teamid,
         segment_bytes, gptr.unitid);
    return false;
}

bool is_inside(std::uint64_t offset, std::size_t bytes, std::size_t segment_bytes) {
    return bytes <= segment_bytes && offset <= segment_bytes - bytes;
}

// The own part is plain memory; others are reached by names.
bool find_registered(const dart_gptr_t& gptr, const Segment& segment, std::size_t bytes,
                     const char* routine, Target& target) {
    const std::uint64_t offset = gptr.addr_or_offs.offset;
    const std::size_t segment_bytes = shmemx_segment_bytes(segment.registered, target.pe);
    if (!is_inside(offset, bytes, segment_bytes))
        return fail_range(gptr, bytes, segment_bytes, routine);
    const shmemx_gptr_t first = shmemx_segment_gptr(segment.registered, target.pe);
    target.address = static_cast<char*>(shmemx_gptr_addr(first)) + offset;
    target.mapped = target.pe == my_unit() ? segment.base + offset : nullptr;
    return true;
}

// Whether the unit has memory there.
bool is_accessible(const char* address, std::size_t bytes, int unit) {
    return shmem_addr_accessible(address, unit) != 0 &&
           (bytes <= 1 ||
            (address + bytes > address && shmem_addr_accessible(address + bytes - 1, unit) != 0));
}

// Accesses to blocks that lie between others which are accessible need not ask again. Threads may
// widen the range at the same time; then a later access asks once more.
void note_accessible(const char* address, std::size_t bytes) {
    const auto first = reinterpret_cast<std::uintptr_t>(address);
    if (first < detail::local_first.load(std::memory_order_relaxed))
        detail::local_first.store(first, std::memory_order_relaxed);
    if (first + bytes > detail::local_end.load(std::memory_order_relaxed))
        detail::local_end.store(first + bytes, std::memory_order_relaxed);
}

// Memory of dart_memalloc: the pointer tells the block, OpenSHMEM where the unit has memory at all.
bool find_local(const dart_gptr_t& gptr, const Segment& segment, std::size_t bytes,
                const char* routine, Target& target) {
    char* const address = local_address(gptr);
    if (!is_in_local_block(gptr, bytes) || !is_accessible(address, bytes, target.pe)) {
        fail(DART_ERR_INVAL, routine,
             "%zu bytes at offset %llx are not in the block of dart_memalloc on unit %d that the "
             "pointer belongs to",
             bytes, static_cast<unsigned long long>(gptr.addr_or_offs.offset), gptr.unitid);
        return false;
    }
    if (has_local_block(gptr)) note_accessible(address, bytes);
    target.address = address;
    target.mapped = node.mapped(address, target.pe, segment.mapped_units);
    return true;
}

}  // namespace

bool find_target(const dart_gptr_t& gptr, std::size_t bytes, const char* routine, Target& target) {
    const Segment* segment = segment_of_call(gptr, routine);
    if (segment == nullptr) return false;
    const Team* team = find_team(gptr.teamid);
    if (gptr.unitid < 0 || gptr.unitid >= team->size) {
        fail(DART_ERR_INVAL, routine, "unit %d is not in [0, %d), the units of team %d",
             gptr.unitid, team->size, team->id);
        return false;
    }
    target.pe = team->global_unit(gptr.unitid);
    if (segment->kind == SegmentKind::kRegistered)
        return find_registered(gptr, *segment, bytes, routine, target);
    if (gptr.segid == DART_SEGMENT_LOCAL) return find_local(gptr, *segment, bytes, routine, target);
    const std::uint64_t offset = gptr.addr_or_offs.offset;
    if (!is_inside(offset, bytes, segment->bytes))
        return fail_range(gptr, bytes, segment->bytes, routine);
    target.address = segment->base + offset;
    target.mapped = node.mapped(target.address, target.pe, segment->mapped_units);
    return true;
}

bool find_elements(const dart_gptr_t& gptr, std::size_t nelem, std::size_t element_bytes,
                   const char* routine, Target& target) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(nelem, element_bytes, &bytes)) bytes = SIZE_MAX;
    if (!find_target(gptr, bytes, routine, target)) return false;
    if (reinterpret_cast<std::uintptr_t>(target.address) % element_bytes != 0) {
        fail(DART_ERR_INVAL, routine, "the element at offset %lld is not aligned to %zu bytes",
             static_cast<long long>(gptr.addr_or_offs.offset), element_bytes);
        return false;
    }
    return true;
}

}  // namespace tessera::dart
