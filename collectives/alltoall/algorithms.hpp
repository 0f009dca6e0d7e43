// SPDX-License-Identifier: BSD-3-Clause
//
// The exchanges of everybody with everybody, one file an idea. See direct.hpp for what they do.
// REQUIRES: dest apart from source.
#pragma once

#include <cstddef>

#include "collectives/alltoall/direct.hpp"
#include "collectives/group.hpp"

namespace tessera::collectives {

void alltoall_pairwise(const Group& group, void* dest, const void* source, std::size_t bytes);
void alltoalls_pairwise(const Group& group, void* dest, const void* source,
                        const StridedBlocks& blocks);

// REQUIRES: members * bytes <= kAlltoallBruckBytes.
void alltoall_bruck(const Group& group, void* dest, const void* source, std::size_t bytes);
inline constexpr std::size_t kAlltoallBruckBytes = 16384;

// REQUIRES: a team with links on several nodes; members * bytes <= kAlltoallHierarchicalBytes.
void alltoall_hierarchical(const Group& group, void* dest, const void* source, std::size_t bytes);
inline constexpr std::size_t kAlltoallHierarchicalBytes = 65536;

// REQUIRES: all members on one node; members * bytes <= kAlltoallMailBytes.
void alltoall_mail(const Group& group, void* dest, const void* source, std::size_t bytes);
inline constexpr std::size_t kAlltoallMailBytes = 8192;

}  // namespace tessera::collectives
