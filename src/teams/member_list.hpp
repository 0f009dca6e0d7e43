// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: the numbers in the world of a team's members, in the team's order. A regular list needs
// no memory: member i is first + i * stride, or, for blocks of `block` members that begin `jump`
// further than the stride would bring them,
//
//   first + i * stride + (i / block) * jump
//
// so contiguous PEs, every k-th PE in either direction, and the same places of each node are
// formulas. Any other list is an array that the node's members share (teams/team_arrays.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/bits.hpp"
#include "base/platform.hpp"

namespace tessera {

class MemberList {
  public:
    // The PEs 0, 1, 2, ...
    constexpr MemberList() = default;

    // The formula of these PEs; nullopt: they have none. COST: O(members).
    static std::optional<MemberList> formula_of(std::span<const int> world_pes);
    // Any PEs: member i is pes[i]. `order` has the members' indices by ascending number in the
    // world. Both arrays last as long as the list.
    static MemberList array(const int* pes, const int* order);

    // COST: a multiplication; for blocks three; for an array a load.
    TESSERA_INLINE int operator[](int index) const {
        if (pes_ != nullptr) return pes_[index];
        const int regular = first_ + index * stride_;
        if (reciprocal_ == 0) [[likely]]
            return regular;
        return regular + quotient(index) * jump_;
    }
    // The index of the member with this number in the world, or -1.
    // COST: O(1) for a formula, O(lg npes) for an array.
    int index_of(int world_pe, int npes) const;

  private:
    // index / block_, for numbers of 32 bits: a multiplication by 2^64 / block_, rounded up
    // (Lemire, Kaser, Kurz, "Faster remainder by direct computation", 2019).
    TESSERA_INLINE int quotient(int index) const {
        return static_cast<int>(high_product(reciprocal_, static_cast<std::uint32_t>(index)));
    }
    int find_in_array(int world_pe, int npes) const;

    const int* pes_ = nullptr;  // nullptr: a formula
    int first_ = 0;
    int stride_ = 1;
    int jump_ = 0;
    int block_ = 0;                 // members of a block; 0: no blocks
    std::uint64_t reciprocal_ = 0;  // reciprocal of block_; 0: no blocks
    const int* order_ = nullptr;    // order of an array
};

}  // namespace tessera
