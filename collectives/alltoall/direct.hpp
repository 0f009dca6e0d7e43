// SPDX-License-Identifier: BSD-3-Clause
//
// See direct.cpp.
#pragma once

#include <cstddef>

#include "collectives/group.hpp"

namespace tessera::collectives {

// Block l of `bytes` bytes of PE k's source becomes block k of PE l's dest.
void alltoall_direct(const Group& group, void* dest, const void* source, std::size_t bytes);

// The same with elements: element e of block b lies at index stride * (b * block_elements + e).
struct StridedBlocks {
    std::ptrdiff_t dest_stride;
    std::ptrdiff_t source_stride;
    std::size_t block_elements;
    std::size_t element_bytes;
};
void alltoalls_direct(const Group& group, void* dest, const void* source,
                      const StridedBlocks& blocks);

}  // namespace tessera::collectives
