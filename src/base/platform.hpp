// SPDX-License-Identifier: BSD-3-Clause
//
// The only file of the library that asks which processor or compiler this is. Everything that
// differs between machines has one name here; the rest of the tree is written against these names.
#pragma once

#include <cstddef>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Keeps error paths out of the hot functions that reach them.
#define TESSERA_COLD [[gnu::cold, gnu::noinline]]
#define TESSERA_INLINE [[gnu::always_inline]] inline

namespace tessera {

// Two words on the same line of this size slow each other down when two cores write them.
// Fixed, not std::hardware_destructive_interference_size: it is part of shared layouts.
inline constexpr std::size_t kCacheLineBytes = 64;
// Distance for words that different PEs write: x86 prefetches lines in pairs, Arm has 128-byte
// lines.
inline constexpr std::size_t kFalseSharingBytes = 128;
inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

// Whether the processor itself keeps loads in program order, so that only the compiler must be
// told.
#if defined(__x86_64__)
inline constexpr bool kLoadsStayInOrder = true;
#else
inline constexpr bool kLoadsStayInOrder = false;
#endif

// Tells the core that this is a waiting loop. Orders nothing.
TESSERA_INLINE void cpu_pause() {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#endif
}

}  // namespace tessera
