// SPDX-License-Identifier: BSD-3-Clause
//
// See direct.cpp.
#pragma once

#include <cstddef>

#include "collectives/group.hpp"

namespace tessera::collectives {

// Whether the root copies to its own dest: teams do, active sets do not (OpenSHMEM 1.6, 9.10).
enum class RootDest { kWritten, kUntouched };

void broadcast_direct(const Group& group, void* dest, const void* source, std::size_t bytes,
                      int root, RootDest root_dest);

}  // namespace tessera::collectives
