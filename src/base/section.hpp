// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: the shape of a strided transfer. A section is a set of elements in up to 15 dimensions,
// described by strides in bytes on a remote and on a local side. make_section() brings the
// description of the program into a normal form that all routes work on: few dimensions, the near
// ones first, and as many bytes as possible in one run. That is the idea of Ravichandrasekaran
// 2015, 4.4, for any base dimension and both sides. Used by core and transports. THREADS: any.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/byte_count.hpp"

namespace tessera {

inline constexpr int kDimensionsMax = 15;

// Two strides and a count, in elements: see shmem_iput and shmem_ibput (OpenSHMEM 1.6, 9.6).
struct Strided {
    std::ptrdiff_t dest_stride = 1;
    std::ptrdiff_t source_stride = 1;
    std::size_t block_elements = 1;
    std::size_t blocks = 0;
    std::size_t element_bytes = 1;
};

// A strided transfer as the program describes it. Strides in bytes.
struct SectionShape {
    const std::size_t* extents;
    const std::ptrdiff_t* remote_strides;
    const std::ptrdiff_t* local_strides;
    int ndims;
    std::size_t element_bytes;
};

// The bytes from the lowest that one side touches to behind the highest; SIZE_MAX: more than
// PTRDIFF_MAX, which no memory has. `strides`: of that side. REQUIRES: no extent is 0.
std::size_t span_of(const SectionShape& shape, const std::ptrdiff_t* strides);

// One side of a section: runs of contiguous bytes, the first of them at the base address.
struct Runs {
    std::size_t run_bytes;
    int ndims;
    const std::size_t* extents;  // [0]: the innermost dimension
    const std::ptrdiff_t* strides;

    // SIZE_MAX: more than that.
    std::size_t count() const {
        std::size_t product = 1;
        for (int i = 0; i < ndims; ++i) product = byte_count(product, extents[i]);
        return product;
    }
};

// The normal form. No extent is below 2, remote strides are not negative, and no two dimensions
// could be one. Dimension 0 has the smallest remote stride; dimension 1 has the smallest local one,
// unless dimension 0 has that, too.
struct Section {
    std::size_t run_bytes = 0;  // contiguous on both sides
    // From the program's addresses to those of the first run.
    std::ptrdiff_t remote_start = 0;
    std::ptrdiff_t local_start = 0;
    int ndims = 0;
    std::size_t extents[kDimensionsMax];
    std::ptrdiff_t remote[kDimensionsMax];
    std::ptrdiff_t local[kDimensionsMax];

    Runs remote_runs() const { return {run_bytes, ndims, extents, remote}; }
    Runs local_runs() const { return {run_bytes, ndims, extents, local}; }
    // From the first byte of the remote side to behind the last.
    std::size_t remote_span() const {
        std::size_t span = run_bytes;
        for (int i = 0; i < ndims; ++i)
            span += (extents[i] - 1) * static_cast<std::size_t>(remote[i]);
        return span;
    }
};

// REQUIRES: no extent is 0, and neither span is SIZE_MAX.
Section make_section(const SectionShape& shape);

// Whether contiguous elements may be moved as one run. Not where a program may wait for each.
enum class Joining : std::uint8_t { kAllowed, kForbidden };

// The same of one dimension, `extent` runs, with remote stride at least run_bytes.
inline Section make_section(std::size_t run_bytes, std::size_t extent, std::ptrdiff_t remote,
                            std::ptrdiff_t local, Joining joining = Joining::kAllowed) {
    Section section;
    section.run_bytes = run_bytes;
    const auto run = static_cast<std::ptrdiff_t>(run_bytes);
    if (extent == 1) return section;
    if (joining == Joining::kAllowed && remote == run && local == run) {
        section.run_bytes = run_bytes * extent;
        return section;
    }
    section.ndims = 1;
    section.extents[0] = extent;
    section.remote[0] = remote;
    section.local[0] = local;
    return section;
}

// Calls visit(remote offset, local offset) for all indices of the dimensions from `inner` on; the
// indices of the others are 0. inner = 0: for each run. Offsets count from the first run.
template <class Visit>
void for_each_index(const Section& section, int inner, Visit visit) {
    std::size_t index[kDimensionsMax] = {};
    std::size_t remote = 0;
    std::size_t local = 0;
    for (;;) {
        visit(static_cast<std::ptrdiff_t>(remote), static_cast<std::ptrdiff_t>(local));
        int i = inner;
        for (; i < section.ndims; ++i) {
            const std::size_t steps = ++index[i] < section.extents[i] ? 1 : 1 - section.extents[i];
            remote += steps * static_cast<std::size_t>(section.remote[i]);
            local += steps * static_cast<std::size_t>(section.local[i]);
            if (steps == 1) break;
            index[i] = 0;
        }
        if (i >= section.ndims) return;
    }
}

// Calls visit(offset, runs) for the runs [first, first + count), those of dimension 0 that follow
// each other at a time. REQUIRES: first + count <= runs.count().
template <class Visit>
void for_each_line(const Runs& runs, std::size_t first, std::size_t count, Visit visit) {
    if (runs.ndims == 0) {
        if (count != 0) visit(std::ptrdiff_t{0}, std::size_t{1});
        return;
    }
    std::size_t index[kDimensionsMax];
    std::size_t offset = 0;
    for (int i = 0; i < runs.ndims; ++i) {
        index[i] = first % runs.extents[i];
        first /= runs.extents[i];
        offset += index[i] * static_cast<std::size_t>(runs.strides[i]);
    }
    while (count > 0) {
        const std::size_t here = std::min(count, runs.extents[0] - index[0]);
        visit(static_cast<std::ptrdiff_t>(offset), here);
        count -= here;
        offset -= index[0] * static_cast<std::size_t>(runs.strides[0]);
        index[0] = 0;
        for (int i = 1; i < runs.ndims; ++i) {
            offset += static_cast<std::size_t>(runs.strides[i]);
            if (++index[i] < runs.extents[i]) break;
            offset -= runs.extents[i] * static_cast<std::size_t>(runs.strides[i]);
            index[i] = 0;
        }
    }
}

}  // namespace tessera
