// SPDX-License-Identifier: BSD-3-Clause
//
// See slice.cpp.
#pragma once

#include <cstddef>

#include "collectives/group.hpp"
#include "collectives/reduce/operand.hpp"

namespace tessera::collectives {

enum class ScanKind { kInclusive, kExclusive };

// dest of PE i = source of PE 0 + ... + source of PE i (inclusive) or i - 1 (exclusive; zero on PE
// 0). `sum` is an addition for which zero bytes are the neutral element. dest may be source.
void scan_slice(const Group& group, void* dest, const void* source, std::size_t nelems,
                const Operation& sum, ScanKind kind);

}  // namespace tessera::collectives
