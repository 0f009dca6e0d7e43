// SPDX-License-Identifier: BSD-3-Clause
//
// A team: an ordered list of PEs with flags of its own in the internal segments of its members, so
// that no two teams ever share a flag. Members of this node reach each other's flags by loads and
// stores, the others through the fabric. Collectives know a team and nothing else. THREADS: one
// collective at a time on a team (OpenSHMEM 1.6, 9.10); different teams are independent.
//
// The flags of a team lie in the same slot of the internal segments of all members, which they
// agree on when the team is made (teams/team_slots.hpp); so only memory limits the number of teams.
// Flags are never reset while a team lives: a gate only grows, so a member that is late to leave
// the last sync of a destroyed team cannot miss it. A new team counts on from the highest number
// that any of its members has seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/platform.hpp"
#include "teams/member_list.hpp"
#include "teams/team_flags.hpp"
#include "teams/team_nodes.hpp"

namespace tessera {

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

// The collectives' state of a team: collectives/state.hpp, which defines the deleter as well.
struct CollectiveState;
struct DeleteCollectiveState {
    void operator()(CollectiveState* state) const;
};
using CollectiveStatePointer = std::unique_ptr<CollectiveState, DeleteCollectiveState>;

// How far the gates of teams have been counted. Wider than the gates' own numbers, which wrap.
struct TeamNumbers {
    std::uint64_t syncs = 0;
    std::uint64_t mailbox_calls = 0;
};

struct ListBlock;

struct Team {
    int npes = 0;
    int my_index = -1;
    MemberList members;               // their numbers in the world
    std::uint32_t syncs = 0;          // number of the last sync; equal on all members between syncs
    std::uint32_t mailbox_calls = 0;  // number of the last collective that used mailboxes
    bool has_mailboxes = true;        // all members have mailboxes (teams/team_mailboxes.hpp)
    bool has_streams = true;          // all members have streams (teams/team_streams.hpp)
    // The streams of the team count from here on: mailbox_calls when the team was made.
    std::uint32_t first_stream_number = 0;
    bool more_members_than_cores = false;
    bool is_on_one_node = true;
    int nodes = 1;                      // on which it has members
    int largest_node = 1;               // members on the node that has most
    CentralSync* central = nullptr;     // counter of member 0; nullptr unless on one node
    TeamFlags* flags = nullptr;         // this PE's: my_flags(), looked up once
    std::vector<SyncPartner> partners;  // by round: 1, 2, 4, ... places further
    SyncFunction sync = nullptr;        // chosen by collectives/select.cpp
    // Where software keeps memory coherent, `sync` syncs copies around the plain one; behind a
    // quiet, which publishes, only after it. Elsewhere all three are the same.
    SyncFunction sync_after_quiet = nullptr;
    SyncFunction plain_sync = nullptr;
    std::uint32_t slot = 0;                   // slot of each member's flags
    int num_contexts = 0;                     // as configured
    std::uint64_t handle = 0;                 // the program's name for it; 0: a predefined team
    std::uint32_t open_contexts = 0;          // the program's contexts (api/contexts.cpp)
    std::uint32_t lines_shown = 0;            // collectives/shown_lines.cpp
    TeamNodes by_node;                        // empty unless on several nodes
    CollectiveStatePointer collective_state;  // nullptr before the first use
    TeamNumbers first;                        // `syncs` and `mailbox_calls` when it was made
    // The arrays that `members` and `by_node` point to (teams/team_arrays.hpp), of the node or of
    // this PE; both nullptr: they are formulas.
    ListBlock* lists = nullptr;
    std::unique_ptr<int[]> own_arrays;

    TeamFlags& my_flags() const { return *team_flags(slot); }
    // The number that member `index` shows to the others between two syncs (TeamFlags::shown).
    // THREADS: like collectives. COST: on another node a round trip.
    std::uint64_t shown_by(int index) const;
    // Whether it has arrays; the same on all members.
    bool is_irregular() const { return lists != nullptr || own_arrays != nullptr; }
    // Reads `bytes` of each member's flags into `to`: member i's at i * bytes. `mine`: these bytes
    // in this PE's flags. THREADS: like collectives. COST: between nodes one round trip for all.
    void read_flags(const void* mine, std::size_t bytes, void* to) const;
    TESSERA_INLINE int world_pe(int index) const { return members[index]; }
    // The member with this number in the world, or -1.
    int index_of(int world_pe) const { return members.index_of(world_pe, npes); }
    // The member's number in the world; an index outside the team ends the job.
    TESSERA_INLINE int checked_world_pe(int index, const char* where) const {
        if (static_cast<std::uint32_t>(index) >= static_cast<std::uint32_t>(npes)) [[unlikely]]
            fail_index(index, where);
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

// Fills in what follows from members, slot and nodes: central, partners, has_mailboxes.
void find_partners(Team& team);

// SHMEM_TEAM_WORLD, made by init. Not a function: paths start here. Never destroyed
// (docs/code/architecture.md, "Nothing is destroyed at exit"). Of the session: shared_team and
// node_team (core/pe_state.hpp).
extern Team& world_team;

}  // namespace tessera
