// SPDX-License-Identifier: BSD-3-Clause
//
// Checks of the arrays that a program passes: the array exists, and it is large enough for the
// elements that the routine reads or writes. Always on. The operations themselves check whether an
// address must be symmetric.
#pragma once

#include <cstddef>

#include "base/byte_count.hpp"
#include "core/address_map.hpp"

namespace tessera::api {

// The elements of an array, as the arguments of a routine describe them.
struct Elements {
    std::size_t count;
    std::size_t bytes;            // size of an element
    const char* name = "nelems";  // name of the count, for messages
};

// Their layout: `blocks` times as many, one block for each PE, and one every `stride` elements.
struct Layout {
    std::size_t blocks = 1;
    std::ptrdiff_t stride = 1;  // at least 1
};

// From the first element to behind the last one; SIZE_MAX: no memory holds them.
TESSERA_INLINE constexpr std::size_t extent_of(const Elements& elements, const Layout& layout) {
    const std::size_t all = byte_count(elements.count, layout.blocks);
    if (all == 0 || layout.stride == 1) return byte_count(all, elements.bytes);
    const std::size_t span = byte_count(all - 1, static_cast<std::size_t>(layout.stride));
    return span == SIZE_MAX ? SIZE_MAX : byte_count(span + 1, elements.bytes);
}

// An argument that is an array.
struct Array {
    const char* name;
    const void* start;
};

// RETURNS when: the array may be right; a mistake ends the job.
TESSERA_COLD void look_closer(const Array& array, const Elements& elements, const Layout& layout,
                              const char* where);
[[noreturn]] TESSERA_COLD void fail_null(const char* array, const char* count_name,
                                         std::size_t count, const char* where);

// An array that collectives use. COST: in the heap a multiplication (more for a layout) and two
// compares.
TESSERA_INLINE void check_array(const Array& array, const Elements& elements, const char* where,
                                const Layout& layout = {}) {
    if (!address_map.contains(array.start, extent_of(elements, layout))) [[unlikely]]
        look_closer(array, elements, layout, where);
}

// The local array of a put or get, which may lie anywhere. Hot path. COST: a test.
TESSERA_INLINE void check_local(const char* name, const void* array, std::size_t nelems,
                                const char* where) {
    if (array == nullptr && nelems != 0) [[unlikely]]
        fail_null(name, "nelems", nelems, where);
}

}  // namespace tessera::api
