// SPDX-License-Identifier: BSD-3-Clause
//
// One kernel for each pair of arithmetic types; each converts a row of elements.
#include "abi12/access_convert.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "abi12/descriptor.hpp"

namespace tessera::caf {

namespace {

template <class T>
struct Complex {
    T re;
    T im;
};

// A logical of a kind: an integer whose values are 0 and 1.
template <class T>
struct Logical {
    T value;
};

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<Complex<T>> = true;
template <class T>
inline constexpr bool is_logical = false;
template <class T>
inline constexpr bool is_logical<Logical<T>> = true;

template <class To, class From>
To assigned(const From& from) {
    if constexpr (is_logical<To> && is_logical<From>) {
        return To{static_cast<decltype(To::value)>(from.value != 0)};
    } else if constexpr (is_logical<To>) {
        return To{static_cast<decltype(To::value)>(from != 0)};
    } else if constexpr (is_logical<From>) {
        return static_cast<To>(from.value != 0);
    } else if constexpr (is_complex<To> && is_complex<From>) {
        using Part = decltype(To::re);
        return To{static_cast<Part>(from.re), static_cast<Part>(from.im)};
    } else if constexpr (is_complex<To>) {
        return To{static_cast<decltype(To::re)>(from), 0};
    } else if constexpr (is_complex<From>) {
        return static_cast<To>(from.re);
    } else {
        return static_cast<To>(from);
    }
}

using Kernel = void (*)(std::byte*, std::ptrdiff_t, const std::byte*, std::ptrdiff_t, std::size_t);

template <class To, class From>
void convert_row(std::byte* to, std::ptrdiff_t to_stride, const std::byte* from,
                 std::ptrdiff_t from_stride, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        From value;
        std::memcpy(&value, from, sizeof value);
        const To result = assigned<To>(value);
        std::memcpy(to, &result, sizeof result);
        to += to_stride;
        from += from_stride;
    }
}

// __float128 on x86-64; long double on Arm, which has no kind 10.
typedef float Real16 __attribute__((mode(TF)));
template <class... Ts>
struct Types {};
// The rows and columns of the table; position() below knows their order.
using Arithmetic =
    Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, __int128, float, double,
          long double, Real16, Complex<float>, Complex<double>, Complex<long double>,
          Complex<Real16>, Logical<std::int8_t>, Logical<std::int16_t>, Logical<std::int32_t>,
          Logical<std::int64_t>, Logical<__int128>>;
constexpr int kIntegerAt = 0;
constexpr int kRealAt = 5;
constexpr int kComplexAt = 9;
constexpr int kLogicalAt = 13;
constexpr std::size_t kTypes = 18;

template <class T>
inline constexpr bool is_integer = std::is_integral_v<T> || std::is_same_v<T, __int128>;

template <class To, class From>
constexpr Kernel kernel_of() {
    if constexpr (is_logical<To> != is_logical<From> && !is_integer<To> && !is_integer<From>) {
        return nullptr;
    } else {
        return convert_row<To, From>;
    }
}

template <class To, class... Froms>
constexpr std::array<Kernel, kTypes> row_of(Types<Froms...>) {
    return {kernel_of<To, Froms>()...};
}

template <class... Tos>
constexpr std::array<std::array<Kernel, kTypes>, kTypes> make_table(Types<Tos...> all) {
    return {row_of<Tos>(all)...};
}

constexpr auto kKernels = make_table(Arithmetic{});

int position_in(std::initializer_list<int> kinds, int kind) {
    const auto* at = std::find(kinds.begin(), kinds.end(), kind);
    return at == kinds.end() ? -1000 : static_cast<int>(at - kinds.begin());
}

// The number of a type in the table; negative: none.
int position(const ElementType& element) {
    switch (element.type) {
        case kInteger: return kIntegerAt + position_in({1, 2, 4, 8, 16}, element.kind);
        case kReal: return kRealAt + position_in({4, 8, 10, 16}, element.kind);
        case kComplex: return kComplexAt + position_in({4, 8, 10, 16}, element.kind);
        case kLogical: return kLogicalAt + position_in({1, 2, 4, 8, 16}, element.kind);
        default: return -1;
    }
}

template <class To, class From>
void assign_characters(std::byte* to, std::size_t to_bytes, const std::byte* from,
                       std::size_t from_bytes) {
    const std::size_t length = to_bytes / sizeof(To);
    const std::size_t given = std::min(length, from_bytes / sizeof(From));
    for (std::size_t i = 0; i < length; ++i) {
        std::uint32_t code = ' ';
        if (i < given) {
            From character;
            std::memcpy(&character, from + i * sizeof(From), sizeof character);
            code = character;
            if (sizeof(To) < sizeof(From) && code > 0xff) code = '?';
        }
        const To character = static_cast<To>(code);
        std::memcpy(to + i * sizeof(To), &character, sizeof character);
    }
}

using Assign = void (*)(std::byte*, std::size_t, const std::byte*, std::size_t);

Assign character_assignment(int to_kind, int from_kind) {
    if (to_kind == 4) {
        return from_kind == 4 ? assign_characters<std::uint32_t, std::uint32_t>
                              : assign_characters<std::uint32_t, std::uint8_t>;
    }
    return from_kind == 4 ? assign_characters<std::uint8_t, std::uint32_t>
                          : assign_characters<std::uint8_t, std::uint8_t>;
}

// Assigns element by element.
void assign_each(const Section& dest, std::size_t to_bytes, const Section& source,
                 std::size_t from_bytes, Assign assign) {
    for_each_row(dest, source,
                 [&](std::byte* to, std::ptrdiff_t to_stride, const std::byte* from,
                     std::ptrdiff_t from_stride, std::size_t count) {
                     for (std::size_t i = 0; i < count; ++i) {
                         assign(to, to_bytes, from, from_bytes);
                         to += to_stride;
                         from += from_stride;
                     }
                 });
}

}  // namespace

void convert_section(const Section& dest, const ElementType& to, const Section& source,
                     const ElementType& from) {
    if (to.type == kCharacter && from.type == kCharacter) {
        return assign_each(dest, to.bytes, source, from.bytes,
                           character_assignment(to.kind, from.kind));
    }
    const int row = position(to);
    const int column = position(from);
    if (row >= 0 && column >= 0) {
        const Kernel kernel =
            kKernels[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
        if (kernel != nullptr) return for_each_row(dest, source, kernel);
    }
    assign_each(dest, to.bytes, source, from.bytes,
                [](std::byte* a, std::size_t a_bytes, const std::byte* b, std::size_t b_bytes) {
                    std::memcpy(a, b, std::min(a_bytes, b_bytes));
                });
}

}  // namespace tessera::caf
