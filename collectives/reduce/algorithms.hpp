// SPDX-License-Identifier: BSD-3-Clause
//
// The reduction algorithms, one file each. All of them: dest on all members = source of member 0 op
// source of member 1 op ..., for any number of elements but 0; dest may be source.
#pragma once

#include "collectives/reduce/reduction.hpp"

namespace tessera::collectives {

void reduce_flat_tree(const Reduction& call);
void reduce_recursive_doubling(const Reduction& call);
void reduce_bruck(const Reduction& call);
void reduce_rabenseifner(const Reduction& call);
void reduce_slice(const Reduction& call);
void reduce_ring(const Reduction& call);
void reduce_knomial(const Reduction& call);
// REQUIRES: members on several nodes. Up to so many bytes by the nodes' first members alone.
inline constexpr std::size_t kHierarchicalShortBytes = 2 * kChunkBytes;
void reduce_hierarchical(const Reduction& call);
// REQUIRES: all members on one node, at most kMailBytesMin.
void reduce_mail(const Reduction& call);

}  // namespace tessera::collectives
