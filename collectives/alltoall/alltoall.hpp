// SPDX-License-Identifier: BSD-3-Clause
//
// The exchanges of every member with every member, one algorithm a file. REQUIRES: dest apart from
// source.
#pragma once

#include <cstddef>

#include "collectives/algorithm.hpp"
#include "collectives/group.hpp"

namespace tessera::collectives {

// alltoalls: element e of block b lies at index stride * (b * block_elements + e).
struct StridedBlocks {
    std::ptrdiff_t dest_stride;
    std::ptrdiff_t source_stride;
    std::size_t block_elements;
    std::size_t element_bytes;
};

struct Alltoall {
    static constexpr Collective kCollective = Collective::kAlltoall;
    struct Run {
        // Block l of `bytes` bytes of member k's source becomes block k of member l's dest.
        void (*contiguous)(const Group& group, void* dest, const void* source, std::size_t bytes);
        // The same with strided elements; nullptr where Restriction::contiguous.
        void (*strided)(const Group& group, void* dest, const void* source,
                        const StridedBlocks& blocks);
    };
};

// The same algorithm without alltoalls.
constexpr AlgorithmTraits contiguous(AlgorithmTraits traits) {
    traits.restriction.contiguous = true;
    return traits;
}

}  // namespace tessera::collectives
