// SPDX-License-Identifier: BSD-3-Clause
//
// The elements of an array one behind the other, as the collective subroutines take them.

#pragma once

#include <cstddef>

#include "core/section.hpp"

namespace tessera::caf {

// Whether the elements of a section without vector subscripts lie one behind the other.
inline bool is_contiguous(const Section& section) {
    auto expected = static_cast<std::ptrdiff_t>(section.element_bytes);
    for (int i = 0; i < section.rank; ++i) {
        const Axis& axis = section.axes[static_cast<std::size_t>(i)];
        if (axis.extent > 1 && axis.stride != expected) return false;
        expected *= static_cast<std::ptrdiff_t>(axis.extent);
    }
    return true;
}

// The elements of an array one behind the other: in place, or in a copy that unpack() copies back.
class Packed {
  public:
    explicit Packed(const Section& section)
        : section_(section),
          elements_(section_.elements()),
          is_copy_(!is_contiguous(section_)),
          scratch_(is_copy_ ? elements_ * section_.element_bytes : 0) {
        if (is_copy_ && elements_ != 0) copy_section(packed(), section_);
    }
    void* data() { return is_copy_ ? scratch_.data() : section_.base; }
    std::size_t elements() const { return elements_; }
    std::size_t bytes() const { return elements_ * section_.element_bytes; }
    void unpack() {
        if (is_copy_ && elements_ != 0) copy_section(section_, packed());
    }

  private:
    Section packed() { return packed_like(section_, scratch_.data(), section_.element_bytes); }

    Section section_;
    std::size_t elements_;
    bool is_copy_;
    Scratch scratch_;
};

}  // namespace tessera::caf
