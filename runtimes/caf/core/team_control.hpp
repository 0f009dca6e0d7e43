// SPDX-License-Identifier: BSD-3-Clause
//
// Makes and changes teams (team.hpp): form team, change team, end team.

#pragma once

#include <cstdint>
#include <vector>

#include "core/report.hpp"
#include "core/team.hpp"

namespace tessera::caf {

// form team: the images of the current team that give the same number become a team. Collective
// over the current team; images that have failed are left out.
// number     of the new team, at least 1.
// new_index  this image's number in it, or 0: images in the order of the current team.
// variable   the team variable that the statement defines; NULL: none is known. The team that it
//            was defined with before becomes idle as soon as all of that team's images have defined
//            their variables again.
// RETURNS when: the team can be used: the status of the statement, and the team, or NULL with an
// error that leaves no team.
struct FormedTeam {
    Team* team = nullptr;
    int status = kOk;
    const char* message = "";  // for a status that is no image's
};
FormedTeam form_team(std::int64_t number, int new_index, const void* variable);

// change team: `team` becomes the current team. Synchronizes its images. RETURNS: the status.
// Team variables are copied by plain assignment, so an idle team may come back here, and in
// sync_team(): its images get the handle, the barrier and the memory again.
int change_team(Team& team);

// sync team. RETURNS: the status.
int sync_team(Team& team);

// end team: frees what the images have allocated in the current team, whose parent becomes the
// current team. RETURNS: the status.
int end_team();

// The team of a depth below the current one: 0 the current team, 1 its parent, and so on.
// RETURNS: the initial team for larger distances.
Team& ancestor(int distance);

// Whether `team` is the current team or one that it stands in, or a child of the current team.
bool is_related(const Team& team);

// The images of a team by its number: that of the current team, of a sibling (formed by the same
// form team), or -1, the initial team. RETURNS: 0 if there is no such team.
int images_of_number(std::int64_t number);

// The PEs of these images, in the order of that team; empty if there is no such team.
std::vector<int> pes_of_number(std::int64_t number);

// The images of a team that have executed fail image.
int count_failed(const Team& team);

}  // namespace tessera::caf
