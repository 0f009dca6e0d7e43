// SPDX-License-Identifier: BSD-3-Clause
//
// The entry points of all collectives, and which algorithm a call uses: the one that the user names
// (SHMEM_<COLLECTIVE>_ALGORITHM), where it can do the call, else the cheapest by the model. All
// members of a group choose the same.
#pragma once

#include <span>
#include <string>

#include "collectives/alltoall/alltoall.hpp"
#include "collectives/barrier/barrier.hpp"
#include "collectives/broadcast/broadcast.hpp"
#include "collectives/collect/collect.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/scan/scan.hpp"
#include "messaging/deliver.hpp"

namespace tessera::collectives {

// ---- Data ----
// RETURNS when: dest of this member is complete, and its source reusable. All members call it with
// the same arguments; dest and source are symmetric.

void broadcast(const Group& group, void* dest, const void* source, std::size_t bytes, int root,
               RootDest root_dest);
// `bytes`: what this member contributes.
void collect(const Group& group, void* dest, const void* source, std::size_t bytes);
// `bytes`: what each member contributes.
void fcollect(const Group& group, void* dest, const void* source, std::size_t bytes);
// `bytes`: of a block.
void alltoall(const Group& group, void* dest, const void* source, std::size_t bytes);
void alltoalls(const Group& group, void* dest, const void* source, const StridedBlocks& blocks);
void scan(const Group& group, void* dest, const void* source, std::size_t nelems,
          const Operation& sum, ScanKind kind);
// dest on all members = source of member 0 op source of member 1 op ...; dest may be source.
// `is_exact`: the result does not depend on the order of the operations.
void reduce(const Group& group, void* dest, const void* source, std::size_t nelems,
            const Kernel& kernel, bool is_exact);

// ---- Barriers ----

// Fixes what is chosen once for a new team.
void prepare(Team& team);

// RETURNS when: all members of the team have called it; what each had stored before is visible to
// all.
// COST: one indirect call, then the algorithm's.
inline void sync(Team& team, const char* where) { team.sync(team, where); }

// quiet on the default context, then sync.
inline void barrier(Team& team, const char* where) {
    deliver(default_context);
    team.sync(team, where);
}

// What this PE knows of its machine: the parameters of its profile, or the defaults.
const MachineParameters& machine();

// ---- The choice, for tools and tests ----

// Whether an algorithm can do a call.
struct Call {
    int npes = 1;
    bool is_on_one_node = true;
    bool has_mailboxes = true;
    bool has_nodes_in_order = true;  // TeamNodes::is_in_order
    bool is_strided = false;         // alltoalls
    bool is_exact = true;            // for reductions
    bool is_reproducible = false;    // SHMEM_REDUCE_REPRODUCIBLE
    std::size_t bytes = 0;
};
bool is_possible(const Restriction& restriction, const Call& call);

// The algorithms of a collective without their functions, in the order of the list.
std::span<const AlgorithmTraits* const> traits_of(Collective collective);

// The place in the list of the cheapest algorithm that can do the call.
std::size_t cheapest(Collective collective, const Call& call, const TeamLayout& team,
                     const MachineParameters& machine);

const Algorithm<Barrier>& choose_barrier(const Team& team);

// "direct, from 4096 B ring": what auto takes on this team. On member 0, whose machine counts.
std::string choices_of(Collective collective, const Team& team);

// What auto takes by size, with the reason, for teams of this layout: a line for each range of
// sizes.
std::string choices_text(Collective collective, const Call& call, const TeamLayout& team,
                         const MachineParameters& machine);

}  // namespace tessera::collectives
