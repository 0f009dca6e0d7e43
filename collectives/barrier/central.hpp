// SPDX-License-Identifier: BSD-3-Clause
//
// See central.cpp.
#pragma once

#include "core/team.hpp"

namespace tessera::collectives {

void sync_central(Team& team, const char* where);

}  // namespace tessera::collectives
