// SPDX-License-Identifier: BSD-3-Clause
//
// The lists that describe a team: its members, and which of them are on which node. Most teams are
// formulas (member_list.hpp, team_nodes.hpp) and take no memory that grows with the members. The
// arrays of the others exist once for each node, in the internal segment of the first member there:
//
//   block of lists   users    how many members of the node still have the team
//                    arrays   pes, order, node_members, node_begins, as far as there are any
//
// The last user leaves the block to its owner, which finds it at its next allocation. Without room
// there each member keeps arrays of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "teams/team.hpp"

namespace tessera {

// The arrays that no formula replaces; the others are empty. The same on all members of a node.
struct TeamArrays {
    int owner = 0;                  // the PE whose internal segment has this node's block
    int users = 0;                  // members on this node
    std::vector<int> pes;           // by index: the number in the world
    std::vector<int> order;         // indices by ascending number in the world; like pes
    std::vector<int> node_members;  // TeamNodes::members
    std::vector<int> node_begins;   // TeamNodes::begins

    std::size_t count() const {
        return pes.size() + order.size() + node_members.size() + node_begins.size();
    }
};

// Fills in what follows from the members: Team::npes, my_index, members, by_node. Until the arrays
// are there (below) those members must not be used. REQUIRES: this PE is in `world_pes`.
// COST: O(members lg members) time, and memory for the call.
TeamArrays find_members(Team& team, std::span<const int> world_pes);
// The same for the team of all PEs.
TeamArrays find_members_of_world(Team& team);
// The same for a team with the members of another one, in their order. REQUIRES: that one is no
// irregular team. COST: O(1).
TeamArrays copy_members(Team& team, const Team& other);

// A team with arrays of its own.
void keep_arrays(Team& team, const TeamArrays& arrays);

// A team whose node shares them: first share_arrays(), on all members; a sync of the members; then
// find_arrays(). REQUIRES: team.slot is the same on all members.
void share_arrays(Team& team, const TeamArrays& arrays);
void find_arrays(Team& team, const TeamArrays& arrays);
// The end of a team with shared arrays. REQUIRES: a sync of the members after find_arrays(), since
// the word that names the block lies in the owner's flags. THREADS: any.
void leave_arrays(Team& team);

// The blocks of lists of which this PE is the owner (core/pe_state.hpp). Declared here, defined in
// team_arrays.cpp, because only that file looks inside.
struct ListBlocks;
struct DeleteListBlocks {
    void operator()(ListBlocks* blocks) const;
};
using ListBlocksPointer = std::unique_ptr<ListBlocks, DeleteListBlocks>;
ListBlocksPointer make_list_blocks();

}  // namespace tessera
