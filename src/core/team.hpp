// SPDX-License-Identifier: BSD-3-Clause
//
// A team: an ordered list of PEs with flags of its own in the internal segments of its members, so
// that no two teams ever share a flag. Members of this node reach each other's flags by loads and
// stores, the others through the fabric. Collectives know a team and nothing else. THREADS: one
// collective at a time on a team (OpenSHMEM 1.6, 9.10); different teams are independent.
//
// Every member takes a free slot of its own internal segment for its flags; the numbers of the
// slots are exchanged when the team is made (collectives/team_create.cpp), so no agreement is
// needed and only memory limits the number of teams. Flags are never reset: a gate only grows, so a
// member that is late to leave the last sync of a destroyed team cannot miss it. A new team counts
// on from the highest number that any of its slots has seen.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/central_sync.hpp"
#include "base/platform.hpp"
#include "base/wait.hpp"

namespace tessera {

inline constexpr int kSyncRoundsMax = 32;  // dissemination: 2^32 members

// A member's flags, in its internal segment, written by other members.
//   line i   arrival[i]: number of the last sync whose round i reached this member
//   then     central: the team's meeting point; only the copy of member 0 is used
//   then     exchange: two words that this member shows to the others between two syncs
struct TeamFlags {
    struct alignas(kFalseSharingBytes) Line {
        Gate gate;
    };
    Line arrival[kSyncRoundsMax];
    CentralSync central;
    alignas(kFalseSharingBytes) std::uint64_t exchange[2];
};
static_assert(sizeof(TeamFlags) == (kSyncRoundsMax + 3) * kFalseSharingBytes);

struct Team;
struct TeamMailboxes;
using SyncFunction = void (*)(Team& team, const char* where);
// This PE's flags in slot `slot`: also the symmetric address of other PEs' flags in theirs.
TeamFlags* team_flags(std::uint32_t slot);

// The PE that a member tells in one round of a dissemination.
struct SyncPartner {
    TeamFlags* flags = nullptr;  // as this PE maps them; nullptr: on another node, then:
    TeamFlags* name = nullptr;   // the symmetric address of the partner's flags
    int pe = 0;
};

// Which members are on which node. Nodes in the order of their first PEs, members of a node in that
// of the team. The same on all members, but for `mine` and `index_on_node`.
struct TeamNodes {
    std::vector<int> members;  // of node 0, of node 1, ...
    std::vector<int> begins;   // node k's are members[begins[k]] to members[begins[k + 1] - 1]
    int mine = 0;              // the node of this PE
    int index_on_node = 0;     // of this PE among the members of its node
    int smallest = 0;          // members on the node that has fewest
    bool is_in_order = true;   // Members of a node follow each other: members[i] is i.

    int count() const { return static_cast<int>(begins.size()) - 1; }
    int size(int node) const {
        const auto at = static_cast<std::size_t>(node);
        return begins[at + 1] - begins[at];
    }
    int member(int node, int at) const {
        return members[static_cast<std::size_t>(begins[static_cast<std::size_t>(node)] + at)];
    }
};

// The collectives' state of a team: collectives/state.hpp, which defines the deleter as well.
struct CollectiveState;
struct DeleteCollectiveState {
    void operator()(CollectiveState* state) const;
};
using CollectiveStatePointer = std::unique_ptr<CollectiveState, DeleteCollectiveState>;

struct Team {
    int npes = 0;
    int my_index = -1;
    // Member i's number in the world; nullptr: i itself.
    const int* world_pes = nullptr;
    std::uint32_t syncs = 0;          // number of the last sync; equal on all members between syncs
    std::uint32_t mailbox_calls = 0;  // number of the last collective that used mailboxes
    bool has_mailboxes = true;        // of all members (core/team_mailboxes.hpp)
    bool more_members_than_cores = false;
    bool is_on_one_node = true;
    int nodes = 1;                            // on which it has members
    int largest_node = 1;                     // members on the node that has most
    CentralSync* central = nullptr;           // of member 0; nullptr unless on one node
    TeamFlags* flags = nullptr;               // of this PE: my_flags(), looked up once
    std::vector<SyncPartner> partners;        // by round: 1, 2, 4, ... places further
    SyncFunction sync = nullptr;              // chosen by collectives/select.cpp
    std::uint32_t slot = 0;                   // of this PE's flags
    int num_contexts = 0;                     // as configured
    std::uint64_t handle = 0;                 // the program's name for it; 0: a predefined team
    std::uint32_t open_contexts = 0;          // that the program created on it (api/contexts.cpp)
    std::vector<int> members;                 // what world_pes points to
    std::vector<std::uint32_t> slots;         // member i's slot; empty: all have `slot`
    TeamNodes by_node;                        // empty unless on several nodes
    CollectiveStatePointer collective_state;  // nullptr before the first use

