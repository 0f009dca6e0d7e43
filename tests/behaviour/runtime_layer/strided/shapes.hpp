// SPDX-License-Identifier: BSD-3-Clause
//
// Random shapes of strided and indexed transfers, and the model of such a transfer: one element
// after the other, as the docstrings define it. Used by shapes_test.cpp and forms_test.cpp.
#pragma once

#include <shmemx.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace tessera::test {

using Random = std::mt19937_64;

inline std::size_t below(Random& random, std::size_t limit) { return random() % limit; }
inline bool one_in(Random& random, std::size_t cases) { return below(random, cases) == 0; }

// One side of a transfer, in bytes from the start of a buffer.
struct Side {
    std::ptrdiff_t start = 0;  // position of the element with indices 0
    std::vector<std::ptrdiff_t> strides;
    std::size_t span = 0;  // size of the buffer that the side needs
};

struct Shape {
    std::vector<std::size_t> extents;
    std::size_t element_bytes = 1;
    Side dest;
    Side source;

    int ndims() const { return static_cast<int>(extents.size()); }
    bool is_empty() const {
        return element_bytes == 0 || std::find(extents.begin(), extents.end(), 0) != extents.end();
    }
};

// Sets start and span such that all elements lie in [0, span).
inline void place(Side& side, const Shape& shape) {
    std::ptrdiff_t low = 0;
    std::ptrdiff_t high = 0;
    for (std::size_t i = 0; i < shape.extents.size() && !shape.is_empty(); ++i) {
        const auto steps = static_cast<std::ptrdiff_t>(shape.extents[i] - 1);
        (side.strides[i] < 0 ? low : high) += steps * side.strides[i];
    }
    side.start = -low;
    side.span = static_cast<std::size_t>(high - low) + shape.element_bytes;
}

// Strides that do not overlap: the dimensions in some order, each around all before it, with gaps
// or without.
inline std::vector<std::ptrdiff_t> apart(Random& random, const Shape& shape,
                                         const std::vector<std::size_t>& order) {
    std::vector<std::ptrdiff_t> strides(shape.extents.size());
    std::size_t span = shape.element_bytes;
    const std::size_t gaps = below(random, 3);
    for (std::size_t i : order) {
        std::size_t stride = span;
        if (gaps == 1) stride += below(random, 2) * shape.element_bytes;
        if (gaps == 2) stride += below(random, 9);
        if (shape.extents[i] > 0) span += stride * (shape.extents[i] - 1);
        strides[i] = static_cast<std::ptrdiff_t>(stride);
    }
    return strides;
}

inline std::size_t random_element_bytes(Random& random) {
    static constexpr std::size_t kUsual[] = {1, 2, 4, 8, 16};
    if (!one_in(random, 3)) return kUsual[below(random, 5)];
    return 1 + below(random, one_in(random, 4) ? 1500 : 64);
}

// A shape of some thousand elements at most; `bytes_max` bounds both spans.
inline Shape random_shape(Random& random, std::size_t bytes_max) {
    for (;;) {
        Shape shape;
        shape.element_bytes = one_in(random, 50) ? 0 : random_element_bytes(random);
        const std::size_t ndims = one_in(random, 3) ? below(random, 16) : below(random, 4);
        std::size_t elements = 1 + below(random, one_in(random, 8) ? 20000 : 800);
        for (std::size_t i = 0; i < ndims; ++i) {
            const std::size_t most = std::min(elements, one_in(random, 3) ? elements : 9);
            shape.extents.push_back(one_in(random, 60) ? 0 : 1 + below(random, most));
            elements /= std::max(shape.extents.back(), std::size_t{1});
        }
        std::shuffle(shape.extents.begin(), shape.extents.end(), random);
        std::vector<std::size_t> order(ndims);
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        shape.dest.strides = apart(random, shape, order);
        // Often the same order, so that dimensions can be one.
        if (one_in(random, 2)) std::shuffle(order.begin(), order.end(), random);
        shape.source.strides = one_in(random, 3) ? shape.dest.strides : apart(random, shape, order);
        for (std::size_t i = 0; i < ndims; ++i) {
            if (one_in(random, 4)) shape.dest.strides[i] *= -1;
            if (one_in(random, 4)) shape.source.strides[i] *= -1;
            if (one_in(random, 12)) shape.source.strides[i] = 0;
            if (one_in(random, 12)) shape.source.strides[i] /= 2;
        }
        place(shape.dest, shape);
        place(shape.source, shape);
        if (std::max(shape.dest.span, shape.source.span) <= bytes_max) return shape;
    }
}

inline void model(unsigned char* dest, const unsigned char* source, const Shape& shape) {
    if (shape.is_empty()) return;
    std::vector<std::size_t> index(shape.extents.size());
    for (;;) {
        std::ptrdiff_t to = shape.dest.start;
        std::ptrdiff_t from = shape.source.start;
        for (std::size_t i = 0; i < index.size(); ++i) {
            to += static_cast<std::ptrdiff_t>(index[i]) * shape.dest.strides[i];
            from += static_cast<std::ptrdiff_t>(index[i]) * shape.source.strides[i];
        }
        std::memcpy(dest + to, source + from, shape.element_bytes);
        std::size_t i = 0;
        while (i < index.size() && ++index[i] == shape.extents[i]) index[i++] = 0;
        if (i == index.size()) return;
    }
}

inline std::string text_of(const Shape& shape) {
    std::string text = std::to_string(shape.element_bytes) + " bytes x";
    for (std::size_t i = 0; i < shape.extents.size(); ++i) {
        text += " " + std::to_string(shape.extents[i]) + ":" +
                std::to_string(shape.dest.strides[i]) + ":" +
                std::to_string(shape.source.strides[i]);
    }
    return text;
}

// ---- Lists of blocks ----

struct Lists {
    std::vector<shmemx_block_t> dest;
    std::vector<shmemx_block_t> source;
};

// Blocks of `bytes` bytes together, in [-start, limit - start), apart from each other, shuffled.
inline std::vector<shmemx_block_t> random_list(Random& random, std::size_t bytes, std::size_t limit,
                                               std::ptrdiff_t start) {
    std::vector<shmemx_block_t> blocks;
    const std::size_t longest = one_in(random, 3) ? 3000 : 40;
    std::size_t gaps = limit - bytes;
    std::size_t at = 0;
    while (bytes > 0) {
        const std::size_t gap = std::min(gaps, below(random, 12));
        const std::size_t size = std::min(bytes, below(random, longest));
        blocks.push_back({static_cast<std::ptrdiff_t>(at + gap) - start, size});
        at += gap + size;
        gaps -= gap;
        bytes -= size;
    }
    std::shuffle(blocks.begin(), blocks.end(), random);
    return blocks;
}

inline Lists random_lists(Random& random, std::size_t limit, std::ptrdiff_t start) {
    const std::size_t bytes = below(random, limit);
    return {random_list(random, bytes, limit, start), random_list(random, bytes, limit, start)};
}

// `dest` and `source`: the addresses from which the offsets count.
inline void model(unsigned char* dest, const unsigned char* source, const Lists& lists) {
    std::vector<unsigned char> bytes;
    for (const shmemx_block_t& block : lists.source)
        bytes.insert(bytes.end(), source + block.offset, source + block.offset + block.bytes);
    const unsigned char* next = bytes.data();
    for (const shmemx_block_t& block : lists.dest) {
        if (block.bytes > 0) std::memcpy(dest + block.offset, next, block.bytes);
        next += block.bytes;
    }
}

}  // namespace tessera::test
