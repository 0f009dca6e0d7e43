// SPDX-License-Identifier: BSD-3-Clause
//
// The barrier algorithms for teams, one file each (active sets: active_set.hpp). All of them:
// RETURNS when: all members have called it; what each had stored before is visible to all.
//
// A team uses the same one for all its life, as its gates have one writer each. In every sync a
// member waits for all gates that are posted to it: then nothing is under way to its flags when it
// leaves, and the slot may go to another team with another algorithm.
#pragma once

#include "core/team.hpp"

namespace tessera::collectives {

// REQUIRES: the team is on one node.
void sync_central(Team& team, const char* where);
void sync_dissemination(Team& team, const char* where);
void sync_kway_dissemination(Team& team, const char* where);
void sync_tree(Team& team, const char* where);
void sync_hierarchical(Team& team, const char* where);

}  // namespace tessera::collectives