    TeamFlags& my_flags() const { return *team_flags(slot); }
    std::uint32_t slot_of(int index) const {
        return slots.empty() ? slot : slots[static_cast<std::size_t>(index)];
    }
    // The words that member `index` shows to the others between two syncs (TeamFlags::exchange).
    // THREADS: like collectives. COST: on another node a round trip.
    struct Shown {
        std::uint64_t words[2];
    };
    Shown shown_by(int index) const;
    int world_pe(int index) const { return world_pes != nullptr ? world_pes[index] : index; }
    // The member with this number in the world, or -1.
    int index_of(int world_pe) const;
    // The member's number in the world; an index outside the team ends the job.
    TESSERA_INLINE int checked_world_pe(int index, const char* where) const {
        if (static_cast<std::uint32_t>(index) >= static_cast<std::uint32_t>(npes)) [[unlikely]] {
            fail_index(index, where);
        }
        return world_pe(index);
    }
    [[noreturn]] TESSERA_COLD void fail_index(int index, const char* where) const;
};

// The flags of PE `world_pe` as this PE maps them; nullptr: it is on another node.
TeamFlags* mapped_team_flags(int world_pe, std::uint32_t slot);

// team_flags() and mapped_team_flags() for mailboxes.
TeamMailboxes* team_mailboxes(std::uint32_t slot);
TeamMailboxes* mapped_team_mailboxes(int world_pe, std::uint32_t slot);

// Gates compare numbers modulo 2^31, so a gate that is never posted would count as reached after
// 2^30 more syncs. Renewing brings all gates of this PE to the team's last numbers; it must happen
// before numbers have grown by more than kRenewAfter.
inline constexpr std::uint32_t kRenewAfter = std::uint32_t{1} << 28;
// REQUIRES: a sync of the members before and after, and no post of theirs in between.
void renew_flags(const Team& team);
void renew_mailboxes(const Team& team);

// Fills the members that follow from members, slots and world_pes: nodes, central, partners.
void find_partners(Team& team);

// A slot of this PE that no team uses, and the highest numbers that its flags and mailboxes have
// seen.
struct TeamSlot {
    std::uint32_t index = 0;
    std::uint32_t syncs = 0;
    std::uint32_t mailbox_calls = 0;
};
// nullopt: all slots are taken. THREADS: any.
std::optional<TeamSlot> claim_team_slot();
void release_team_slot(const TeamSlot& slot);
// For the next init: the segments start empty again.
void forget_team_slots();

// SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED and SHMEMX_TEAM_NODE, made by init. Not functions: paths
// start here. Never destroyed (docs/architecture.md, "Nothing is destroyed at exit").
extern Team& world_team;
extern Team& shared_team;
extern Team& node_team;

// Whether the world's team serves active sets of all PEs: not with other nodes, nor with threads
// that may use two pSync at once. Set by init, the same in all PEs.
extern bool world_serves_active_sets;

}  // namespace tessera
