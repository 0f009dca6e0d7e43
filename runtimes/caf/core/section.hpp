// SPDX-License-Identifier: BSD-3-Clause
//
// Sections of arrays: the elements that an access selects, in array element order. An axis has
// equal distances, or a list of offsets for a vector subscript. Addresses and distances are bytes;
// front ends translate their descriptors to these.
//
// Nothing here communicates. THREADS: any.

#pragma once

#include <shmemx.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tessera::caf {

inline constexpr int kMaxAxes = 15;

// More than any memory has. limited() cuts distances that a program's subscripts would make longer,
// so that they do not overflow; Section::is_cut says so.
inline constexpr std::ptrdiff_t kFar = std::ptrdiff_t{1} << 56;
using Wide = __int128;
inline std::ptrdiff_t limited(Wide distance) {
    return static_cast<std::ptrdiff_t>(std::clamp(distance, -Wide{kFar}, Wide{kFar}));
}
// An address that may lie outside of all memory.
inline std::byte* moved(std::byte* address, std::ptrdiff_t distance) {
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(address) +
                                        static_cast<std::uintptr_t>(distance));
}

// The number of subscripts first, first + step, ... up to last. REQUIRES: step is not 0.
inline std::size_t count_of(Wide first, Wide last, Wide step) {
    const Wide count = (last - first + step) / step;
    return static_cast<std::size_t>(std::clamp(count, Wide{0}, Wide{SIZE_MAX}));
}

// One axis of a section: element i lies at i * stride, or at offsets[i].
struct Axis {
    std::size_t extent = 1;
    std::ptrdiff_t stride = 0;
    const std::ptrdiff_t* offsets = nullptr;
};

struct Section {
    // The address from which strides and offsets count: this image's own, or a symmetric address.
    std::byte* base = nullptr;
    std::size_t element_bytes = 0;
    int rank = 0;
    std::array<Axis, kMaxAxes> axes{};
    // The base is an address of another image, in private memory.
    bool is_private = false;
    // A distance was cut, so the section is out of bounds, even if another distance leads back.
    bool is_cut = false;

    // Cuts a distance of this section if it is too long.
    std::ptrdiff_t cut(Wide distance) {
        is_cut |= distance <= -kFar || distance >= kFar;
        return limited(distance);
    }
    void move(Wide distance) { base = moved(base, cut(distance)); }
    void add_axis(std::size_t extent, Wide stride) {
        // A single element has no distance, whatever the descriptor says.
        const std::ptrdiff_t kept = extent > 1 ? cut(stride) : limited(stride);
        axes[static_cast<std::size_t>(rank++)] = {extent, kept, nullptr};
    }
    // More than SIZE_MAX elements count as so many.
    std::size_t elements() const {
        std::size_t count = 1;
        for (int i = 0; i < rank; ++i) {
            const std::size_t extent = axes[static_cast<std::size_t>(i)].extent;
            if (extent == 0) return 0;
            if (__builtin_mul_overflow(count, extent, &count)) count = SIZE_MAX;
        }
        return count;
    }
    bool has_offsets() const {
        for (int i = 0; i < rank; ++i) {
            if (axes[static_cast<std::size_t>(i)].offsets != nullptr) return true;
        }
        return false;
    }
};

// Removes axes of one element.
void drop_unit_axes(Section& section);

// Whether two sections, without axes of one element, have the same extents.
bool has_same_shape(const Section& a, const Section& b);

// The elements of a section one behind the other in memory: same shape, other place.
Section packed_like(const Section& shape, std::byte* base, std::size_t element_bytes);

// Gives a section of one element the shape of another one: the element stands for all.
void broadcast_to(Section& scalar, const Section& shape);

// The bytes from the lowest to the highest one that a section touches: by their distances from its
// base, and by their addresses.
struct Reach {
    Wide low;
    Wide high;
};
Reach reach_of(const Section& section);
struct Hull {
    const std::byte* low;
    const std::byte* high;
};
inline Hull hull_of(const Section& section) {
    const auto [low, high] = reach_of(section);
    return {moved(section.base, limited(low)), moved(section.base, limited(high))};
}
inline bool overlaps(const Hull& a, const Hull& b) { return a.low < b.high && b.low < a.high; }

// This image copies `source` to `dest`. Both sections have the same shape. If one section is
// packed, the same number of elements suffices. The sections may not overlap.
void copy_section(const Section& dest, const Section& source);

// The blocks of a section, in array element order, those that touch each other joined.
std::vector<shmemx_block_t> blocks_of(const Section& section);

// Memory for a packed section: on the stack up to 512 bytes.
class Scratch {
  public:
    explicit Scratch(std::size_t bytes) {
        if (bytes > sizeof small_) large_.reset(new std::byte[bytes]);
    }
    std::byte* data() { return large_ ? large_.get() : small_; }

  private:
    alignas(16) std::byte small_[512];
    std::unique_ptr<std::byte[]> large_;
};

// Calls action(pointer to dest, distance, pointer to source, distance, elements) for each row, the
// elements along the first axis, of two sections of the same shape.
template <class Action>
void for_each_row(const Section& dest, const Section& source, const Action& action) {
    const auto step = [](const Axis& axis, std::size_t i) {
        return axis.offsets != nullptr ? axis.offsets[i]
                                       : static_cast<std::ptrdiff_t>(i) * axis.stride;
    };
    const auto walk = [&](const auto& self, int axis, std::byte* to, std::byte* from) -> void {
        if (axis < 0) {
            action(to, std::ptrdiff_t{0}, from, std::ptrdiff_t{0}, std::size_t{1});
            return;
        }
        const Axis& d = dest.axes[static_cast<std::size_t>(axis)];
        const Axis& s = source.axes[static_cast<std::size_t>(axis)];
        if (axis == 0 && d.offsets == nullptr && s.offsets == nullptr) {
            // A single element has no distance, whatever the descriptor says.
            const bool is_one = d.extent == 1;
            action(to, is_one ? 0 : d.stride, from, is_one ? 0 : s.stride, d.extent);
            return;
        }
        for (std::size_t i = 0; i < d.extent; ++i) {
            std::byte* next_to = to + step(d, i);
            std::byte* next_from = from + step(s, i);
            if (axis == 0) {
                action(next_to, std::ptrdiff_t{0}, next_from, std::ptrdiff_t{0}, std::size_t{1});
            } else {
                self(self, axis - 1, next_to, next_from);
            }
        }
    };
    if (dest.elements() != 0) walk(walk, dest.rank - 1, dest.base, source.base);
}

}  // namespace tessera::caf
