// SPDX-License-Identifier: BSD-3-Clause
//
// The choice of an algorithm, whatever the collective and the caller: the one that the user names
// (SHMEM_<COLLECTIVE>_ALGORITHM) if it can serve the call, else the cheapest by the model. All
// members of a group choose the same.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "collectives/algorithm.hpp"
#include "collectives/barrier/barrier.hpp"
#include "collectives/group.hpp"
#include "collectives/kernels/kernel.hpp"

namespace tessera::collectives {

// Where members do not know each other's sizes, all choose as for so many bytes.
inline constexpr std::size_t kNominalCollectBytes = 1024;

// The properties of a call that decide whether an algorithm can serve it.
struct Call {
    int npes = 1;
    bool is_on_one_node = true;
    bool has_mailboxes = true;
    bool has_streams = true;
    bool has_nodes_in_order = true;                       // TeamNodes::is_in_order
    bool is_strided = false;                              // alltoalls
    OrderDependence dependence = OrderDependence::kNone;  // reductions and scans only
    bool is_reproducible = false;                         // SHMEM_REDUCE_REPRODUCIBLE
    std::size_t bytes = 0;
    // Calls of the runtime layer: their arrays may be private.
    bool is_private = false;
    bool can_stage = true;         // The arrays may pass through the team's staging memory.
    bool is_out_of_reach = false;  // A member cannot expose its arrays.
    bool is_nonblocking = false;
};
bool is_possible(const Restriction& restriction, const Call& call);

// The algorithms of a collective without their functions, in the order of the list.
std::span<const AlgorithmTraits* const> traits_of(Collective collective);

// The index in the list of the cheapest algorithm that can serve the call.
std::size_t cheapest(Collective collective, const Call& call, const TeamLayout& team,
                     const MachineParameters& machine);

// The index in the list of the algorithm that serves a call of this group. The function
// fills in what follows from the group and the settings. REQUIRES: not the collective kBarrier.
std::size_t choose(const Group& group, Collective collective, const Call& call);
template <class Kind>
const Algorithm<Kind>& pick(const Group& group, const Call& call) {
    return *algorithms<Kind>()[choose(group, Kind::kCollective, call)];
}

const Algorithm<Barrier>& choose_barrier(const Team& team);

// The parameters of this PE's machine: those of its profile, or the defaults.
const MachineParameters& machine();

// ---- For tools and tests ----

// The name of the algorithm that calls of this collective, dependence and size take on the team; ""
// if there was none yet. Of `call`, only is_strided, dependence, is_private and bytes count.
std::string_view chosen_algorithm(Team& team, Collective collective, Call call);

// The choices of auto on this team: "direct, from 4096 B ring". On member 0, whose machine counts.
std::string choices_of(Collective collective, const Team& team);

// The choices of auto by size, with the reasons, for teams of this layout: a line for each range of
// sizes.
std::string choices_text(Collective collective, const Call& call, const TeamLayout& team,
                         const MachineParameters& machine);

}  // namespace tessera::collectives
