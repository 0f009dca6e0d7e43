// SPDX-License-Identifier: BSD-3-Clause
//
// The scans, one algorithm a file. All of them: dest of member i = source of member 0 + ... +
// source of member i (inclusive) or i - 1 (exclusive; zero on member 0), for any number of
// elements; dest may be source. `sum` is an addition for which zero bytes are the neutral element.
//
// Members are added in their order. A sum of floating point zeros is -0.0 in the inclusive form
// where all of them are; the exclusive form begins with +0.0.
#pragma once

#include <cstddef>

#include "collectives/algorithm.hpp"
#include "collectives/group.hpp"
#include "collectives/reduce/operand.hpp"

namespace tessera::collectives {

enum class ScanKind { kInclusive, kExclusive };

struct Scan {
    static constexpr Collective kCollective = Collective::kScan;
    using Run = void (*)(const Group& group, void* dest, const void* source, std::size_t nelems,
                         const Kernel& sum, ScanKind kind);
};

}  // namespace tessera::collectives
