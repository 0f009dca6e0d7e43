// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives of shmemx.h. Operations of the program are not described. A nonblocking collective
// completes with `requests`.
#include "tools/interpose/element_types.hpp"
#include "tools/interpose/forward.hpp"

namespace tessera::interpose {

#define COLLECTIVE(NAME, PARAMETERS, ARGUMENTS, ...)                                \
    INTERPOSE(int, shmemx_##NAME, PARAMETERS, ARGUMENTS, .kind = Kind::kCollective, \
              .is_nbi = false, .team = team, .dest = dest, .source = source, __VA_ARGS__)
#define NONBLOCKING(NAME, PARAMETERS, ARGUMENTS, ...)                                    \
    INTERPOSE(int, shmemx_##NAME, PARAMETERS, ARGUMENTS, .kind = Kind::kCollective,      \
              .is_nbi = true, .team = team, .dest = dest, .source = source, __VA_ARGS__, \
              .requests = req, .request_count = 1)

#define DATA shmem_team_t team, void *dest, const void *source
#define THE_DATA team, dest, source
#define ELEMENTS .element_bytes = element_bytes, .count = nelems

COLLECTIVE(broadcast, (DATA, size_t nelems, size_t element_bytes, int root),
           (THE_DATA, nelems, element_bytes, root), ELEMENTS, .root = root)
COLLECTIVE(gather, (DATA, size_t nelems, size_t element_bytes, int root),
           (THE_DATA, nelems, element_bytes, root), ELEMENTS, .root = root)
COLLECTIVE(scatter, (DATA, size_t nelems, size_t element_bytes, int root),
           (THE_DATA, nelems, element_bytes, root), ELEMENTS, .root = root)
COLLECTIVE(allgather, (DATA, size_t nelems, size_t element_bytes),
           (THE_DATA, nelems, element_bytes), ELEMENTS)
COLLECTIVE(alltoall, (DATA, size_t nelems, size_t element_bytes), (THE_DATA, nelems, element_bytes),
           ELEMENTS)
NONBLOCKING(ibroadcast, (DATA, size_t nelems, size_t element_bytes, int root, shmemx_req_t* req),
            (THE_DATA, nelems, element_bytes, root, req), ELEMENTS, .root = root)
NONBLOCKING(iallgather, (DATA, size_t nelems, size_t element_bytes, shmemx_req_t* req),
            (THE_DATA, nelems, element_bytes, req), ELEMENTS)
NONBLOCKING(ialltoall, (DATA, size_t nelems, size_t element_bytes, shmemx_req_t* req),
            (THE_DATA, nelems, element_bytes, req), ELEMENTS)

// Reductions: the element's type is a number, or the operation's size.
#define BY_TYPE .element_bytes = element_bytes_of(type, op), .count = nelems
#define BY_OP .element_bytes = op->element_bytes, .count = nelems
COLLECTIVE(reduce, (DATA, size_t nelems, int type, int op, int root),
           (THE_DATA, nelems, type, op, root), BY_TYPE, .root = root)
COLLECTIVE(reduce_op, (DATA, size_t nelems, const shmemx_op_t* op, int root),
           (THE_DATA, nelems, op, root), BY_OP, .root = root)
COLLECTIVE(allreduce, (DATA, size_t nelems, int type, int op), (THE_DATA, nelems, type, op),
           BY_TYPE)
COLLECTIVE(allreduce_op, (DATA, size_t nelems, const shmemx_op_t* op), (THE_DATA, nelems, op),
           BY_OP)
COLLECTIVE(reduce_scatter, (DATA, size_t nelems, int type, int op), (THE_DATA, nelems, type, op),
           BY_TYPE)
COLLECTIVE(reduce_scatter_op, (DATA, size_t nelems, const shmemx_op_t* op), (THE_DATA, nelems, op),
           BY_OP)
NONBLOCKING(ireduce, (DATA, size_t nelems, int type, int op, int root, shmemx_req_t* req),
            (THE_DATA, nelems, type, op, root, req), BY_TYPE, .root = root)
NONBLOCKING(ireduce_op, (DATA, size_t nelems, const shmemx_op_t* op, int root, shmemx_req_t* req),
            (THE_DATA, nelems, op, root, req), BY_OP, .root = root)
NONBLOCKING(iallreduce, (DATA, size_t nelems, int type, int op, shmemx_req_t* req),
            (THE_DATA, nelems, type, op, req), BY_TYPE)
NONBLOCKING(iallreduce_op, (DATA, size_t nelems, const shmemx_op_t* op, shmemx_req_t* req),
            (THE_DATA, nelems, op, req), BY_OP)

// Lists of counts.
COLLECTIVE(gatherv,
           (shmem_team_t team, void* dest, const size_t* counts, const size_t* displs,
            const void* source, size_t nelems, size_t element_bytes, int root),
           (team, dest, counts, displs, source, nelems, element_bytes, root), ELEMENTS,
           .root = root, .lists = {counts, displs, nullptr, nullptr})
COLLECTIVE(scatterv,
           (shmem_team_t team, void* dest, size_t nelems, const void* source, const size_t* counts,
            const size_t* displs, size_t element_bytes, int root),
           (team, dest, nelems, source, counts, displs, element_bytes, root), ELEMENTS,
           .root = root, .lists = {nullptr, nullptr, counts, displs})
COLLECTIVE(allgatherv,
           (shmem_team_t team, void* dest, const size_t* counts, const size_t* displs,
            const void* source, size_t element_bytes),
           (team, dest, counts, displs, source, element_bytes), .element_bytes = element_bytes,
           .lists = {counts, displs, nullptr, nullptr})
COLLECTIVE(alltoallv,
           (shmem_team_t team, void* dest, const size_t* dest_counts, const size_t* dest_displs,
            const void* source, const size_t* source_counts, const size_t* source_displs,
            size_t element_bytes),
           (team, dest, dest_counts, dest_displs, source, source_counts, source_displs,
            element_bytes),
           .element_bytes = element_bytes,
           .lists = {dest_counts, dest_displs, source_counts, source_displs})
COLLECTIVE(reduce_scatterv, (DATA, const size_t* counts, const size_t* displs, int type, int op),
           (THE_DATA, counts, displs, type, op), .element_bytes = element_bytes_of(type, op),
           .lists = {nullptr, nullptr, counts, displs})
COLLECTIVE(reduce_scatterv_op,
           (DATA, const size_t* counts, const size_t* displs, const shmemx_op_t* op),
           (THE_DATA, counts, displs, op), .element_bytes = op->element_bytes,
           .lists = {nullptr, nullptr, counts, displs})

INTERPOSE(int, shmemx_ibarrier, (shmem_team_t team, shmemx_req_t* req), (team, req),
          .kind = Kind::kBarrier, .is_nbi = true, .team = team, .requests = req, .request_count = 1)
#undef COLLECTIVE
#undef NONBLOCKING
#undef DATA
#undef THE_DATA
#undef ELEMENTS
#undef BY_TYPE
#undef BY_OP

}  // namespace tessera::interpose
