// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions by element type (element_ops.hpp).

#include "core/element_ops.hpp"

#include <cstring>
#include <type_traits>

#include "core/processor.hpp"
#include "core/report.hpp"
#include "core/team.hpp"

namespace tessera::caf {
namespace {

template <class T>
struct Complex {
    T re, im;
};

template <class T>
constexpr bool kIsComplex = false;
template <class T>
constexpr bool kIsComplex<Complex<T>> = true;

template <class T>
T add(const T& a, const T& b) {
    if constexpr (kIsComplex<T>) {
        return {a.re + b.re, a.im + b.im};
    } else if constexpr (std::is_same_v<T, __int128>) {
        return static_cast<T>(static_cast<unsigned __int128>(a) +
                              static_cast<unsigned __int128>(b));
    } else if constexpr (std::is_integral_v<T>) {
        // Wraps around, as shmemx has it.
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    } else {
        return a + b;
    }
}

template <class T>
void sum_all(void* inout, const void* in, std::size_t elements, void*) {
    auto* a = static_cast<T*>(inout);
    const auto* b = static_cast<const T*>(in);
    for (std::size_t i = 0; i < elements; ++i) a[i] = add(a[i], b[i]);
}

template <class T, bool IsMin>
void select_all(void* inout, const void* in, std::size_t elements, void*) {
    auto* a = static_cast<T*>(inout);
    const auto* b = static_cast<const T*>(in);
    for (std::size_t i = 0; i < elements; ++i) {
        if (IsMin ? b[i] < a[i] : b[i] > a[i]) a[i] = b[i];
    }
}

// user_data is the length in characters. Characters compare by their codes.
template <class Character, bool IsMin>
void select_strings(void* inout, const void* in, std::size_t elements, void* user_data) {
    const auto length = reinterpret_cast<std::size_t>(user_data);
    auto* a = static_cast<Character*>(inout);
    const auto* b = static_cast<const Character*>(in);
    for (std::size_t i = 0; i < elements; ++i, a += length, b += length) {
        std::size_t k = 0;
        while (k < length && a[k] == b[k]) ++k;
        if (k < length && (IsMin ? b[k] < a[k] : b[k] > a[k]))
            std::memcpy(a, b, length * sizeof(Character));
    }
}

template <class T>
shmemx_op_fn_t function_of(Combine combine) {
    if (combine == Combine::kSum) return sum_all<T>;
    if constexpr (kIsComplex<T>) {
        return nullptr;
    } else {
        return combine == Combine::kMin ? select_all<T, true> : select_all<T, false>;
    }
}

template <class T>
shmemx_op_fn_t string_function_of(Combine combine) {
    return combine == Combine::kMin ? select_strings<T, true> : select_strings<T, false>;
}

int code_of(Combine combine) {
    switch (combine) {
        case Combine::kSum: return SHMEMX_OP_SUM;
        case Combine::kMin: return SHMEMX_OP_MIN;
        case Combine::kMax: return SHMEMX_OP_MAX;
    }
    return 0;
}

int integer_code(std::size_t bytes, bool is_unsigned) {
    switch (bytes) {
        case 1: return is_unsigned ? SHMEMX_TYPE_UINT8 : SHMEMX_TYPE_INT8;
        case 2: return is_unsigned ? SHMEMX_TYPE_UINT16 : SHMEMX_TYPE_INT16;
        case 4: return is_unsigned ? SHMEMX_TYPE_UINT32 : SHMEMX_TYPE_INT32;
        case 8: return is_unsigned ? SHMEMX_TYPE_UINT64 : SHMEMX_TYPE_INT64;
        default: return 0;
    }
}

int type_code(const ElementType& type) {
    switch (type.type) {
        case ElementType::kInteger: return integer_code(type.bytes, false);
        case ElementType::kUnsigned: return integer_code(type.bytes, true);
        case ElementType::kReal:
            return type.bytes == 4 ? SHMEMX_TYPE_FLOAT : type.bytes == 8 ? SHMEMX_TYPE_DOUBLE : 0;
        case ElementType::kComplex:
            return type.bytes == 8    ? SHMEMX_TYPE_COMPLEX_FLOAT
                   : type.bytes == 16 ? SHMEMX_TYPE_COMPLEX_DOUBLE
                                      : 0;
        case ElementType::kString: return 0;
    }
    return 0;
}

template <class Int8, class Int16, class Int32, class Int64, class Int128>
shmemx_op_fn_t integer_function(std::size_t bytes, Combine combine) {
    switch (bytes) {
        case 1: return function_of<Int8>(combine);
        case 2: return function_of<Int16>(combine);
        case 4: return function_of<Int32>(combine);
        case 8: return function_of<Int64>(combine);
        case 16: return function_of<Int128>(combine);
        default: return nullptr;
    }
}

shmemx_op_fn_t real_function(const ElementType& type, Combine combine) {
    switch (type.bytes) {
        case 4: return function_of<float>(combine);
        case 8: return function_of<double>(combine);
        case 16:
            return type.wide == WideReal::kQuad ? function_of<Quad>(combine)
                                                : function_of<Extended>(combine);
        default: return nullptr;
    }
}

shmemx_op_fn_t complex_function(const ElementType& type, Combine combine) {
    switch (type.bytes) {
        case 8: return function_of<Complex<float>>(combine);
        case 16: return function_of<Complex<double>>(combine);
        case 32:
            return type.wide == WideReal::kQuad ? function_of<Complex<Quad>>(combine)
                                                : function_of<Complex<Extended>>(combine);
        default: return nullptr;
    }
}

shmemx_op_fn_t find_function(const ElementType& type, Combine combine) {
    switch (type.type) {
        case ElementType::kInteger:
            return integer_function<std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                                    __int128>(type.bytes, combine);
        case ElementType::kUnsigned:
            return integer_function<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t,
                                    unsigned __int128>(type.bytes, combine);
        case ElementType::kReal: return real_function(type, combine);
        case ElementType::kComplex: return complex_function(type, combine);
        case ElementType::kString:
            if (combine == Combine::kSum) return nullptr;
            return type.character_bytes == 4 ? string_function_of<char32_t>(combine)
                                             : string_function_of<unsigned char>(combine);
    }
    return nullptr;
}

// Exponents of ordinary numbers, 2^-1024 to 2^1024, have these values in both formats.
bool is_ordinary(std::uint64_t exponent) {
    exponent &= 0x7fff;
    return exponent > 0x3fff - 0x400 && exponent < 0x3fff + 0x400;
}

}  // namespace

bool find_reduction(const ElementType& type, Combine combine, Reduction* reduction) {
    reduction->type = type_code(type);
    reduction->op = code_of(combine);
    reduction->operation = {.function = find_function(type, combine),
                            .user_data = reinterpret_cast<void*>(type.bytes / type.character_bytes),
                            .element_bytes = type.bytes,
                            .is_commutative = 1};
    return reduction->operation.function != nullptr;
}

WideReal guess_wide_real(const void* data, std::size_t parts, Death death) {
    if (!kHasExtended) return WideReal::kQuad;
    // One in 64 numbers of kind 16 with random low bits looks like kind 10. Those of kind 10 have
    // anything in their last 6 bytes. So the kind is 10 if all numbers look like it.
    constexpr std::int64_t kQuadSeen = std::int64_t{1} << 32;
    std::int64_t votes = 0;
    for (std::size_t i = 0; i < parts; ++i) {
        std::uint64_t words[2];
        std::memcpy(words, static_cast<const std::byte*>(data) + 16 * i, sizeof words);
        const bool is_zero_if_extended = words[0] == 0 && (words[1] & 0xffff) == 0;
        if (is_zero_if_extended) {
            votes |= is_ordinary(words[1] >> 48) ? kQuadSeen : 0;
        } else {
            // Kind 10 has the exponent in the low bytes of the second word, and a leading 1 bit.
            const bool is_extended = is_ordinary(words[1]) && words[0] >> 63 == 1;
            votes |= is_extended ? 1 : kQuadSeen;
        }
    }
    Reduction sum;
    find_reduction({.type = ElementType::kInteger, .bytes = sizeof votes}, Combine::kSum, &sum);
    const int status = reduce(&votes, 1, sum, 0, death);
    const bool is_extended = status == kOk && votes != 0 && votes < kQuadSeen;
    return is_extended ? WideReal::kExtended : WideReal::kQuad;
}

}  // namespace tessera::caf
