// SPDX-License-Identifier: BSD-3-Clause
//
// A binomial tree over places 0 (the root) to npes - 1: the parent's place is without the lowest
// bit that is set, and child k is 2^k places further. The subtree of child k is a run of at most
// 2^k places that begins with it, so children in their order continue the run of this place.
// (patterns/tree.hpp has radix 4; here children combine in the order of the members.)
#pragma once

#include <algorithm>
#include <bit>

#include "collectives/cost_terms.hpp"
#include "collectives/model.hpp"
#include "teams/team_streams.hpp"

namespace tessera::collectives {

class Binomial {
  public:
    Binomial(int place, int npes) : place_(place) {
        const int bits = place == 0 ? std::bit_width(static_cast<unsigned>(npes - 1))
                                    : std::countr_zero(static_cast<unsigned>(place));
        while (children_ < bits && place + (1 << children_) < npes) ++children_;
    }

    bool is_root() const { return place_ == 0; }
    int parent() const { return place_ & (place_ - 1); }
    int children() const { return children_; }
    int child(int k) const { return place_ + (1 << k); }

  private:
    int place_;
    int children_ = 0;
};

// The streams of a team for the model, which knows no short blocks.
inline StreamLayout modelled_streams(const TeamLayout& team) {
    constexpr int kMembersMax = StreamLayout::members_max(kLongStreamBlockBytes);
    return {std::min(static_cast<int>(team.npes), kMembersMax), kLongStreamBlockBytes};
}

// Waits between nodes for `n` bytes over a stream. Where PEs share cores, the receiver gets a core
// for each slot of them; elsewhere slots follow each other.
inline double stream_waits(const TeamLayout& team, double n) {
    const auto slot_bytes = static_cast<double>(modelled_streams(team).slot_bytes());
    return team.is_oversubscribed() ? pieces(n, slot_bytes) : 1;
}

}  // namespace tessera::collectives
