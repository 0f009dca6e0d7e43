// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: THE copy of every on-node put and get. Up to 64 bytes a few inline moves, then memcpy,
// beyond 2 KiB copy_large, which takes the routine that suits the processor and its caches, and
// from 4 MiB on may share the work with others (progress/offload.hpp).
// Everything written is ordered by a release store or fence that follows, like ordinary stores.
// Blocks of 1, 2, 4 and 8 bytes are one load and one store: programs wait on words that put writes
// (OpenSHMEM 1.4 and older), so such a word must neither tear nor be written twice.
// THREADS: all, after choose_copy_routine().
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/platform.hpp"

namespace tessera {

// Up to here the C library's memcpy is as good as anything that was measured.
inline constexpr std::size_t kPlainCopyBytesMax = 2048;

// Chooses the routine of copy_large. Called once by init; before, copy_large is memcpy.
void choose_copy_routine(std::size_t last_level_cache_bytes);

// The chosen routine, for SHMEM_INFO and osh_info.
const char* copy_routine_name();

// REQUIRES: bytes > kPlainCopyBytesMax; source and dest do not overlap.
void copy_large(void* dest, const void* source, std::size_t bytes);

// Others may help with copies of this size and more.
inline constexpr std::size_t kSharedCopyBytesMin = std::size_t{4} << 20;
// Called by copy_large from that size on. RETURNS when: all is copied (true), or nothing (false).
using SharedCopy = bool (*)(char* dest, const char* source, std::size_t bytes);
// nullptr: copies are not shared. REQUIRES: no copy is under way.
void set_shared_copy(SharedCopy copy);
// A part of a copy of `total` bytes, by the calling thread. A part may have any length.
void copy_piece(void* dest, const void* source, std::size_t bytes, std::size_t total);

// For blocks of a movement whose arrays together exceed the caches. The stores bypass the caches,
// where the processor has instructions for it, so that it need not read the lines first.
// REQUIRES: source and dest do not overlap.
void copy_past_cache(void* dest, const void* source, std::size_t bytes);
// Shorter blocks are copied as always.
inline constexpr std::size_t kPastCacheBytesMin = 2048;

// Up to here a copy is a few inline moves.
inline constexpr std::size_t kShortCopyBytesMax = 64;

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

// Not for 8, which copy_up_to_64 does first.
TESSERA_INLINE void copy_below_16(char* dest, const char* source, std::size_t bytes) {
    if (bytes > 8) return copy_both_ends<std::uint64_t>(dest, source, bytes);
    if (bytes == 4) return store(dest, load<std::uint32_t>(source));
    if (bytes > 4) return copy_both_ends<std::uint32_t>(dest, source, bytes);
    if (bytes == 2) return store(dest, load<std::uint16_t>(source));
    if (bytes > 2) return copy_both_ends<std::uint16_t>(dest, source, bytes);
    if (bytes == 1) *dest = *source;
}

TESSERA_INLINE void copy_up_to_64(char* dest, const char* source, std::size_t bytes) {
    static_assert(kShortCopyBytesMax == 64);
    if (bytes == 8) [[likely]]
        return store(dest, load<std::uint64_t>(source));
    if (bytes < 16) return copy_below_16(dest, source, bytes);
    if (bytes <= 32) return copy_both_ends<Vector16>(dest, source, bytes);
    Vector16 a = load<Vector16>(source);
    Vector16 b = load<Vector16>(source + 16);
    Vector16 c = load<Vector16>(source + bytes - 32);
    Vector16 d = load<Vector16>(source + bytes - 16);
    store(dest, a);
    store(dest + 16, b);
    store(dest + bytes - 32, c);
    store(dest + bytes - 16, d);
}

// A tail call: the caller saves no registers.
TESSERA_INLINE void copy_above_64(char* dest, const char* source, std::size_t bytes) {
    if (bytes > kPlainCopyBytesMax) return copy_large(dest, source, bytes);
    std::memcpy(dest, source, bytes);
}

}  // namespace detail

// REQUIRES of all below: source and dest do not overlap.

// REQUIRES: bytes <= kShortCopyBytesMax.
TESSERA_INLINE void copy_short(void* dest, const void* source, std::size_t bytes) {
    detail::copy_up_to_64(static_cast<char*>(dest), static_cast<const char*>(source), bytes);
}
// REQUIRES: bytes > kShortCopyBytesMax.
TESSERA_INLINE void copy_long(void* dest, const void* source, std::size_t bytes) {
    detail::copy_above_64(static_cast<char*>(dest), static_cast<const char*>(source), bytes);
}
TESSERA_INLINE void copy_bytes(void* dest, const void* source, std::size_t bytes) {
    if (bytes <= kShortCopyBytesMax) return copy_short(dest, source, bytes);
    copy_long(dest, source, bytes);
}

// The same for gets. Pairs with core/context.hpp:fence and core/context.hpp:quiet.
// REQUIRES: the public routine ends here, so that the compiler has no later loads to move.
// RETURNS when: all of `source` has been read; the program's next loads come later.
TESSERA_INLINE void copy_short_and_acquire(void* dest, const void* source, std::size_t bytes) {
    copy_short(dest, source, bytes);
    std::atomic_thread_fence(std::memory_order_acquire);
}
TESSERA_INLINE void copy_long_and_acquire(void* dest, const void* source, std::size_t bytes) {
    // A fence would be no instruction but would cost the tail call: a tenth of a 512-byte get.
    if constexpr (kLoadsStayInOrder) return copy_long(dest, source, bytes);
    copy_long(dest, source, bytes);
    // Pairs with core/context.hpp:fence and core/context.hpp:quiet.
    std::atomic_thread_fence(std::memory_order_acquire);
}

}  // namespace tessera
