// SPDX-License-Identifier: BSD-3-Clause
//
// The arguments of the collectives of the runtime layer, as checked calls. For
// shmemx_collectives.cpp and shmemx_icollectives.cpp.
#pragma once

#include <cstddef>

#include "api/handles.hpp"
#include "base/fatal.hpp"
#include "collectives/agreement.hpp"
#include "collectives/runtime_calls.hpp"
#include "collectives/streams/operators.hpp"
#include "shmemx/collectives.h"

namespace tessera::api {

struct MoveArguments {
    void* dest = nullptr;
    const void* source = nullptr;
    std::size_t nelems = 0;
    std::size_t element_bytes = 1;
    int root = 0;
};
struct BlockArguments {
    void* dest = nullptr;
    const std::size_t* dest_counts = nullptr;
    const std::size_t* dest_displs = nullptr;
    const void* source = nullptr;
    const std::size_t* source_counts = nullptr;
    const std::size_t* source_displs = nullptr;
    std::size_t nelems = 0;
    std::size_t element_bytes = 1;
    int root = 0;
};
struct ReduceArguments {
    void* dest = nullptr;
    const void* source = nullptr;
    std::size_t nelems = 0;
    collectives::CodedFunction operation;
    int root = 0;
};

// The operation behind codes, or behind the program's pointer; a mistake ends the job.
collectives::CodedFunction coded(int type, int op, const char* where);
collectives::CodedFunction own(const shmemx_op_t* op, const char* where);

// Checked calls; a mistake ends the job.
collectives::RuntimeCall barrier_call(const Team& team, const MoveArguments& arguments,
                                      const char* where);
collectives::RuntimeCall broadcast_call(const Team& team, const MoveArguments& arguments,
                                        const char* where);
collectives::RuntimeCall gather_call(const Team& team, const MoveArguments& arguments,
                                     const char* where);
collectives::RuntimeCall scatter_call(const Team& team, const MoveArguments& arguments,
                                      const char* where);
collectives::RuntimeCall allgather_call(const Team& team, const MoveArguments& arguments,
                                        const char* where);
collectives::RuntimeCall alltoall_call(const Team& team, const MoveArguments& arguments,
                                       const char* where);
collectives::RuntimeCall gatherv_call(const Team& team, const BlockArguments& arguments,
                                      const char* where);
collectives::RuntimeCall scatterv_call(const Team& team, const BlockArguments& arguments,
                                       const char* where);
collectives::RuntimeCall allgatherv_call(const Team& team, const BlockArguments& arguments,
                                         const char* where);
collectives::RuntimeCall alltoallv_call(const Team& team, const BlockArguments& arguments,
                                        const char* where);
collectives::RuntimeCall reduce_call(const Team& team, const ReduceArguments& arguments,
                                     const char* where);
collectives::RuntimeCall allreduce_call(const Team& team, const ReduceArguments& arguments,
                                        const char* where);
collectives::RuntimeCall reduce_scatter_call(const Team& team, const ReduceArguments& arguments,
                                             const char* where);
collectives::RuntimeCall reduce_scatterv_call(const Team& team, const ReduceArguments& arguments,
                                              const std::size_t* counts, const std::size_t* displs,
                                              const char* where);

inline constexpr int kWithoutStreams = 1;  // the status of a team whose messages have no room

// ---- What members must agree on, for SHMEM_DEBUG ----

inline collectives::Agreed agreed(const MoveArguments& arguments) {
    return {arguments.nelems, arguments.element_bytes, arguments.root};
}
inline collectives::Agreed agreed(const ReduceArguments& arguments) {
    return {arguments.nelems, arguments.operation.element_bytes, arguments.root};
}

template <class Arguments>
int run(shmem_team_t handle, Collective collective, const Arguments& arguments,
        collectives::RuntimeCall (*make)(const Team&, const Arguments&, const char*),
        const char* where) {
    Team& team = team_of(handle, where);
    const collectives::RuntimeCall call = make(team, arguments, where);
    if (!collectives::can_carry(team)) return kWithoutStreams;
    collectives::check_agreement(team, agreed(arguments), where);
    if (arguments.nelems > 0) collectives::run_call(team, collective, call, where);
    return 0;
}

// With counts and displacements.
inline int run_v(shmem_team_t handle, Collective collective, const BlockArguments& arguments,
                 collectives::RuntimeCall (*make)(const Team&, const BlockArguments&, const char*),
                 const char* where) {
    Team& team = team_of(handle, where);
    const collectives::RuntimeCall call = make(team, arguments, where);
    if (!collectives::can_carry(team)) return kWithoutStreams;
    collectives::check_agreement(team, {0, arguments.element_bytes, arguments.root}, where);
    collectives::check_parts(team, call, where);
    collectives::run_call(team, collective, call, where);
    return 0;
}

inline int run_reduce_scatterv(shmem_team_t handle, const ReduceArguments& arguments,
                               const std::size_t* counts, const std::size_t* displs,
                               const char* where) {
    Team& team = team_of(handle, where);
    const collectives::RuntimeCall call =
        reduce_scatterv_call(team, arguments, counts, displs, where);
    if (!collectives::can_carry(team)) return kWithoutStreams;
    collectives::check_agreement(team, agreed(arguments), where);
    collectives::check_counts(team, counts, where);
    collectives::run_call(team, Collective::kReduceScatter, call, where);
    return 0;
}

// A start does not wait for other members, so it cannot compare arguments.
template <class Arguments>
int start(shmem_team_t handle, Collective collective, const Arguments& arguments,
          collectives::RuntimeCall (*make)(const Team&, const Arguments&, const char*),
          shmemx_req_t* req, const char* where) {
    Team& team = team_of(handle, where);
    if (req == nullptr) fatal("%s: req is NULL; pass a variable for the request", where);
    const collectives::RuntimeCall call = make(team, arguments, where);
    *req = SHMEMX_REQ_COMPLETE;
    if (!collectives::can_carry(team)) return kWithoutStreams;
    const bool has_data = arguments.nelems > 0 || collective == Collective::kBarrier;
    if (has_data) *req = collectives::start_call(team, collective, call, where);
    return 0;
}

}  // namespace tessera::api
