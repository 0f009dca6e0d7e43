// SPDX-License-Identifier: BSD-3-Clause
//
// See section.hpp.
#include "base/section.hpp"

namespace tessera {
namespace {

std::size_t magnitude(std::ptrdiff_t stride) {
    const auto bits = static_cast<std::size_t>(stride);
    return stride < 0 ? 0 - bits : bits;
}

struct Dimension {
    std::size_t extent;
    std::ptrdiff_t remote;
    std::ptrdiff_t local;

    // Whether this one belongs further inside.
    bool is_nearer(const Dimension& other) const {
        if (magnitude(remote) != magnitude(other.remote))
            return magnitude(remote) < magnitude(other.remote);
        return magnitude(local) < magnitude(other.local);
    }
    // Whether `outer` goes on where this dimension ends, on both sides.
    bool continues_in(const Dimension& outer) const {
        const auto count = static_cast<std::ptrdiff_t>(extent);
        return outer.remote == remote * count && outer.local == local * count;
    }
};

Dimension dimension(const Section& section, int i) {
    return {section.extents[i], section.remote[i], section.local[i]};
}

void set_dimension(Section& section, int i, const Dimension& to) {
    section.extents[i] = to.extent;
    section.remote[i] = to.remote;
    section.local[i] = to.local;
}

// Sorted by remote distance.
void insert(Section& section, const Dimension& added) {
    int at = section.ndims++;
    for (; at > 0 && added.is_nearer(dimension(section, at - 1)); --at)
        set_dimension(section, at, dimension(section, at - 1));
    set_dimension(section, at, added);
}

// Where going backwards is going forwards from the other end.
void turn_round(Section& section, Dimension& backwards) {
    const auto steps = static_cast<std::ptrdiff_t>(backwards.extent - 1);
    section.remote_start += steps * backwards.remote;
    section.local_start += steps * backwards.local;
    backwards.remote = -backwards.remote;
    backwards.local = -backwards.local;
}

void merge(Section& section) {
    int last = 0;
    for (int i = 1; i < section.ndims; ++i) {
        const Dimension outer = dimension(section, i);
        if (dimension(section, last).continues_in(outer)) {
            section.extents[last] *= outer.extent;
        } else {
            set_dimension(section, ++last, outer);
        }
    }
    section.ndims = last + 1;
}

void remove(Section& section, int at) {
    --section.ndims;
    for (; at < section.ndims; ++at) set_dimension(section, at, dimension(section, at + 1));
}

// The dimension that is innermost on the local side becomes dimension 1, unless it is dimension 0:
// loops over the two, in tiles, then stay near on both sides.
void pair(Section& section) {
    int nearest = 0;
    for (int i = 1; i < section.ndims; ++i) {
        if (magnitude(section.local[i]) < magnitude(section.local[nearest])) nearest = i;
    }
    if (nearest < 2) return;
    const Dimension moved = dimension(section, nearest);
    for (int i = nearest; i > 1; --i) set_dimension(section, i, dimension(section, i - 1));
    set_dimension(section, 1, moved);
}

}  // namespace

std::size_t span_of(const SectionShape& shape, const std::ptrdiff_t* strides) {
    std::size_t span = shape.element_bytes;
    for (int i = 0; i < shape.ndims; ++i) {
        std::size_t reach = 0;
        const std::size_t steps = shape.extents[i] - 1;
        const bool is_too_large = __builtin_mul_overflow(steps, magnitude(strides[i]), &reach) ||
                                  __builtin_add_overflow(span, reach, &span) ||
                                  span > std::size_t{PTRDIFF_MAX};
        if (is_too_large) return SIZE_MAX;
    }
    return span;
}

Section make_section(const SectionShape& shape) {
    Section section;
    section.run_bytes = shape.element_bytes;
    for (int i = 0; i < shape.ndims; ++i) {
        Dimension added{shape.extents[i], shape.remote_strides[i], shape.local_strides[i]};
        if (added.extent == 1) continue;
        const bool is_backwards = added.remote < 0 || (added.remote == 0 && added.local < 0);
        if (is_backwards) turn_round(section, added);
        insert(section, added);
    }
    if (section.ndims == 0) return section;
    merge(section);
    const auto run = static_cast<std::ptrdiff_t>(section.run_bytes);
    if (section.remote[0] == run && section.local[0] == run) {
        section.run_bytes *= section.extents[0];
        remove(section, 0);
    }
    pair(section);
    return section;
}

}  // namespace tessera
