// SPDX-License-Identifier: BSD-3-Clause
//
// The entry points of the collectives of the specification, whose arrays are symmetric
// (runtime_calls.hpp: any arrays). choice.hpp chooses the algorithm of each call.
#pragma once

#include <cstddef>

#include "collectives/alltoall/alltoall.hpp"
#include "collectives/barrier/barrier.hpp"
#include "collectives/broadcast/broadcast.hpp"
#include "collectives/collect/collect.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/scan/scan.hpp"

namespace tessera::collectives {

// ---- Data ----
// RETURNS when: dest of this member is complete, and its source reusable. All members call it with
// the same arguments; dest and source are symmetric.

void broadcast(const Group& group, void* dest, const void* source, std::size_t bytes, int root,
               RootDest root_dest);
// `bytes`: the contribution of this member.
void collect(const Group& group, void* dest, const void* source, std::size_t bytes);
// `bytes`: the contribution of each member.
void fcollect(const Group& group, void* dest, const void* source, std::size_t bytes);
// `bytes`: of a block.
void alltoall(const Group& group, void* dest, const void* source, std::size_t bytes);
void alltoalls(const Group& group, void* dest, const void* source, const StridedBlocks& blocks);
void scan(const Group& group, void* dest, const void* source, std::size_t nelems, const Kernel& sum,
          OrderDependence dependence, ScanKind kind);
// dest on all members = source of member 0 op source of member 1 op ...; dest may be source.
void reduce(const Group& group, void* dest, const void* source, std::size_t nelems,
            const Kernel& kernel, OrderDependence dependence);

// Makes the choices that last for the life of a new team.
void prepare(Team& team);

}  // namespace tessera::collectives
