// SPDX-License-Identifier: BSD-3-Clause
//
// The nonblocking collectives of the runtime layer (include/shmemx/collectives.h).
#include "api/entry.hpp"
#include "api/runtime_arguments.hpp"
#include "collectives/runtime_calls.hpp"
#include "shmemx/collectives.h"

namespace api = tessera::api;
using tessera::Collective;
using tessera::api::MoveArguments;
using tessera::api::ReduceArguments;

SHMEM_ENTRY(int, shmemx_ibarrier, shmem_team_t team, shmemx_req_t* req) {
    return api::start(team, Collective::kBarrier, MoveArguments{.element_bytes = 1},
                      api::barrier_call, req, SHMEM_WHERE);
}

SHMEM_ENTRY(int, shmemx_ibroadcast, shmem_team_t team, void* dest, const void* source,
            size_t nelems, size_t element_bytes, int root, shmemx_req_t* req) {
    return api::start(team, Collective::kBroadcast,
                      MoveArguments{dest, source, nelems, element_bytes, root}, api::broadcast_call,
                      req, SHMEM_WHERE);
}

SHMEM_ENTRY(int, shmemx_iallgather, shmem_team_t team, void* dest, const void* source,
            size_t nelems, size_t element_bytes, shmemx_req_t* req) {
    return api::start(team, Collective::kFcollect,
                      MoveArguments{dest, source, nelems, element_bytes}, api::allgather_call, req,
                      SHMEM_WHERE);
}

SHMEM_ENTRY(int, shmemx_ialltoall, shmem_team_t team, void* dest, const void* source, size_t nelems,
            size_t element_bytes, shmemx_req_t* req) {
    return api::start(team, Collective::kAlltoall,
                      MoveArguments{dest, source, nelems, element_bytes}, api::alltoall_call, req,
                      SHMEM_WHERE);
}

// shmemx_{ireduce,iallreduce}, and with _op
SHMEM_ENTRY(int, shmemx_ireduce, shmem_team_t team, void* dest, const void* source, size_t nelems,
            int type, int op, int root, shmemx_req_t* req) {
    return api::start(
        team, Collective::kReduceToRoot,
        ReduceArguments{dest, source, nelems, api::coded(type, op, SHMEM_WHERE), root},
        api::reduce_call, req, SHMEM_WHERE);
}
SHMEM_ENTRY(int, shmemx_ireduce_op, shmem_team_t team, void* dest, const void* source,
            size_t nelems, const shmemx_op_t* op, int root, shmemx_req_t* req) {
    return api::start(team, Collective::kReduceToRoot,
                      ReduceArguments{dest, source, nelems, api::own(op, SHMEM_WHERE), root},
                      api::reduce_call, req, SHMEM_WHERE);
}
SHMEM_ENTRY(int, shmemx_iallreduce, shmem_team_t team, void* dest, const void* source,
            size_t nelems, int type, int op, shmemx_req_t* req) {
    return api::start(team, Collective::kReduce,
                      ReduceArguments{dest, source, nelems, api::coded(type, op, SHMEM_WHERE)},
                      api::allreduce_call, req, SHMEM_WHERE);
}
SHMEM_ENTRY(int, shmemx_iallreduce_op, shmem_team_t team, void* dest, const void* source,
            size_t nelems, const shmemx_op_t* op, shmemx_req_t* req) {
    return api::start(team, Collective::kReduce,
                      ReduceArguments{dest, source, nelems, api::own(op, SHMEM_WHERE)},
                      api::allreduce_call, req, SHMEM_WHERE);
}
