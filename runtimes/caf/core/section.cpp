// SPDX-License-Identifier: BSD-3-Clause
//
// Shapes of sections, and copies inside of an image.
#include "core/section.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace tessera::caf {

void drop_unit_axes(Section& section) {
    int kept = 0;
    for (int i = 0; i < section.rank; ++i) {
        const Axis axis = section.axes[static_cast<std::size_t>(i)];
        if (axis.extent != 1) {
            section.axes[static_cast<std::size_t>(kept++)] = axis;
        } else if (axis.offsets != nullptr) {
            section.base += axis.offsets[0];
        }
    }
    section.rank = kept;
}

bool has_same_shape(const Section& a, const Section& b) {
    return a.rank == b.rank &&
           std::equal(a.axes.begin(), a.axes.begin() + a.rank, b.axes.begin(),
                      [](const Axis& x, const Axis& y) { return x.extent == y.extent; });
}

Section packed_like(const Section& shape, std::byte* base, std::size_t element_bytes) {
    Section packed{.base = base, .element_bytes = element_bytes, .rank = 0, .axes = {}};
    auto stride = static_cast<std::ptrdiff_t>(element_bytes);
    for (int i = 0; i < shape.rank; ++i) {
        const std::size_t extent = shape.axes[static_cast<std::size_t>(i)].extent;
        packed.add_axis(extent, stride);
        stride = limited(Wide{stride} * extent);
    }
    return packed;
}

void broadcast_to(Section& scalar, const Section& shape) {
    scalar.rank = 0;
    for (int i = 0; i < shape.rank; ++i)
        scalar.add_axis(shape.axes[static_cast<std::size_t>(i)].extent, 0);
}

Reach reach_of(const Section& section) {
    Wide low = 0;
    Wide high = section.element_bytes;
    for (int i = 0; i < section.rank; ++i) {
        const Axis& axis = section.axes[static_cast<std::size_t>(i)];
        if (axis.extent == 0) return {0, 0};
        Wide first = 0;
        Wide last = Wide{axis.extent - 1} * axis.stride;
        if (axis.offsets != nullptr) {
            const auto [least, most] =
                std::minmax_element(axis.offsets, axis.offsets + axis.extent);
            first = *least;
            last = *most;
        }
        low += std::min(first, last);
        high += std::max(first, last);
    }
    return {low, high};
}

namespace {

template <class Word>
void copy_words(std::byte* to, std::ptrdiff_t to_stride, const std::byte* from,
                std::ptrdiff_t from_stride, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        Word word;
        std::memcpy(&word, from, sizeof word);
        std::memcpy(to, &word, sizeof word);
        to += to_stride;
        from += from_stride;
    }
}

void copy_row(std::byte* to, std::ptrdiff_t to_stride, const std::byte* from,
              std::ptrdiff_t from_stride, std::size_t count, std::size_t bytes) {
    const auto packed = static_cast<std::ptrdiff_t>(bytes);
    if (to_stride == packed && from_stride == packed) {
        std::memcpy(to, from, count * bytes);
        return;
    }
    switch (bytes) {
        case 1: return copy_words<std::uint8_t>(to, to_stride, from, from_stride, count);
        case 2: return copy_words<std::uint16_t>(to, to_stride, from, from_stride, count);
        case 4: return copy_words<std::uint32_t>(to, to_stride, from, from_stride, count);
        case 8: return copy_words<std::uint64_t>(to, to_stride, from, from_stride, count);
        default:
            for (std::size_t i = 0; i < count; ++i) {
                std::memcpy(to, from, bytes);
                to += to_stride;
                from += from_stride;
            }
    }
}

bool is_packed(const Section& section) {
    auto stride = static_cast<std::ptrdiff_t>(section.element_bytes);
    for (int i = 0; i < section.rank; ++i) {
        const Axis& axis = section.axes[static_cast<std::size_t>(i)];
        if (axis.offsets != nullptr || axis.stride != stride) return false;
        stride = limited(Wide{stride} * axis.extent);
    }
    return true;
}

}  // namespace

void copy_section(const Section& dest, const Section& source) {
    Section to = dest;
    Section from = source;
    if (!has_same_shape(to, from)) {
        if (is_packed(from)) {
            from = packed_like(to, from.base, from.element_bytes);
        } else {
            to = packed_like(from, to.base, to.element_bytes);
        }
    }
    for_each_row(
        to, from,
        [&](std::byte* a, std::ptrdiff_t a_stride, std::byte* b, std::ptrdiff_t b_stride,
            std::size_t count) { copy_row(a, a_stride, b, b_stride, count, to.element_bytes); });
}

std::vector<shmemx_block_t> blocks_of(const Section& section) {
    std::vector<shmemx_block_t> blocks;
    const std::size_t bytes = section.element_bytes;
    const auto add = [&](std::byte* at, std::ptrdiff_t stride, std::byte*, std::ptrdiff_t,
                         std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::ptrdiff_t offset =
                at - section.base + static_cast<std::ptrdiff_t>(i) * stride;
            if (!blocks.empty() &&
                blocks.back().offset + static_cast<std::ptrdiff_t>(blocks.back().bytes) == offset) {
                blocks.back().bytes += bytes;
            } else {
                blocks.push_back({offset, bytes});
            }
        }
    };
    for_each_row(section, section, add);
    return blocks;
}

}  // namespace tessera::caf
