// SPDX-License-Identifier: BSD-3-Clause
//
// The entry points of all collectives, and the choice of an algorithm for each call: the one that
// the user names (SHMEM_<COLLECTIVE>_ALGORITHM) if it can serve the call, else the cheapest by the
// model. All members of a group choose the same.
#pragma once

#include <span>
#include <string>
#include <string_view>

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
// `bytes`: the contribution of this member.
void collect(const Group& group, void* dest, const void* source, std::size_t bytes);
// `bytes`: the contribution of each member.
void fcollect(const Group& group, void* dest, const void* source, std::size_t bytes);
// `bytes`: of a block.
void alltoall(const Group& group, void* dest, const void* source, std::size_t bytes);
void alltoalls(const Group& group, void* dest, const void* source, const StridedBlocks& blocks);
void scan(const Group& group, void* dest, const void* source, std::size_t nelems,
          const Operation& sum, OrderDependence dependence, ScanKind kind);
// dest on all members = source of member 0 op source of member 1 op ...; dest may be source.
void reduce(const Group& group, void* dest, const void* source, std::size_t nelems,
            const Kernel& kernel, OrderDependence dependence);

// ---- Barriers ----

// Makes the choices that last for the life of a new team.
void prepare(Team& team);

// RETURNS when: all members of the team have called it; the earlier stores of each member are
// visible to all.
// COST: one indirect call, then the algorithm's.
inline void sync(Team& team, const char* where) {
    team.flags->calls.note(where);
    team.sync(team, where);
}

// quiet on the default context, then sync.
inline void barrier(Team& team, const char* where) {
    deliver(default_context);
    team.flags->calls.note(where);
    team.sync(team, where);
}

// The parameters of this PE's machine: those of its profile, or the defaults.
const MachineParameters& machine();

// ---- The choice, for tools and tests ----

// The properties of a call that decide whether an algorithm can serve it.
struct Call {
    int npes = 1;
    bool is_on_one_node = true;
    bool has_mailboxes = true;
    bool has_nodes_in_order = true;                       // TeamNodes::is_in_order
    bool is_strided = false;                              // alltoalls
    OrderDependence dependence = OrderDependence::kNone;  // of reductions and scans
    bool is_reproducible = false;                         // SHMEM_REDUCE_REPRODUCIBLE
    std::size_t bytes = 0;
};
bool is_possible(const Restriction& restriction, const Call& call);

// The algorithms of a collective without their functions, in the order of the list.
std::span<const AlgorithmTraits* const> traits_of(Collective collective);

// The index in the list of the cheapest algorithm that can serve the call.
std::size_t cheapest(Collective collective, const Call& call, const TeamLayout& team,
                     const MachineParameters& machine);

const Algorithm<Barrier>& choose_barrier(const Team& team);

// The name of the algorithm that calls of this collective, dependence and size take on the team; ""
// if there was none yet. Of `call`, only is_strided, dependence and bytes count.
std::string_view chosen_algorithm(Team& team, Collective collective, const Call& call);

// The choices of auto on this team: "direct, from 4096 B ring". On member 0, whose machine counts.
std::string choices_of(Collective collective, const Team& team);

// The choices of auto by size, with the reasons, for teams of this layout: a line for each range of
// sizes.
std::string choices_text(Collective collective, const Call& call, const TeamLayout& team,
                         const MachineParameters& machine);

}  // namespace tessera::collectives
