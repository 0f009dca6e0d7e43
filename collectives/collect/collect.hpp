// SPDX-License-Identifier: BSD-3-Clause
//
// The collects, one algorithm a file. dest of all members = the sources of all members one behind
// the other, in the order of the team. fcollect: `bytes` from each member. collect: `bytes` is this
// member's contribution; others may give more, less or nothing. REQUIRES: dest apart from source.
#pragma once

#include <cstddef>

#include "collectives/algorithm.hpp"
#include "collectives/group.hpp"
#include "core/context.hpp"

namespace tessera::collectives {

struct Collect {
    static constexpr Collective kCollective = Collective::kCollect;
    using Run = void (*)(const Group& group, void* dest, const void* source, std::size_t bytes);
};
struct Fcollect {
    static constexpr Collective kCollective = Collective::kFcollect;
    struct Run {
        Collect::Run run;
        // Where Restriction::lands: the same with arrays of any kind. `landing`: dest where that is
        // symmetric, else symmetric memory with a block for each member.
        void (*land)(const Group& group, void* dest, const void* source, std::size_t bytes,
                     void* landing);
    };
};

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
