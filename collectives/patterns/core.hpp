// SPDX-License-Identifier: BSD-3-Clause
//
// Algorithms for 2^k members, with any number p of them: of the first 2r members, r = p - 2^k, the
// even ones give their part to their right neighbours and receive the result from them. The other
// members are the core. Reference: Ravichandrasekaran, "OpenSHMEM as an effective communication
// layer for PGAS models", 2015, section 3.2.5.
#pragma once

#include <bit>

#include "teams/team.hpp"
#include "teams/team_mailboxes.hpp"

namespace tessera::collectives {

class Core {
  public:
    static constexpr int kFoldIn = kMailboxRounds - 1;  // rounds of the mailboxes
    static constexpr int kFoldOut = kMailboxRounds - 2;

    explicit Core(const Team& team) : Core(team.npes, team.my_index) {}
    Core(int count, int index)
        : size_(static_cast<int>(std::bit_floor(static_cast<unsigned>(count)))),
          folded_(count - size_),
          index_(index) {}

    int size() const { return size_; }
    int rounds() const { return std::bit_width(static_cast<unsigned>(size_)) - 1; }
    // Whether this member takes part, and whether it does so for its left neighbour as well.
    bool is_outside() const { return index_ < 2 * folded_ && index_ % 2 == 0; }
    bool has_neighbour() const { return index_ < 2 * folded_ && index_ % 2 == 1; }
    // The member's number in the core, and back.
    int core_index() const { return index_ < 2 * folded_ ? index_ / 2 : index_ - folded_; }
    int index_of(int core_index) const {
        return core_index < folded_ ? 2 * core_index + 1 : core_index + folded_;
    }
    // The partner of recursive doubling in a round.
    int partner_in(int round) const { return index_of(core_index() ^ (1 << round)); }

  private:
    int size_;
    int folded_;
    int index_;
};

}  // namespace tessera::collectives
