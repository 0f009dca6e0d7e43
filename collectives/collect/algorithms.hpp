// SPDX-License-Identifier: BSD-3-Clause
//
// The collects, one file an idea. dest of all members = the sources of all members one behind the
// other, in the order of the team. fcollect: `bytes` from each member. collect: `bytes` is this
// member's contribution; others may give more, less or nothing. REQUIRES: dest apart from source.
#pragma once

#include <cstddef>

#include "collectives/collect/direct.hpp"
#include "collectives/group.hpp"
#include "core/context.hpp"

namespace tessera::collectives {

void fcollect_linear(const Group& group, void* dest, const void* source, std::size_t bytes);
void fcollect_ring(const Group& group, void* dest, const void* source, std::size_t bytes);
void fcollect_bruck(const Group& group, void* dest, const void* source, std::size_t bytes);
// REQUIRES: 2^k members.
void fcollect_recursive_doubling(const Group& group, void* dest, const void* source,
                                 std::size_t bytes);
// REQUIRES: an even number of members.
void fcollect_neighbor_exchange(const Group& group, void* dest, const void* source,
                                std::size_t bytes);
// REQUIRES: members on several nodes.
void fcollect_hierarchical(const Group& group, void* dest, const void* source, std::size_t bytes);
// REQUIRES: all members on one node, bytes <= kMailBytesMin.
void fcollect_mail(const Group& group, void* dest, const void* source, std::size_t bytes);

void collect_linear(const Group& group, void* dest, const void* source, std::size_t bytes);
void collect_ring(const Group& group, void* dest, const void* source, std::size_t bytes);
// REQUIRES: members on several nodes.
void collect_hierarchical(const Group& group, void* dest, const void* source, std::size_t bytes);

// An array of one block of `bytes` from each member, at the same symmetric address on all.
class BlockArray {
  public:
    BlockArray(const Group& group, void* dest, std::size_t bytes)
        : group_(group), dest_(static_cast<char*>(dest)), bytes_(bytes) {}

    // This member's own block; on the first use of dest.
    void fill_in(const void* source) const { put(group_.my_index(), source, group_.my_index()); }
    // `count` blocks from `first` on, from this member's array to that of member `index`; the block
    // behind the last one is the first one.
    void pass_on(int first, int count, int index) const {
        const int behind = first + count - group_.npes();
        put_run(first, behind > 0 ? count - behind : count, index);
        if (behind > 0) put_run(0, behind, index);
    }

  private:
    char* block(int number) const { return dest_ + static_cast<std::size_t>(number) * bytes_; }
    void put(int number, const void* source, int index) const {
        collective_context.put(block(number), source, bytes_, group_.world_pe(index),
                               group_.where());
    }
    void put_run(int first, int count, int index) const {
        collective_context.put(block(first), block(first), static_cast<std::size_t>(count) * bytes_,
                               group_.world_pe(index), group_.where());
    }

    const Group& group_;
    char* dest_;
    std::size_t bytes_;
};

}  // namespace tessera::collectives
