// SPDX-License-Identifier: BSD-3-Clause
#include "memory/team_memory.hpp"

#include <dash/dart/if/dart_globmem.h>
#include <shmemx.h>

#include "collectives/arguments.hpp"
#include "core/entry.hpp"
#include "core/log.hpp"
#include "core/node.hpp"
#include "core/types.hpp"

namespace tessera::dart {
namespace {

// Checks the arguments of an allocation, and finds the bytes of this unit.
void check(Collective& call, std::size_t nelem, dart_datatype_t dtype, dart_gptr_t* gptr,
           std::size_t& bytes, const char* routine) {
    call.check_place(gptr);
    if (gptr != nullptr) *gptr = DART_GPTR_NULL;
    if (call.is_possible() &&
        (!is_basic(dtype) || __builtin_mul_overflow(nelem, bytes_of_basic(dtype), &bytes))) {
        call.refuse(fail(DART_ERR_INVAL, routine,
                         "%zu elements of type %ld cannot be allocated: the type must be basic",
                         nelem, static_cast<long>(dtype)));
    }
}

dart_gptr_t pointer_to_unit_0(const Team& team, std::int16_t segment) {
    dart_gptr_t gptr = DART_GPTR_NULL;
    gptr.unitid = 0;
    gptr.flags = team.segments.find(segment)->generation;
    gptr.segid = segment;
    gptr.teamid = team.id;
    return gptr;
}

void release(const Team& team, const Segment& segment) {
    if (segment.kind == SegmentKind::kRegistered) {
        shmemx_deregister(segment.registered);
    } else if (segment.bytes > 0) {
        shmemx_team_free(team.handle, segment.base);
    }
}

// The largest number of bytes that a unit asks for: DASH rounds the blocks of a unit to its own
// alignment, so that some units ask for less than others.
std::size_t agree_on_bytes(const Team& team, std::size_t bytes, const char* routine) {
    std::uint64_t largest = bytes;
    if (shmemx_allreduce(team.handle, &largest, &largest, 1, SHMEMX_TYPE_UINT64, SHMEMX_OP_MAX) !=
        0) {
        fatal(routine, "team %d has no memory for messages", team.id);
    }
    return largest;
}

// All units have the same numbers, so all fail or none.
dart_ret_t add_segment(Team& team, const Segment& segment, dart_gptr_t* gptr, const char* routine) {
    const std::int16_t id = team.segments.add(segment);
    if (id == 0) {
        release(team, segment);
        return fail(DART_ERR_OTHER, routine,
                    "team %d has %d segments, as many as possible; free "
                    "some",
                    team.id, SegmentTable::kIdMax);
    }
    *gptr = pointer_to_unit_0(team, id);
    return DART_OK;
}

dart_ret_t register_memory(dart_team_t team_id, std::size_t nelem, dart_datatype_t dtype,
                           void* address, dart_gptr_t* gptr, const char* routine) {
    std::size_t bytes = 0;
    Collective call(team_id, routine);
    check(call, nelem, dtype, gptr, bytes, routine);
    call.check_buffer(address, nelem, "addr");
    if (!call.begin()) return call.fail_together();
    Team& team = call.team();
    Segment segment{.base = static_cast<char*>(address), .kind = SegmentKind::kRegistered};
    if (shmemx_register(team.handle, address, bytes, &segment.registered) != 0) {
        return fail(DART_ERR_NOMEM, routine,
                    "no names are left for a registered segment of %zu bytes; end some by "
                    "dart_team_memderegister",
                    bytes);
    }
    return add_segment(team, segment, gptr, routine);
}

// Frees a segment of this kind. DART_GPTR_NULL does nothing.
dart_ret_t end_segment(const dart_gptr_t& gptr, SegmentKind kind, const char* routine) {
    if (DART_GPTR_ISNULL(gptr)) return DART_OK;
    Collective call(gptr.teamid, routine);
    const Segment* segment = call.is_possible() ? segment_of_call(gptr, routine) : nullptr;
    if (call.is_possible() && segment == nullptr) call.refuse(DART_ERR_INVAL);
    if (call.is_possible() && (segment->kind != kind || gptr.segid == DART_SEGMENT_LOCAL)) {
        call.refuse(fail(DART_ERR_INVAL, routine,
                         "segment %d of team %d is of another kind, which another routine ends",
                         gptr.segid, gptr.teamid));
    }
    if (!call.begin()) return call.fail_together();
    Team& team = call.team();
    const Segment ended = *segment;
    team.segments.remove(gptr.segid);
    release(team, ended);
    return DART_OK;
}

}  // namespace

void end_segments(Team& team) {
    if (team.id != DART_TEAM_ALL) return;
    while (const std::int16_t id = team.segments.any()) {
        release(team, *team.segments.find(id));
        team.segments.remove(id);
    }
}

DART_ENTRY dart_ret_t dart_team_memalloc_aligned(dart_team_t teamid, size_t nelem,
                                                 dart_datatype_t dtype, dart_gptr_t* gptr) {
    std::size_t bytes = 0;
    Collective call(teamid, __func__);
    check(call, nelem, dtype, gptr, bytes, __func__);
    if (!call.begin()) return call.fail_together();
    Team& team = call.team();
    Segment segment{.base = anchor(),
                    .bytes = agree_on_bytes(team, bytes, __func__),
                    .mapped_units = node.count,
                    .kind = SegmentKind::kAllocated};
    if (segment.bytes > 0) {
        segment.base = static_cast<char*>(shmemx_team_malloc(team.handle, segment.bytes));
        if (segment.base == nullptr) {
            return fail(DART_ERR_NOMEM, __func__,
                        "no memory is left for %zu bytes on each unit of team %d; make "
                        "SHMEM_TEAM_MEMORY_SIZE larger",
                        segment.bytes, teamid);
        }
    }
    return add_segment(team, segment, gptr, __func__);
}

DART_ENTRY dart_ret_t dart_team_memfree(dart_gptr_t gptr) {
    return end_segment(gptr, SegmentKind::kAllocated, __func__);
}

DART_ENTRY dart_ret_t dart_team_memregister_aligned(dart_team_t teamid, size_t nelem,
                                                    dart_datatype_t dtype, void* addr,
                                                    dart_gptr_t* gptr) {
    return register_memory(teamid, nelem, dtype, addr, gptr, __func__);
}

DART_ENTRY dart_ret_t dart_team_memregister(dart_team_t teamid, size_t nlelem,
                                            dart_datatype_t dtype, void* addr, dart_gptr_t* gptr) {
    return register_memory(teamid, nlelem, dtype, addr, gptr, __func__);
}

DART_ENTRY dart_ret_t dart_team_memderegister(dart_gptr_t gptr) {
    return end_segment(gptr, SegmentKind::kRegistered, __func__);
}

}  // namespace tessera::dart
