// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a section of some element size, order of dimensions or number of tiles is copied or
// packed wrong, or a byte beside it changes. tests/behaviour/runtime_layer/strided has whole
// transfers.
#include "base/section_copy.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace tessera {
namespace {

using Bytes = std::vector<char>;

struct Grid {
    std::size_t rows, columns, element_bytes;
    std::ptrdiff_t remote_row, remote_column, local_row, local_column;

    Section section() const {
        const std::size_t extents[] = {rows, columns};
        const std::ptrdiff_t remote[] = {remote_row, remote_column};
        const std::ptrdiff_t local[] = {local_row, local_column};
        return make_section({.extents = extents,
                             .remote_strides = remote,
                             .local_strides = local,
                             .ndims = 2,
                             .element_bytes = element_bytes});
    }
    void model(char* to, const char* from, bool is_put) const {
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t column = 0; column < columns; ++column) {
                const auto i = static_cast<std::ptrdiff_t>(row);
                const auto j = static_cast<std::ptrdiff_t>(column);
                const std::ptrdiff_t there = i * remote_row + j * remote_column;
                const std::ptrdiff_t here = i * local_row + j * local_column;
                std::memcpy(to + (is_put ? there : here), from + (is_put ? here : there),
                            element_bytes);
            }
        }
    }
};

Bytes pattern(std::size_t bytes) {
    Bytes text(bytes);
    for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>(i * 31 + i / 256);
    return text;
}

constexpr std::size_t kBytes = std::size_t{1} << 20;

void check(const Grid& grid) {
    SCOPED_TRACE(testing::Message()
                 << grid.rows << " x " << grid.columns << " of " << grid.element_bytes << " bytes");
    Section section = grid.section();
    Bytes source = pattern(kBytes);
    for (bool is_put : {true, false}) {
        Bytes dest(kBytes, 'x');
        Bytes expected(kBytes, 'x');
        grid.model(expected.data(), source.data(), is_put);
        if (is_put) {
            copy_section(dest.data(), source.data(), section, Direction::kPut);
        } else {
            copy_section(source.data(), dest.data(), section, Direction::kGet);
        }
        ASSERT_TRUE(dest == expected) << "put: " << is_put;
    }
    // In three parts through a packed buffer.
    const std::size_t total = section.remote_runs().count();
    const std::size_t part = total / 3 + 1;
    Bytes dest(kBytes, 'x');
    Bytes expected(kBytes, 'x');
    grid.model(expected.data(), source.data(), true);
    for (std::size_t first = 0; first < total; first += part) {
        const std::size_t count = std::min(part, total - first);
        Bytes packed(count * section.run_bytes + 1, 'y');
        pack(packed.data(), source.data(), section.local_runs(), first, count);
        ASSERT_EQ(packed.back(), 'y');
        unpack(dest.data(), packed.data(), section.remote_runs(), first, count);
    }
    ASSERT_TRUE(dest == expected) << "packed";
}

TEST(SectionCopy, EveryElementSize) {
    for (std::ptrdiff_t bytes = 1; bytes <= 70; ++bytes) {
        const auto size = static_cast<std::size_t>(bytes);
        check({5, 7, size, 9 * bytes, bytes, 8 * bytes, bytes});
        check({5, 7, size, 19 * bytes, 2 * bytes + 1, 8 * bytes, bytes});
    }
    check({3, 5, 3000, 40000, 5000, 15000, 3000});
}

// 15 to 33 elements: tiles with and without rests.
TEST(SectionCopy, TransposesOfEverySize) {
    for (std::ptrdiff_t bytes : {1, 2, 3, 4, 8, 12, 16, 32, 40}) {
        for (std::size_t rows : {1, 2, 15, 16, 17, 33}) {
            for (std::size_t columns : {1, 3, 16, 17, 32, 50}) {
                const std::ptrdiff_t far = 64 * bytes;
                check({rows, columns, static_cast<std::size_t>(bytes), far, bytes, bytes, far});
                check({rows, columns, static_cast<std::size_t>(bytes), bytes, far, far, bytes});
            }
        }
    }
}

}  // namespace
}  // namespace tessera
