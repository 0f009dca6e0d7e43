// SPDX-License-Identifier: BSD-3-Clause
//
// See dissemination.cpp.
#pragma once

#include "core/team.hpp"

namespace tessera::collectives {

void sync_dissemination(Team& team, const char* where);

}  // namespace tessera::collectives
