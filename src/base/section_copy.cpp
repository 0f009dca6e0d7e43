// SPDX-License-Identifier: BSD-3-Clause
//
// See section_copy.hpp. Loops over two dimensions, the others around them. Where the sides do not
// agree on the inner dimension (a transpose), the two are cut into tiles that stay in the first
// cache on both sides.
#include "base/section_copy.hpp"

#include "base/copy.hpp"

namespace tessera {
namespace {

// Edge of a tile, in elements: a tile of doubles takes 16 lines of each side, 4 KiB together.
constexpr std::size_t kTileEdge = 16;
// Longer runs use whole cache lines themselves.
constexpr std::size_t kTiledRunBytesMax = 32;

struct Bytes16 {
    std::uint64_t words[2];
};

// Copies a run: with a compile-time size it is one load and one store.
template <class Element>
struct CopyElement {
    TESSERA_INLINE void operator()(char* to, const char* from) const {
        Element element;
        std::memcpy(&element, from, sizeof element);
        std::memcpy(to, &element, sizeof element);
    }
};
struct CopyRun {
    std::size_t bytes;
    TESSERA_INLINE void operator()(char* to, const char* from) const {
        copy_bytes(to, from, bytes);
    }
};

// Calls visit(copy) with the copy of runs of so many bytes.
template <class Visit>
TESSERA_INLINE void with_copy(std::size_t run_bytes, Visit visit) {
    switch (run_bytes) {
        case 1: return visit(CopyElement<std::uint8_t>{});
        case 2: return visit(CopyElement<std::uint16_t>{});
        case 4: return visit(CopyElement<std::uint32_t>{});
        case 8: return visit(CopyElement<std::uint64_t>{});
        case 16: return visit(CopyElement<Bytes16>{});
        default: return visit(CopyRun{run_bytes});
    }
}

struct Steps {
    std::ptrdiff_t to;
    std::ptrdiff_t from;
};

// `step` is a copy, and so are the planes below: the compiler must take every store for one to the
// steps if these had an address.
template <class Copy>
TESSERA_INLINE void copy_line(char* to, const char* from, std::size_t count, Steps step,
                              Copy copy) {
    const Steps two{2 * step.to, 2 * step.from};
    const Steps three{3 * step.to, 3 * step.from};
    for (; count >= 4; count -= 4) {
        copy(to, from);
        copy(to + step.to, from + step.from);
        copy(to + two.to, from + two.from);
        copy(to + three.to, from + three.from);
        to += 4 * step.to;
        from += 4 * step.from;
    }
    for (; count > 0; --count) {
        copy(to, from);
        to += step.to;
        from += step.from;
    }
}

// Two dimensions; `rows` is 1 where there is only one.
struct Plane {
    std::size_t columns;
    std::size_t rows;
    Steps column;  // from a column to the next one
    Steps row;
    bool is_tiled;
};

template <class Copy>
TESSERA_INLINE void copy_rows(char* to, const char* from, Plane plane, Copy copy) {
    for (std::size_t row = 0; row < plane.rows; ++row) {
        copy_line(to, from, plane.columns, plane.column, copy);
        to += plane.row.to;
        from += plane.row.from;
    }
}

template <class Copy>
void copy_plane(char* to, const char* from, Plane plane, Copy copy) {
    if (!plane.is_tiled) return copy_rows(to, from, plane, copy);
    Plane tile = plane;
    for (std::size_t row = 0; row < plane.rows; row += kTileEdge) {
        tile.rows = std::min(kTileEdge, plane.rows - row);
        for (std::size_t column = 0; column < plane.columns; column += kTileEdge) {
            tile.columns = std::min(kTileEdge, plane.columns - column);
            const auto down = static_cast<std::ptrdiff_t>(row);
            const auto right = static_cast<std::ptrdiff_t>(column);
            copy_rows(to + down * plane.row.to + right * plane.column.to,
                      from + down * plane.row.from + right * plane.column.from, tile, copy);
        }
    }
}

Plane plane_of(const Section& section, Direction direction) {
    const bool is_put = direction == Direction::kPut;
    const std::ptrdiff_t* to = is_put ? section.remote : section.local;
    const std::ptrdiff_t* from = is_put ? section.local : section.remote;
    if (section.ndims == 1) return {section.extents[0], 1, {to[0], from[0]}, {0, 0}, false};
    const auto distance = [&](int i) {
        return section.local[i] < 0 ? -section.local[i] : section.local[i];
    };
    const bool is_tiled = distance(1) < distance(0) && section.run_bytes <= kTiledRunBytesMax &&
                          section.extents[0] > kTileEdge && section.extents[1] > kTileEdge;
    return {section.extents[0], section.extents[1], {to[0], from[0]}, {to[1], from[1]}, is_tiled};
}

}  // namespace

void copy_section(char* remote, char* local, const Section& section, Direction direction) {
    const bool is_put = direction == Direction::kPut;
    if (section.ndims == 0) {
        return is_put ? copy_bytes(remote, local, section.run_bytes)
                      : copy_bytes(local, remote, section.run_bytes);
    }
    const Plane plane = plane_of(section, direction);
    with_copy(section.run_bytes, [&](auto copy) {
        if (section.ndims <= 2) {
            return is_put ? copy_plane(remote, local, plane, copy)
                          : copy_plane(local, remote, plane, copy);
        }
        for_each_index(section, 2, [&](std::ptrdiff_t there, std::ptrdiff_t here) {
            if (is_put) return copy_plane(remote + there, local + here, plane, copy);
            copy_plane(local + here, remote + there, plane, copy);
        });
    });
}

void pack(char* packed, const char* base, const Runs& runs, std::size_t first, std::size_t count) {
    const Steps step{static_cast<std::ptrdiff_t>(runs.run_bytes),
                     runs.ndims > 0 ? runs.strides[0] : 0};
    with_copy(runs.run_bytes, [&](auto copy) {
        for_each_line(runs, first, count, [&](std::ptrdiff_t offset, std::size_t here) {
            copy_line(packed, base + offset, here, step, copy);
            packed += here * runs.run_bytes;
        });
    });
}

void unpack(char* base, const char* packed, const Runs& runs, std::size_t first,
            std::size_t count) {
    const Steps step{runs.ndims > 0 ? runs.strides[0] : 0,
                     static_cast<std::ptrdiff_t>(runs.run_bytes)};
    with_copy(runs.run_bytes, [&](auto copy) {
        for_each_line(runs, first, count, [&](std::ptrdiff_t offset, std::size_t here) {
            copy_line(base + offset, packed, here, step, copy);
            packed += here * runs.run_bytes;
        });
    });
}

}  // namespace tessera
