// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: THE copy of every on-node put and get. Up to 64 bytes a few inline moves, then memcpy,
// from 1 MiB on copy_large, which takes the routine that suits the processor and its cache.
// Everything written is ordered by a release store or fence that follows, like ordinary stores.
// Blocks of 1, 2, 4 and 8 bytes are one load and one store: programs wait on words that put writes
// (OpenSHMEM 1.4 and older), so such a word must neither tear nor be written twice.
// THREADS: all, after choose_copy_routine().
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/platform.hpp"

namespace tessera {

// Chosen so that below it the C library's memcpy is as good as anything that was measured.
inline constexpr std::size_t kLargeCopyBytes = std::size_t{1} << 20;

// Chooses how copy_large works. Called once by init; before, copy_large is memcpy.
void choose_copy_routine(std::size_t last_level_cache_bytes);

// What was chosen, for SHMEM_INFO and osh_info.
const char* copy_routine_name();

// REQUIRES: bytes >= kLargeCopyBytes; source and dest do not overlap.
void copy_large(void* dest, const void* source, std::size_t bytes);

namespace detail {

using Vector16 = unsigned char __attribute__((vector_size(16)));

// memcpy of a constant size: the compiler makes it one move, aligned or not.
template <class T>
TESSERA_INLINE T load(const char* source) {
    T value;
    std::memcpy(&value, source, sizeof(T));
    return value;
}
template <class T>
TESSERA_INLINE void store(char* dest, T value) {
    std::memcpy(dest, &value, sizeof(T));
}

// sizeof(T) <= bytes <= 2 * sizeof(T): the first and the last T, which overlap unless bytes is 2 T.
template <class T>
TESSERA_INLINE void copy_both_ends(char* dest, const char* source, std::size_t bytes) {
    T first = load<T>(source);
    T last = load<T>(source + bytes - sizeof(T));
    store(dest, first);
    store(dest + bytes - sizeof(T), last);
}

TESSERA_INLINE void copy_below_16(char* dest, const char* source, std::size_t bytes) {
    if (bytes == 8) return store(dest, load<std::uint64_t>(source));
    if (bytes > 8) return copy_both_ends<std::uint64_t>(dest, source, bytes);
    if (bytes == 4) return store(dest, load<std::uint32_t>(source));
    if (bytes > 4) return copy_both_ends<std::uint32_t>(dest, source, bytes);
    if (bytes == 2) return store(dest, load<std::uint16_t>(source));
    if (bytes > 2) return copy_both_ends<std::uint16_t>(dest, source, bytes);
    if (bytes == 1) *dest = *source;
}

}  // namespace detail

// REQUIRES: source and dest do not overlap.
TESSERA_INLINE void copy_bytes(void* dest_bytes, const void* source_bytes, std::size_t bytes) {
    using detail::Vector16;
    char* dest = static_cast<char*>(dest_bytes);
    const char* source = static_cast<const char*>(source_bytes);
    if (bytes < 16) return detail::copy_below_16(dest, source, bytes);
    if (bytes <= 32) return detail::copy_both_ends<Vector16>(dest, source, bytes);
    if (bytes <= 64) {
        Vector16 a = detail::load<Vector16>(source);
        Vector16 b = detail::load<Vector16>(source + 16);
        Vector16 c = detail::load<Vector16>(source + bytes - 32);
        Vector16 d = detail::load<Vector16>(source + bytes - 16);
        detail::store(dest, a);
        detail::store(dest + 16, b);
        detail::store(dest + bytes - 32, c);
        detail::store(dest + bytes - 16, d);
        return;
    }
    if (bytes < kLargeCopyBytes) [[likely]] {
        std::memcpy(dest, source, bytes);
        return;
    }
    copy_large(dest, source, bytes);
}

}  // namespace tessera
