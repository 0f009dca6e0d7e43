// SPDX-License-Identifier: BSD-3-Clause
//
// The collectives of the runtime layer (include/shmemx/collectives.h): arguments are checked and
// become a call (collectives/streams/call.hpp).
#include "shmemx/collectives.h"

#include "api/entry.hpp"
#include "api/runtime_arguments.hpp"
#include "collectives/agreement.hpp"
#include "collectives/runtime_calls.hpp"

namespace api = tessera::api;
using tessera::Collective;
using tessera::api::BlockArguments;
using tessera::api::MoveArguments;
using tessera::api::ReduceArguments;

SHMEM_ENTRY(int, shmemx_broadcast, shmem_team_t team, void* dest, const void* source, size_t nelems,
            size_t element_bytes, int root) {
    return api::run(team, Collective::kBroadcast,
                    MoveArguments{dest, source, nelems, element_bytes, root}, api::broadcast_call,
                    SHMEM_WHERE);
}

SHMEM_ENTRY(int, shmemx_gather, shmem_team_t team, void* dest, const void* source, size_t nelems,
            size_t element_bytes, int root) {
    return api::run(team, Collective::kGather,
                    MoveArguments{dest, source, nelems, element_bytes, root}, api::gather_call,
                    SHMEM_WHERE);
}

SHMEM_ENTRY(int, shmemx_scatter, shmem_team_t team, void* dest, const void* source, size_t nelems,
            size_t element_bytes, int root) {
    return api::run(team, Collective::kScatter,
                    MoveArguments{dest, source, nelems, element_bytes, root}, api::scatter_call,
                    SHMEM_WHERE);
}

SHMEM_ENTRY(int, shmemx_allgather, shmem_team_t team, void* dest, const void* source, size_t nelems,
            size_t element_bytes) {
    return api::run(team, Collective::kFcollect, MoveArguments{dest, source, nelems, element_bytes},
                    api::allgather_call, SHMEM_WHERE);
}

SHMEM_ENTRY(int, shmemx_alltoall, shmem_team_t team, void* dest, const void* source, size_t nelems,
            size_t element_bytes) {
    return api::run(team, Collective::kAlltoall, MoveArguments{dest, source, nelems, element_bytes},
                    api::alltoall_call, SHMEM_WHERE);
}

SHMEM_ENTRY(int, shmemx_gatherv, shmem_team_t team, void* dest, const size_t* counts,
            const size_t* displs, const void* source, size_t nelems, size_t element_bytes,
            int root) {
    return api::run_v(team, Collective::kGather,
                      BlockArguments{.dest = dest,
                                     .dest_counts = counts,
                                     .dest_displs = displs,
                                     .source = source,
                                     .nelems = nelems,
                                     .element_bytes = element_bytes,
                                     .root = root},
                      api::gatherv_call, SHMEM_WHERE);
}

SHMEM_ENTRY(int, shmemx_scatterv, shmem_team_t team, void* dest, size_t nelems, const void* source,
            const size_t* counts, const size_t* displs, size_t element_bytes, int root) {
    return api::run_v(team, Collective::kScatter,
                      BlockArguments{.dest = dest,
                                     .source = source,
                                     .source_counts = counts,
                                     .source_displs = displs,
                                     .nelems = nelems,
                                     .element_bytes = element_bytes,
                                     .root = root},
                      api::scatterv_call, SHMEM_WHERE);
}

SHMEM_ENTRY(int, shmemx_allgatherv, shmem_team_t team, void* dest, const size_t* counts,
            const size_t* displs, const void* source, size_t element_bytes) {
    return api::run_v(team, Collective::kAllgatherv,
                      BlockArguments{.dest = dest,
                                     .dest_counts = counts,
                                     .dest_displs = displs,
                                     .source = source,
                                     .element_bytes = element_bytes},
                      api::allgatherv_call, SHMEM_WHERE);
}

SHMEM_ENTRY(int, shmemx_alltoallv, shmem_team_t team, void* dest, const size_t* dest_counts,
            const size_t* dest_displs, const void* source, const size_t* source_counts,
            const size_t* source_displs, size_t element_bytes) {
    return api::run_v(team, Collective::kAlltoallv,
                      BlockArguments{.dest = dest,
                                     .dest_counts = dest_counts,
                                     .dest_displs = dest_displs,
                                     .source = source,
                                     .source_counts = source_counts,
                                     .source_displs = source_displs,
                                     .element_bytes = element_bytes},
                      api::alltoallv_call, SHMEM_WHERE);
}

// shmemx_{reduce,allreduce,reduce_scatter,reduce_scatterv}, and with _op
SHMEM_ENTRY(int, shmemx_reduce, shmem_team_t team, void* dest, const void* source, size_t nelems,
            int type, int op, int root) {
    return api::run(team, Collective::kReduceToRoot,
                    ReduceArguments{dest, source, nelems, api::coded(type, op, SHMEM_WHERE), root},
                    api::reduce_call, SHMEM_WHERE);
}
SHMEM_ENTRY(int, shmemx_reduce_op, shmem_team_t team, void* dest, const void* source, size_t nelems,
            const shmemx_op_t* op, int root) {
    return api::run(team, Collective::kReduceToRoot,
                    ReduceArguments{dest, source, nelems, api::own(op, SHMEM_WHERE), root},
                    api::reduce_call, SHMEM_WHERE);
}
SHMEM_ENTRY(int, shmemx_allreduce, shmem_team_t team, void* dest, const void* source, size_t nelems,
            int type, int op) {
    return api::run(team, Collective::kReduce,
                    ReduceArguments{dest, source, nelems, api::coded(type, op, SHMEM_WHERE)},
                    api::allreduce_call, SHMEM_WHERE);
}
SHMEM_ENTRY(int, shmemx_allreduce_op, shmem_team_t team, void* dest, const void* source,
            size_t nelems, const shmemx_op_t* op) {
    return api::run(team, Collective::kReduce,
                    ReduceArguments{dest, source, nelems, api::own(op, SHMEM_WHERE)},
                    api::allreduce_call, SHMEM_WHERE);
}
SHMEM_ENTRY(int, shmemx_reduce_scatter, shmem_team_t team, void* dest, const void* source,
            size_t nelems, int type, int op) {
    return api::run(team, Collective::kReduceScatter,
                    ReduceArguments{dest, source, nelems, api::coded(type, op, SHMEM_WHERE)},
                    api::reduce_scatter_call, SHMEM_WHERE);
}
SHMEM_ENTRY(int, shmemx_reduce_scatter_op, shmem_team_t team, void* dest, const void* source,
            size_t nelems, const shmemx_op_t* op) {
    return api::run(team, Collective::kReduceScatter,
                    ReduceArguments{dest, source, nelems, api::own(op, SHMEM_WHERE)},
                    api::reduce_scatter_call, SHMEM_WHERE);
}
SHMEM_ENTRY(int, shmemx_reduce_scatterv, shmem_team_t team, void* dest, const void* source,
            const size_t* counts, const size_t* displs, int type, int op) {
    return api::run_reduce_scatterv(team, {dest, source, 0, api::coded(type, op, SHMEM_WHERE)},
                                    counts, displs, SHMEM_WHERE);
}
SHMEM_ENTRY(int, shmemx_reduce_scatterv_op, shmem_team_t team, void* dest, const void* source,
            const size_t* counts, const size_t* displs, const shmemx_op_t* op) {
    return api::run_reduce_scatterv(team, {dest, source, 0, api::own(op, SHMEM_WHERE)}, counts,
                                    displs, SHMEM_WHERE);
}
