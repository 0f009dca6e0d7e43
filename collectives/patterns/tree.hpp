// SPDX-License-Identifier: BSD-3-Clause
//
// A k-nomial tree of radix 4 over places 0 (the root) to npes - 1. The digits of a place in base 4
// define the tree: the parent's place has 0 instead of the lowest digit that is not 0, and the
// children's places have a digit in place of one of the zeros below it. The subtree of a child on
// level l is the run of 4^l places that begins with it.
#pragma once

#include <cstdint>

namespace tessera::collectives {

class Tree {
  public:
    static constexpr int kDigitBits = 2;
    static constexpr int kRadix = 1 << kDigitBits;
    static constexpr int kSiblings = kRadix - 1;  // children of a place on one level
    static constexpr int kLevelsMax = 32 / kDigitBits;

    Tree(int place, int npes) : place_(place), npes_(npes) {
        while (weight(levels_) < npes && digit_of(place, levels_) == 0) ++levels_;
    }

    bool is_root() const { return place_ == 0; }
    // Levels on which this place may have children: 0 to levels() - 1.
    int levels() const { return levels_; }
    // This place among its siblings, which are on level levels(): 1 to 3; 0: the root.
    int digit() const { return is_root() ? 0 : digit_of(place_, levels_); }
    int parent() const { return place_ & ~static_cast<int>(weight(levels_) * kSiblings); }
    // Calls visit(child, digit) for the children on one level, in the order of the places.
    template <class Visit>
    void for_each_child_on(int level, Visit visit) const {
        for (std::int64_t digit = 1; digit < kRadix; ++digit) {
            const std::int64_t child = place_ + digit * weight(level);
            if (child < npes_) visit(static_cast<int>(child), static_cast<int>(digit));
        }
    }
    // Calls visit(child, level, digit) in the order of the places: the smallest subtrees first.
    template <class Visit>
    void for_each_child(Visit visit) const {
        for (int level = 0; level < levels_; ++level)
            for_each_child_on(level, [&](int child, int digit) { visit(child, level, digit); });
    }
    // The same with the largest subtrees first.
    template <class Visit>
    void for_each_child_down(Visit visit) const {
        for (int level = levels_ - 1; level >= 0; --level)
            for_each_child_on(level, [&](int child, int digit) { visit(child, level, digit); });
    }

  private:
    static std::int64_t weight(int level) { return std::int64_t{1} << (level * kDigitBits); }
    static int digit_of(int place, int level) {
        return place >> (level * kDigitBits) & (kRadix - 1);
    }

    int place_;
    int npes_;
    int levels_ = 0;  // zeros at the end of place_, as far as there are members
};

}  // namespace tessera::collectives
