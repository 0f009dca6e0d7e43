// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives that move elements: dart_barrier, dart_bcast, dart_scatter, dart_gather,
// dart_allgather, dart_allgatherv, dart_alltoall, and the nonblocking forms (dart_tessera.h).
// Elements are bytes here; those of custom types too. arguments.hpp has the rule for errors.

#include <dash/dart/if/dart_communication.h>
#include <dash/dart/if/dart_tessera.h>
#include <shmem.h>
#include <shmemx.h>

#include "collectives/arguments.hpp"
#include "core/entry.hpp"
#include "core/log.hpp"
#include "core/requests.hpp"

namespace tessera::dart {
namespace {

// The block of this unit: in `all` if the call is in place, else in `block`.
const void* own_block(const void* block, const void* all, std::size_t offset) {
    const bool is_in_place = block == nullptr || block == all;
    return is_in_place && all != nullptr ? static_cast<const char*>(all) + offset : block;
}

// The arguments of dart_scatter and dart_gather: a block of `nelem` elements for each unit. The
// root has the blocks of all units on one side of the move, each unit has its own on the other.
struct Blocks {
    const void* sendbuf;
    void* recvbuf;
    std::size_t nelem;
    dart_datatype_t dtype;
    dart_team_unit_t root;
};

dart_ret_t move_blocks(Collective& call, const Blocks& blocks, decltype(shmemx_scatter)* move,
                       const char* routine) {
    const auto& [sendbuf, recvbuf, nelem, dtype, root] = blocks;
    const bool is_gather = move == shmemx_gather;
    const bool is_root = call.is_unit(root);
    call.check_type(dtype);
    call.check_root(root);
    call.check_buffer(sendbuf, nelem, "sendbuf", is_gather ? 1 : call.units(),
                      is_gather || is_root);
    call.check_buffer(recvbuf, nelem, "recvbuf", is_gather ? call.units() : 1,
                      !is_gather || is_root);
    if (!call.begin()) [[unlikely]]
        return call.fail_together();
    return result_of(
        move(call.team().handle, recvbuf, sendbuf, nelem, call.element_bytes(), root.id), routine);
}

// Blocking forms have no handle.

dart_ret_t bcast(Collective& call, void* buf, std::size_t nelem, dart_datatype_t dtype,
                 dart_team_unit_t root, dart_handle_t* handle, const char* routine) {
    call.check_type(dtype);
    call.check_root(root);
    call.check_buffer(buf, nelem, "buf");
    if (!call.begin()) [[unlikely]]
        return call.fail_together();
    const shmem_team_t team = call.team().handle;
    const std::size_t bytes = call.element_bytes();
    const int status = handle == nullptr ? shmemx_broadcast(team, buf, buf, nelem, bytes, root.id)
                                         : shmemx_ibroadcast(team, buf, buf, nelem, bytes, root.id,
                                                             request_of(handle));
    return result_of(status, routine);
}

// The arguments of dart_allgather and dart_alltoall: blocks of `nelem` elements; and the routines
// that move them, the blocking one and the one that starts.
struct BlocksOfAll {
    const void* sendbuf;
    void* recvbuf;
    std::size_t nelem;
    dart_datatype_t dtype;
    decltype(shmemx_allgather)* move;
    decltype(shmemx_iallgather)* start;
};

dart_ret_t move_blocks_of_all(Collective& call, const BlocksOfAll& blocks, dart_handle_t* handle,
                              const char* routine) {
    const auto& [sendbuf, recvbuf, nelem, dtype, move, start] = blocks;
    call.check_type(dtype);
    call.check_buffer(recvbuf, nelem, "recvbuf", call.units());
    if (!call.begin()) [[unlikely]]
        return call.fail_together();
    const Team& team = call.team();
    const std::size_t bytes = call.element_bytes();
    // A unit gives its block to all others, or a block to each of them.
    const auto first = static_cast<std::size_t>(move == shmemx_allgather ? team.my_id : 0);
    const void* own = own_block(sendbuf, recvbuf, first * nelem * bytes);
    const int status = handle == nullptr
                           ? move(team.handle, recvbuf, own, nelem, bytes)
                           : start(team.handle, recvbuf, own, nelem, bytes, request_of(handle));
    return result_of(status, routine);
}

}  // namespace

DART_ENTRY dart_ret_t dart_barrier(dart_team_t team_id) {
    Collective call(team_id, __func__);
    if (!call.begin()) [[unlikely]]
        return call.fail_together();
    return result_of(shmem_team_sync(call.team().handle), __func__);
}

DART_ENTRY dart_ret_t dart_barrier_nb(dart_team_t team_id, dart_handle_t* handle) {
    Collective call(team_id, __func__);
    call.check_handle(handle);
    if (!call.begin()) [[unlikely]]
        return call.fail_together();
    return result_of(shmemx_ibarrier(call.team().handle, request_of(handle)), __func__);
}

DART_ENTRY dart_ret_t dart_bcast(void* buf, size_t nelem, dart_datatype_t dtype,
                                 dart_team_unit_t root, dart_team_t team_id) {
    Collective call(team_id, __func__);
    return bcast(call, buf, nelem, dtype, root, nullptr, __func__);
}

DART_ENTRY dart_ret_t dart_bcast_nb(void* buf, size_t nelem, dart_datatype_t dtype,
                                    dart_team_unit_t root, dart_team_t team_id,
                                    dart_handle_t* handle) {
    Collective call(team_id, __func__);
    call.check_handle(handle);
    return bcast(call, buf, nelem, dtype, root, handle, __func__);
}

DART_ENTRY dart_ret_t dart_scatter(const void* sendbuf, void* recvbuf, size_t nelem,
                                   dart_datatype_t dtype, dart_team_unit_t root,
                                   dart_team_t team_id) {
    Collective call(team_id, __func__);
    return move_blocks(call, {sendbuf, recvbuf, nelem, dtype, root}, shmemx_scatter, __func__);
}

DART_ENTRY dart_ret_t dart_gather(const void* sendbuf, void* recvbuf, size_t nelem,
                                  dart_datatype_t dtype, dart_team_unit_t root,
                                  dart_team_t team_id) {
    Collective call(team_id, __func__);
    return move_blocks(call, {sendbuf, recvbuf, nelem, dtype, root}, shmemx_gather, __func__);
}

DART_ENTRY dart_ret_t dart_allgather(const void* sendbuf, void* recvbuf, size_t nelem,
                                     dart_datatype_t dtype, dart_team_t team_id) {
    Collective call(team_id, __func__);
    return move_blocks_of_all(call,
                              {sendbuf, recvbuf, nelem, dtype, shmemx_allgather, shmemx_iallgather},
                              nullptr, __func__);
}

DART_ENTRY dart_ret_t dart_allgather_nb(const void* sendbuf, void* recvbuf, size_t nelem,
                                        dart_datatype_t dtype, dart_team_t team_id,
                                        dart_handle_t* handle) {
    Collective call(team_id, __func__);
    call.check_handle(handle);
    return move_blocks_of_all(call,
                              {sendbuf, recvbuf, nelem, dtype, shmemx_allgather, shmemx_iallgather},
                              handle, __func__);
}

DART_ENTRY dart_ret_t dart_allgatherv(const void* sendbuf, size_t nsendelem, dart_datatype_t dtype,
                                      void* recvbuf, const size_t* nrecvelem,
                                      const size_t* recvdispls, dart_team_t team_id) {
    Collective call(team_id, __func__);
    call.check_type(dtype);
    call.check_place(nrecvelem);
    call.check_place(recvdispls);
    for (int unit = 0; call.is_possible() && unit < call.units(); ++unit) {
        std::size_t elements = nrecvelem[unit];
        if (__builtin_add_overflow(elements, elements > 0 ? recvdispls[unit] : 0, &elements))
            elements = SIZE_MAX;
        call.check_buffer(recvbuf, elements, "recvbuf");
    }
    if (call.is_possible() && nsendelem != nrecvelem[call.team().my_id]) [[unlikely]] {
        call.refuse(fail(DART_ERR_INVAL, __func__,
                         "nsendelem %zu of unit %d of team %d is not its nrecvelem, %zu", nsendelem,
                         call.team().my_id, team_id, nrecvelem[call.team().my_id]));
    }
    if (!call.begin()) [[unlikely]]
        return call.fail_together();
    const Team& team = call.team();
    const std::size_t bytes = call.element_bytes();
    const std::size_t offset = recvdispls[team.my_id] * bytes;
    return result_of(shmemx_allgatherv(team.handle, recvbuf, nrecvelem, recvdispls,
                                       own_block(sendbuf, recvbuf, offset), bytes),
                     __func__);
}

DART_ENTRY dart_ret_t dart_alltoall(const void* sendbuf, void* recvbuf, size_t nelem,
                                    dart_datatype_t dtype, dart_team_t team_id) {
    Collective call(team_id, __func__);
    return move_blocks_of_all(call,
                              {sendbuf, recvbuf, nelem, dtype, shmemx_alltoall, shmemx_ialltoall},
                              nullptr, __func__);
}

DART_ENTRY dart_ret_t dart_alltoall_nb(const void* sendbuf, void* recvbuf, size_t nelem,
                                       dart_datatype_t dtype, dart_team_t team_id,
                                       dart_handle_t* handle) {
    Collective call(team_id, __func__);
    call.check_handle(handle);
    return move_blocks_of_all(call,
                              {sendbuf, recvbuf, nelem, dtype, shmemx_alltoall, shmemx_ialltoall},
                              handle, __func__);
}

}  // namespace tessera::dart
