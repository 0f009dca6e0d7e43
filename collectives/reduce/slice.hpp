// SPDX-License-Identifier: BSD-3-Clause
//
// See slice.cpp.
#pragma once

#include <cstddef>

#include "collectives/group.hpp"
#include "collectives/reduce/operand.hpp"

namespace tessera::collectives {

// dest on all PEs = source of PE 0 op source of PE 1 op ...; dest may be source.
void reduce_slice(const Group& group, void* dest, const void* source, std::size_t nelems,
                  const Operation& operation);

}  // namespace tessera::collectives
