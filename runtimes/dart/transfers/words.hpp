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

// RETURNS: false: it is no word, and nothing is copied.
[[gnu::always_inline]] inline bool copy_if_word(void* dest, const void* source, std::size_t bytes) {
    switch (bytes) {
        case 8: detail::copy_word<std::uint64_t>(dest, source); return true;
        case 4: detail::copy_word<std::uint32_t>(dest, source); return true;
        case 2: detail::copy_word<std::uint16_t>(dest, source); return true;
        case 1: detail::copy_word<std::uint8_t>(dest, source); return true;
        default: return false;
    }
}

inline void copy_bytes(void* dest, const void* source, std::size_t bytes) {
    if (!copy_if_word(dest, source, bytes)) std::memcpy(dest, source, bytes);
}

}  // namespace tessera::dart
