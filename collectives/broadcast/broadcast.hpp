// SPDX-License-Identifier: BSD-3-Clause
//
// The broadcasts, one algorithm a file: `bytes` of the root's source become dest of all members,
// dest of the root only where `root_dest` says so. dest may be source. REQUIRES: the same `bytes`
// and `root` on all members.
#pragma once

#include <cstddef>

#include "base/copy.hpp"
#include "collectives/algorithm.hpp"
#include "collectives/group.hpp"
#include "core/context.hpp"

namespace tessera::collectives {

// Whether the root copies to its own dest: teams do, active sets do not (OpenSHMEM 1.6, 9.10).
enum class RootDest { kWritten, kUntouched };

struct Broadcast {
    static constexpr Collective kCollective = Collective::kBroadcast;
    struct Run {
        void (*run)(const Group& group, void* dest, const void* source, std::size_t bytes, int root,
                    RootDest root_dest);
        // Where Restriction::lands: the same with arrays of any kind. `landing`: dest where that is
        // symmetric, else `bytes` of symmetric memory.
        void (*land)(const Group& group, void* dest, const void* source, std::size_t bytes,
                     int root, RootDest root_dest, void* landing);
    };
};

// The bytes of a piece in pipelines from array to array: as many as the rounds of a short tree
// hold.
inline constexpr std::size_t kPipelinePieceBytes = 8 * kSlotBytes;

// Positions in the tree: the members counted from the root, which has position 0.
class TreePosition {
  public:
    TreePosition(const Group& group, int root)
        : npes_(group.npes()), root_(root), mine_(before(group.my_index(), root)) {}

    int mine() const { return mine_; }
    bool is_root() const { return mine_ == 0; }
    int index_of(int position) const {
        const int index = root_ + position;
        return index < npes_ ? index : index - npes_;
    }

  private:
    int before(int index, int root) const {
        return index < root ? index - root + npes_ : index - root;
    }

    int npes_;
    int root_;
    int mine_;
};

// Makes the root's own copy if `root_dest` asks for it. The other members get this member's data
// from its dest, the root's data from its source.
inline void copy_at_root(void* dest, const void* source, std::size_t bytes, RootDest root_dest) {
    if (root_dest == RootDest::kUntouched || dest == source) return;
    copy_bytes(dest, source, bytes);
}

}  // namespace tessera::collectives
