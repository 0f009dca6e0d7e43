// SPDX-License-Identifier: BSD-3-Clause
//
// See direct.cpp.
#pragma once

#include <cstddef>

#include "collectives/group.hpp"

namespace tessera::collectives {

// The same number of bytes from every PE.
void fcollect_direct(const Group& group, void* dest, const void* source, std::size_t bytes);

// `bytes` is this PE's contribution; others may give more, less or nothing.
void collect_direct(const Group& group, void* dest, const void* source, std::size_t bytes);

}  // namespace tessera::collectives
