// SPDX-License-Identifier: BSD-3-Clause
//
// Registered segments (include/shmemx/segments.h). collectives/segments.hpp does the work. The
// handle is the global pointer without a PE of the segment's first name.
#include "shmemx/segments.h"

#include "api/entry.hpp"
#include "base/fatal.hpp"
#include "collectives/segments.hpp"
#include "memory/global_pointer.hpp"

namespace tessera::api {
namespace {

[[noreturn]] TESSERA_COLD void fail_segment(shmemx_segment_t segment, const char* where) {
    check_initialized(where);
    fatal(
        "%s: %#llx is no segment of this PE (any more); pass a value from shmemx_register, before "
        "shmemx_deregister",
        where, static_cast<unsigned long long>(segment));
}

// Calls visit(segment, begin of its names); a wrong handle ends the job.
template <class Visit>
void visit_segment(shmemx_segment_t handle, const char* where, Visit visit) {
    const std::size_t begin = offset_of(handle);
    const bool is_one = pe_of(handle) == 0 && kind_of(handle) == PointerKind::kSegmentName &&
                        segments().with_segment(begin, visit);
    if (!is_one) fail_segment(handle, where);
}

int checked_index(const RegisteredSegment& segment, int pe, const char* where) {
    const int index = segment.team->index_of(pe);
    if (index < 0)
        fatal("%s: PE %d is not in the team that registered the segment; pass a member", where, pe);
    return index;
}

void check_memory(const void* base, std::size_t bytes, const char* where) {
    const auto start = reinterpret_cast<std::uintptr_t>(base);
    if ((base == nullptr && bytes > 0) || start + bytes < start)
        fatal("%s: base %p with %zu bytes is no memory", where, base, bytes);
    if (bytes > kSegmentNameBit / 2) {
        fatal("%s: %zu bytes are more than a segment can have, %zu", where, bytes,
              static_cast<std::size_t>(kSegmentNameBit / 2));
    }
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    if (here - start < bytes) {
        fatal(
            "%s: the memory at %p holds the stack of the calling thread; give memory from malloc "
            "or mmap",
            where, base);
    }
}

}  // namespace
}  // namespace tessera::api

namespace api = tessera::api;
using tessera::GlobalPointer;
using tessera::PointerKind;
using tessera::RegisteredSegment;

SHMEM_ENTRY(int, shmemx_register, shmem_team_t team, void* base, size_t bytes,
            shmemx_segment_t* segment) {
    tessera::Team& members = api::team_of(team, SHMEM_WHERE);
    if (segment == nullptr) tessera::fatal("%s: segment is NULL; pass a variable", SHMEM_WHERE);
    api::check_memory(base, bytes, SHMEM_WHERE);
    const auto begin = tessera::collectives::register_segment(
        members, {.address = reinterpret_cast<std::uintptr_t>(base), .bytes = bytes},
        tessera::heap::SharedPages::kBytesMin, SHMEM_WHERE);
    *segment = begin ? tessera::global_pointer(0, PointerKind::kSegmentName, *begin)
                     : SHMEMX_SEGMENT_INVALID;
    return begin ? 0 : 1;
}

SHMEM_ENTRY(void, shmemx_deregister, shmemx_segment_t segment) {
    tessera::check_initialized(SHMEM_WHERE);
    if (segment == SHMEMX_SEGMENT_INVALID) return;
    const tessera::Team* team = nullptr;
    api::visit_segment(segment, SHMEM_WHERE,
                       [&](const RegisteredSegment& found) { team = found.team; });
    // const_cast: collectives count in the team.
    tessera::collectives::deregister_segment(const_cast<tessera::Team&>(*team),
                                             tessera::offset_of(segment), SHMEM_WHERE);
}

SHMEM_ENTRY(shmemx_gptr_t, shmemx_segment_gptr, shmemx_segment_t segment, int pe) {
    tessera::check_pe(pe, SHMEM_WHERE);
    GlobalPointer pointer = SHMEMX_GPTR_NULL;
    const char* where = SHMEM_WHERE;
    api::visit_segment(segment, where, [&](const RegisteredSegment& found) {
        const std::size_t first = found.first_name(api::checked_index(found, pe, where));
        pointer = tessera::global_pointer(static_cast<std::uint32_t>(pe), PointerKind::kSegmentName,
                                          first);
    });
    return pointer;
}

SHMEM_ENTRY(size_t, shmemx_segment_bytes, shmemx_segment_t segment, int pe) {
    tessera::check_pe(pe, SHMEM_WHERE);
    std::size_t bytes = 0;
    const char* where = SHMEM_WHERE;
    api::visit_segment(segment, where, [&](const RegisteredSegment& found) {
        bytes = found.part(api::checked_index(found, pe, where)).bytes;
    });
    return bytes;
}
