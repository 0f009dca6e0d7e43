// SPDX-License-Identifier: BSD-3-Clause
#include "memory/team_memory.hpp"

#include <dash/dart/if/dart_globmem.h>
#include <shmemx.h>

#include "core/entry.hpp"
#include "core/log.hpp"
#include "core/node.hpp"
#include "core/runtime.hpp"
#include "core/types.hpp"

namespace tessera::dart {
namespace {

// The arguments of the collective routines, checked. team == nullptr: not possible.
struct Request {
    Team* team = nullptr;
    std::size_t bytes = 0;
};

Request check(dart_team_t team_id, std::size_t nelem, dart_datatype_t dtype, dart_gptr_t* gptr,
              const char* routine) {
    if (gptr == nullptr) {
        fail(DART_ERR_INVAL, routine, "the place for the result is NULL");
        return {};
    }
    *gptr = DART_GPTR_NULL;
    Request request;
    if (!is_basic(dtype) || __builtin_mul_overflow(nelem, bytes_of_basic(dtype), &request.bytes)) {
        fail(DART_ERR_INVAL, routine, "%zu elements of type %ld are not possible", nelem,
             static_cast<long>(dtype));
        return {};
    }
    request.team = find_team(team_id);
    if (request.team == nullptr) {
        fail(DART_ERR_INVAL, routine, "there is no team %d on this unit", team_id);
    }
    return request;
}

dart_gptr_t pointer_to_unit_0(const Team& team, std::int16_t segment) {
    dart_gptr_t gptr = DART_GPTR_NULL;
    gptr.unitid = 0;
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
    const Request request = check(team_id, nelem, dtype, gptr, routine);
    if (request.team == nullptr) {
        return DART_ERR_INVAL;
    }
    Segment segment{.base = static_cast<char*>(address), .kind = SegmentKind::kRegistered};
    if (shmemx_register(request.team->handle, address, request.bytes, &segment.registered) != 0) {
        return fail(DART_ERR_OTHER, routine, "the units have too many registered segments");
    }
    return add_segment(*request.team, segment, gptr, routine);
}

// Frees a segment of this kind. DART_GPTR_NULL does nothing.
dart_ret_t end_segment(const dart_gptr_t& gptr, SegmentKind kind, const char* routine) {
    if (DART_GPTR_ISNULL(gptr)) {
        return DART_OK;
    }
    Team* team = find_team(gptr.teamid);
    const Segment* segment = team != nullptr ? team->segments.find(gptr.segid) : nullptr;
    if (segment == nullptr || segment->kind != kind || gptr.segid == DART_SEGMENT_LOCAL) {
        return fail(DART_ERR_INVAL, routine, "team %d has no segment %d that this routine can end",
                    gptr.teamid, gptr.segid);
    }
    const Segment ended = *segment;
    team->segments.remove(gptr.segid);
    release(*team, ended);
    return DART_OK;
}

}  // namespace

void end_segments(Team& team) {
    if (team.id != DART_TEAM_ALL) {
        return;
    }
    while (const std::int16_t id = team.segments.any()) {
        release(team, *team.segments.find(id));
        team.segments.remove(id);
    }
}

DART_ENTRY dart_ret_t dart_team_memalloc_aligned(dart_team_t teamid, size_t nelem,
                                                 dart_datatype_t dtype, dart_gptr_t* gptr) {
    Request request = check(teamid, nelem, dtype, gptr, __func__);
    if (request.team == nullptr) {
        return DART_ERR_INVAL;
    }
    request.bytes = agree_on_bytes(*request.team, request.bytes, __func__);
    Segment segment{.base = anchor(),
                    .bytes = request.bytes,
                    .mapped_units = node.count,
                    .kind = SegmentKind::kAllocated};
    if (request.bytes > 0) {
        segment.base = static_cast<char*>(shmemx_team_malloc(request.team->handle, request.bytes));
        if (segment.base == nullptr) {
            return fail(DART_ERR_OTHER, __func__,
                        "no memory is left for %zu bytes on each unit of team %d; make "
                        "SHMEM_TEAM_MEMORY_SIZE larger",
                        request.bytes, teamid);
        }
    }
    return add_segment(*request.team, segment, gptr, __func__);
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
