// SPDX-License-Identifier: BSD-3-Clause
//
// Teams that are given back. A variable of team_type is copied by plain assignment, so nothing
// tells when the last copy is gone. But where form team defines a variable again, its former team
// is unlikely to be used any more. When all images of that team have done so, they give back its
// handle and its memory: the team is idle. Should a copy still be used, they make both again. The
// rest of an idle team is small and local; it stays for the last kIdleTeamsMax of them.
//
// All images of a team must give it back in the same form team, which a statement of its parent is.
// So each image proposes one of its redefined teams there, next to what it wants (FormMessage).
//
// THREADS: as form team: one thread per image.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/team.hpp"

namespace tessera::caf {

inline constexpr std::size_t kIdleTeamsMax = 4096;

// form team is about to define a variable: its former team, if any, is redefined.
void define_again(const void* variable);

// form team has defined a variable; NULL: the team stays.
void note_variable(Team& team, const void* variable);

// The child of `parent` that this image proposes in a call of form team, or NULL.
Team* choose_redefined(const Team& parent, std::uint32_t call);

// Makes the proposed team idle, and the teams formed in it, if all its images have proposed it.
// Collective over these: all have just met in form team.
void make_idle_if_agreed(Team& parent, Team& proposed, const std::vector<FormMessage>& messages);

// If a team is idle: gives it its handle and memory again. Collective over its images. RETURNS: the
// status: kOk; kStoppedImage or kFailedImage. ERRORS: without memory the program ends.
int equip_again(Team& team, const char* routine);

}  // namespace tessera::caf
