// SPDX-License-Identifier: BSD-3-Clause
//
// Accesses of an image to sections of another image's memory, in bytes: the form of PRIF (image,
// address, strides, element size). Elements of both sides have the same size; front ends convert
// before or behind. The image's program order holds (ordering.hpp).
//
// THREADS: any.

#pragma once

#include <cstdint>

#include "core/bytes.hpp"
#include "core/section.hpp"

namespace tessera::caf {

// Reads the section `remote` (symmetric addresses of pe, or private ones) into `local`. Both have
// the same shape but for axes of one element, or `local` is packed. They may overlap.
// RETURNS when: local holds the data.
void get_section(const Section& local, const Section& remote, int pe);

// Writes the section `local` to `remote`. A `local` of one element goes to all of `remote`.
// Unless it is NULL, `counter`, a word of the same image, then becomes 1 more: an image that sees
// that sees the data. REQUIRES with a counter: no vector subscripts, no private memory.
// RETURNS when: local may be reused.
void put_section(const Section& remote, const Section& local, int pe,
                 std::uint64_t* counter = nullptr);

}  // namespace tessera::caf
