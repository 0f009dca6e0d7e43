// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: copies of 1, 2, 4 and 8 bytes as one access, because other units may watch the word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tessera::dart {

namespace detail {
// A word of any alignment and type.
template <class T>
struct __attribute__((packed, may_alias)) Word {
    T value;
};

template <class T>
inline void copy_word(void* dest, const void* source) {
    static_cast<volatile Word<T>*>(dest)->value =
        static_cast<const volatile Word<T>*>(source)->value;
}
}  // namespace detail

inline void copy_bytes(void* dest, const void* source, std::size_t bytes) {
    switch (bytes) {
        case 8: return detail::copy_word<std::uint64_t>(dest, source);
        case 4: return detail::copy_word<std::uint32_t>(dest, source);
        case 2: return detail::copy_word<std::uint16_t>(dest, source);
        case 1: return detail::copy_word<std::uint8_t>(dest, source);
        default: std::memcpy(dest, source, bytes);
    }
}

}  // namespace tessera::dart
