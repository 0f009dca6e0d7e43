// SPDX-License-Identifier: BSD-3-Clause
//
// A k-nomial tree. A node's place, counted from the root and written in base 4, says where it
// stands: its parent's place has 0 for its lowest digit that is not 0, and its children's have one
// of the zeros below that digit replaced. Used by the broadcasts that go down such a tree.
#pragma once

#include <cstdint>

#include "collectives/links.hpp"

namespace tessera::collectives {

class Tree {
  public:
    static constexpr int kDigitBits = 2;
    static constexpr int kRadix = 1 << kDigitBits;

    Tree(int place, int npes) : place_(place), npes_(npes) {
        while (weight(digits_) < npes && digit_of(place, digits_) == 0) ++digits_;
    }

    int parent() const { return place_ & ~static_cast<int>(weight(digits_) * (kRadix - 1)); }
    // Calls visit(child, digit) with the digit that makes it a child, the largest trees first.
    template <class Visit>
    void for_each_child(Visit visit) const {
        for (int digit = digits_ - 1; digit >= 0; --digit) {
            for (std::int64_t value = 1; value < kRadix; ++value) {
                const std::int64_t child = place_ + value * weight(digit);
                if (child < npes_) visit(static_cast<int>(child), digit);
            }
        }
    }

    // Where a child tells its parent something: no two children of a parent have the same gate. The
    // rounds from kRoundsUp on are free.
    struct Place {
        LinkKind kind;
        int round;
    };
    static constexpr int kRoundsUp = 32 / kDigitBits;
    static Place gate_of_child(int child, int digit) {
        return {.kind = static_cast<LinkKind>(digit_of(child, digit) - 1), .round = digit};
    }
    Place gate_at_parent() const { return gate_of_child(place_, digits_); }

  private:
    static std::int64_t weight(int digit) { return std::int64_t{1} << (digit * kDigitBits); }
    static int digit_of(int place, int digit) {
        return place >> (digit * kDigitBits) & (kRadix - 1);
    }

    int place_;
    int npes_;
    int digits_ = 0;  // zeros at the end of place_, as far as there are members
};
static_assert(kLinkKinds == Tree::kRadix - 1);  // a kind for each value of a digit
static_assert(Tree::kRoundsUp < kLinkRounds);

}  // namespace tessera::collectives
