// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets of strided, indexed and custom types, in all pairs, against a list of the places
// where each element lies.
#include <cstring>
#include <string>

#include "onesided.hpp"

namespace {

constexpr std::size_t kElements = 48;  // a multiple of all blocks
constexpr std::size_t kPlaces = 400;

// A type, and where a transfer of kElements elements has element i.
struct Layout {
    dart_datatype_t type;
    std::vector<std::size_t> places;
};

Layout contiguous(dart_datatype_t base) {
    Layout layout{base, {}};
    for (std::size_t i = 0; i < kElements; ++i) layout.places.push_back(i);
    return layout;
}

Layout strided(dart_datatype_t base, std::size_t stride, std::size_t length) {
    Layout layout{};
    OK(dart_type_create_strided(base, stride, length, &layout.type));
    for (std::size_t i = 0; i < kElements; ++i)
        layout.places.push_back(i / length * stride + i % length);
    return layout;
}

Layout indexed(dart_datatype_t base, const std::vector<std::size_t>& lengths,
               const std::vector<std::size_t>& offsets) {
    Layout layout{};
    OK(dart_type_create_indexed(base, lengths.size(), lengths.data(), offsets.data(),
                                &layout.type));
    std::size_t first = SIZE_MAX;
    std::size_t end = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        first = std::min(first, offsets[i]);
        end = std::max(end, offsets[i] + lengths[i]);
    }
    for (std::size_t start = 0; layout.places.size() < kElements; start += end - first) {
        for (std::size_t block = 0; block < lengths.size(); ++block) {
            for (std::size_t i = 0; i < lengths[block]; ++i)
                layout.places.push_back(start + offsets[block] + i);
        }
    }
    return layout;
}

std::vector<Layout> layouts_of(dart_datatype_t base) {
    return {contiguous(base),
            strided(base, 1, 1),
            strided(base, 5, 1),
            strided(base, 4, 2),
            strided(base, 7, 3),
            strided(base, 16, 8),
            strided(base, 13, 12),
            indexed(base, {1, 2, 3}, {1, 4, 9}),
            indexed(base, {4, 2, 2}, {10, 0, 6})};
}

using Bytes = std::vector<char>;

// The contents of `dest` when the elements of `source` have come.
Bytes expected(Bytes dest, const Layout& dest_layout, const Bytes& source,
               const Layout& source_layout, std::size_t element_bytes) {
    for (std::size_t i = 0; i < kElements; ++i) {
        std::memcpy(dest.data() + dest_layout.places[i] * element_bytes,
                    source.data() + source_layout.places[i] * element_bytes, element_bytes);
    }
    return dest;
}

Bytes numbered(std::size_t bytes, int seed) {
    Bytes all(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
        all[i] = static_cast<char>(i * 11 + i / 256 + static_cast<std::size_t>(seed));
    return all;
}

// `way`: blocking, by a flush, by a handle.
void check_put(const Memory& memory, const Layout& source, const Layout& dest,
               std::size_t element_bytes, int way) {
    const std::size_t bytes = kPlaces * element_bytes;
    const Bytes background = numbered(bytes, 3);
    std::memcpy(memory.own<char>(), background.data(), bytes);
    check_meet();
    const Bytes values = numbered(bytes, 100 + me());
    const dart_gptr_t to = memory.of(next_unit());
    dart_handle_t handle = DART_HANDLE_NULL;
    if (way == 0) {
        OK(dart_put_blocking(to, values.data(), kElements, source.type, dest.type));
    } else if (way == 1) {
        OK(dart_put(to, values.data(), kElements, source.type, dest.type));
        OK(dart_flush(to));
    } else {
        OK(dart_put_handle(to, values.data(), kElements, source.type, dest.type, &handle));
        OK(dart_wait(&handle));
    }
    check_meet();
    const Bytes sent = numbered(bytes, 100 + previous_unit());
    const Bytes wanted = expected(background, dest, sent, source, element_bytes);
    CHECK(std::memcmp(memory.own<char>(), wanted.data(), bytes) == 0);
}

void check_get(const Memory& memory, const Layout& source, const Layout& dest,
               std::size_t element_bytes, int way) {
    const std::size_t bytes = kPlaces * element_bytes;
    std::memcpy(memory.own<char>(), numbered(bytes, 100 + me()).data(), bytes);
    check_meet();
    const Bytes background = numbered(bytes, 3);
    Bytes values = background;
    const dart_gptr_t from = memory.of(next_unit());
    dart_handle_t handle = DART_HANDLE_NULL;
    if (way == 0) {
        OK(dart_get_blocking(values.data(), from, kElements, source.type, dest.type));
    } else if (way == 1) {
        OK(dart_get(values.data(), from, kElements, source.type, dest.type));
        OK(dart_flush_local(from));
    } else {
        OK(dart_get_handle(values.data(), from, kElements, source.type, dest.type, &handle));
        OK(dart_wait_local(&handle));
    }
    const Bytes theirs = numbered(bytes, 100 + next_unit());
    CHECK(values == expected(background, dest, theirs, source, element_bytes));
    check_meet();
}

void check_base(Memory::Kind kind, dart_datatype_t base, std::size_t element_bytes) {
    Memory memory(kind, kPlaces * element_bytes);
    std::vector<Layout> layouts = layouts_of(base);
    int way = 0;
    for (const Layout& source : layouts) {
        for (const Layout& dest : layouts) {
            check_put(memory, source, dest, element_bytes, way);
            check_get(memory, source, dest, element_bytes, way);
            way = (way + 1) % 3;
        }
    }
    for (std::size_t i = 1; i < layouts.size(); ++i) OK(dart_type_destroy(&layouts[i].type));
}

void test_errors() {
    Memory memory(Memory::kAllocated, 100 * sizeof(int));
    const dart_gptr_t gptr = memory.of(next_unit());
    dart_datatype_t by_ints = DART_TYPE_UNDEFINED;
    dart_datatype_t by_floats = DART_TYPE_UNDEFINED;
    OK(dart_type_create_strided(DART_TYPE_INT, 10, 3, &by_ints));
    OK(dart_type_create_strided(DART_TYPE_FLOAT, 10, 3, &by_floats));
    int values[100] = {};
    INVALID(dart_put(gptr, values, 6, by_ints, by_floats));
    INVALID(dart_put(gptr, values, 6, DART_TYPE_FLOAT, by_ints));
    INVALID(dart_put(gptr, values, 7, by_ints, DART_TYPE_INT));
    INVALID(dart_put(gptr, values, 7, DART_TYPE_INT, by_ints));
    // The last block begins at element 100.
    INVALID(dart_put(gptr, values, 33, DART_TYPE_INT, by_ints));
    OK(dart_put_blocking(gptr, values, 30, DART_TYPE_INT, by_ints));
    OK(dart_put_blocking(gptr, values, 0, DART_TYPE_INT, by_ints));
    OK(dart_type_destroy(&by_ints));
    OK(dart_type_destroy(&by_floats));
}

}  // namespace

void test_types() {
    dart_datatype_t custom = DART_TYPE_UNDEFINED;
    OK(dart_type_create_custom(24, &custom));
    check_base(Memory::kAllocated, DART_TYPE_INT, sizeof(int));
    check_base(Memory::kRegistered, DART_TYPE_DOUBLE, sizeof(double));
    check_base(Memory::kLocal, custom, 24);
    OK(dart_type_destroy(&custom));
    test_errors();
}
