// SPDX-License-Identifier: BSD-3-Clause
//
// Teams of images. Image i of a team is PE pe_of(i); the images of a team are numbered from 1, in
// the order of the OpenSHMEM team `handle`. current_team() changes by change team and end team
// (team_control.hpp) only.

#pragma once

#include <shmem.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/barrier.hpp"
#include "core/exposed.hpp"
#include "core/members.hpp"

namespace tessera::caf {

struct Coarray;

// An image's message to the others in form team.
struct FormMessage {
    std::int64_t number;      // number of the new team; -1: the image wants none
    std::int32_t new_index;   // index in it, or 0: any
    std::uint32_t redefined;  // Team::formed_at of the team that is to become idle; 0: none
    std::uint32_t call;       // the parent's `forms` of this call; else the image has not made it
    std::int32_t deaths;      // the deaths that the image knows, where form team finds any
};

// A team whose variable has been defined again is idle (team_control.hpp): it has no handle, no
// barrier and no memory, only what is local.
struct Team : Members {
    Team() = default;
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    shmem_team_t handle = SHMEM_TEAM_INVALID;
    Team* parent = nullptr;    // NULL: the initial team.
    std::int64_t number = -1;  // team_number; -1 for the initial team.
    int depth = 0;             // 0 for the initial team.
    // The value of its team variables. No other team has it, so a copy of a variable whose team is
    // gone names no team.
    void* token = nullptr;
    const void* variable = nullptr;  // defined by form team; NULL: it is defined again
    // Coarrays allocated since change team, in the order of their allocation; coarray.hpp keeps it.
    std::vector<Coarray*> coarrays;
    std::unique_ptr<TeamBarrier> barrier;
    // form team: two symmetric messages of this image, and the calls so far.
    FormMessage* form_messages = nullptr;
    std::uint32_t forms = 0;
    std::uint32_t formed_at = 0;  // the parent's `forms`, from 1: which of its teams this is
    // allocate and deallocate: four symmetric words, and the calls so far (allocation.cpp).
    std::uint64_t* allocation_words = nullptr;
    std::uint32_t allocations = 0;
    // The messages of the parent's images when this team was formed: its siblings are in there.
    std::vector<FormMessage> formation;
    // Children whose variables have been defined again on this image (idle_teams.cpp).
    std::vector<Team*> redefined;

    // Where this image exposes data of collectives (collectives.cpp): a symmetric address. Where
    // each image does, as this image loads it; empty unless the images map each other's memory.
    Exposed* own_exposed = nullptr;
    std::vector<Exposed*> exposed;
    // The images reach each other's memory without a network, also after the death of an image:
    // they map it, or software keeps it coherent.
    bool is_in_reach = false;
    std::uint64_t broadcasts = 0;  // by slots, so far

    bool is_initial() const { return parent == nullptr; }
    bool is_idle() const { return barrier == nullptr; }
};

namespace detail {
inline Team* current = nullptr;   // Set by ensure_initialized().
inline bool is_one_node = false;  // All images map each other's memory. Set with it.
inline int all_images = 0;        // The images of the initial team. Set with it.
}  // namespace detail

// Called by initialize(): all PEs are the images of the initial team.
void make_initial_team();

Team& initial_team();
inline Team& current_team() { return *detail::current; }
inline int this_image() { return detail::current->this_image; }
inline int num_images() { return detail::current->images; }

[[noreturn]] void stop_for_image(int image, const Team& team, const char* routine);

// The PE of an image of a team, of the current team by default. ERRORS: an image out of range ends
// the program.
inline int pe_of(int image, const Team& team, const char* routine) {
    if (image < 1 || image > team.images) [[unlikely]]
        stop_for_image(image, team, routine);
    return team.pe_of(image);
}
inline int pe_of(int image, const char* routine) { return pe_of(image, *detail::current, routine); }

// Waits until all images of a team that neither have stopped nor failed have called it. The same
// value on all of them: kOk; kStoppedImage or kFailedImage if an image does not take part. Does not
// complete puts (ordering.hpp: complete_all). A collective of OpenSHMEM on the team is safe only
// directly after kOk: then no member can stop before it.
inline int sync_members(Team& team) { return team.barrier->wait(); }

// change team, end team: the team becomes the current one.
void make_current(Team& team);

// The handle, the barrier and the memory of a team whose images are known. Collective over these.
// RETURNS: false without memory, on all.
bool equip(Team& team);

// Keeps a team; deletes an idle one.
Team& add_team(std::unique_ptr<Team> team);
void delete_team(const Team& team);

// The team of a variable of team_type, or NULL if the value is no team of this image. The value
// that a variable gets, NULL for no team.
Team* find_team(const void* value);
inline void* token_of(const Team* team) { return team == nullptr ? nullptr : team->token; }

// The teams that this image is in and that are not idle, from a team on: that one and the younger
// ones. The initial team is the oldest.
std::vector<Team*> teams_from(const Team& first);

}  // namespace tessera::caf
