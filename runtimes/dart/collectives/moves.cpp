// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives that move elements: dart_barrier, dart_bcast, dart_scatter, dart_gather,
// dart_allgather, dart_allgatherv, dart_alltoall. Elements are bytes here; those of custom types
// too. A unit whose arguments are impossible by themselves returns an error at once, as all units
// do that give the same ones.

#include <dash/dart/if/dart_communication.h>
#include <shmem.h>
#include <shmemx.h>

#include "collectives/arguments.hpp"
#include "core/entry.hpp"
#include "core/log.hpp"
#include "core/team.hpp"

namespace tessera::dart {
namespace {

// A team and bytes of an element; the team is null where an argument is not possible.
struct Call {
    const Team* team;
    std::size_t element_bytes;
};

Call check(dart_team_t team_id, dart_datatype_t type, const char* routine) {
    const Team* team = team_of_call(team_id, routine);
    if (team == nullptr) [[unlikely]] {
        return {nullptr, 0};
    }
    const std::size_t bytes = element_bytes(type, routine);
    return {bytes != 0 ? team : nullptr, bytes};
}

Call check_rooted(dart_team_t team_id, dart_datatype_t type, dart_team_unit_t root,
                  const char* routine) {
    const Call call = check(team_id, type, routine);
    if (call.team != nullptr && !is_root(*call.team, root, routine)) [[unlikely]] {
        return {nullptr, 0};
    }
    return call;
}

// The block of this unit: in `all` if the call is in place, else in `block`.
const void* own_block(const void* block, const void* all, std::size_t offset) {
    const bool is_in_place = block == nullptr || block == all;
    return is_in_place && all != nullptr ? static_cast<const char*>(all) + offset : block;
}

}  // namespace

DART_ENTRY dart_ret_t dart_barrier(dart_team_t team_id) {
    const Team* team = team_of_call(team_id, __func__);
    if (team == nullptr) [[unlikely]] {
        return DART_ERR_INVAL;
    }
    return result_of(shmem_team_sync(team->handle), __func__);
}

DART_ENTRY dart_ret_t dart_bcast(void* buf, size_t nelem, dart_datatype_t dtype,
                                 dart_team_unit_t root, dart_team_t team_id) {
    const auto [team, bytes] = check_rooted(team_id, dtype, root, __func__);
    if (team == nullptr) [[unlikely]] {
        return DART_ERR_INVAL;
    }
    return result_of(shmemx_broadcast(team->handle, buf, buf, nelem, bytes, root.id), __func__);
}

DART_ENTRY dart_ret_t dart_scatter(const void* sendbuf, void* recvbuf, size_t nelem,
                                   dart_datatype_t dtype, dart_team_unit_t root,
                                   dart_team_t team_id) {
    const auto [team, bytes] = check_rooted(team_id, dtype, root, __func__);
    if (team == nullptr) [[unlikely]] {
        return DART_ERR_INVAL;
    }
    return result_of(shmemx_scatter(team->handle, recvbuf, sendbuf, nelem, bytes, root.id),
                     __func__);
}

DART_ENTRY dart_ret_t dart_gather(const void* sendbuf, void* recvbuf, size_t nelem,
                                  dart_datatype_t dtype, dart_team_unit_t root,
                                  dart_team_t team_id) {
    const auto [team, bytes] = check_rooted(team_id, dtype, root, __func__);
    if (team == nullptr) [[unlikely]] {
        return DART_ERR_INVAL;
    }
    return result_of(shmemx_gather(team->handle, recvbuf, sendbuf, nelem, bytes, root.id),
                     __func__);
}

DART_ENTRY dart_ret_t dart_allgather(const void* sendbuf, void* recvbuf, size_t nelem,
                                     dart_datatype_t dtype, dart_team_t team_id) {
    const auto [team, bytes] = check(team_id, dtype, __func__);
    if (team == nullptr) [[unlikely]] {
        return DART_ERR_INVAL;
    }
    const std::size_t offset = static_cast<std::size_t>(team->my_id) * nelem * bytes;
    return result_of(
        shmemx_allgather(team->handle, recvbuf, own_block(sendbuf, recvbuf, offset), nelem, bytes),
        __func__);
}

DART_ENTRY dart_ret_t dart_allgatherv(const void* sendbuf, size_t nsendelem, dart_datatype_t dtype,
                                      void* recvbuf, const size_t* nrecvelem,
                                      const size_t* recvdispls, dart_team_t team_id) {
    const auto [team, bytes] = check(team_id, dtype, __func__);
    if (team == nullptr) [[unlikely]] {
        return DART_ERR_INVAL;
    }
    if (nrecvelem == nullptr || recvdispls == nullptr) [[unlikely]] {
        return fail(DART_ERR_INVAL, __func__, "nrecvelem or recvdispls is a null pointer");
    }
    const std::size_t expected = nrecvelem[team->my_id];
    if (nsendelem != expected) [[unlikely]] {
        // The other units wait for this one already: an error here would leave them waiting.
        fatal(__func__, "nsendelem %zu of unit %d of team %d is not its nrecvelem, %zu", nsendelem,
              team->my_id, team->id, expected);
    }
    const std::size_t offset = recvdispls[team->my_id] * bytes;
    return result_of(shmemx_allgatherv(team->handle, recvbuf, nrecvelem, recvdispls,
                                       own_block(sendbuf, recvbuf, offset), bytes),
                     __func__);
}

DART_ENTRY dart_ret_t dart_alltoall(const void* sendbuf, void* recvbuf, size_t nelem,
                                    dart_datatype_t dtype, dart_team_t team_id) {
    const auto [team, bytes] = check(team_id, dtype, __func__);
    if (team == nullptr) [[unlikely]] {
        return DART_ERR_INVAL;
    }
    return result_of(
        shmemx_alltoall(team->handle, recvbuf, own_block(sendbuf, recvbuf, 0), nelem, bytes),
        __func__);
}

}  // namespace tessera::dart
