// SPDX-License-Identifier: BSD-3-Clause
//
// The only file of the library that asks which processor or compiler this is. Everything that
// differs between machines has one name here; the rest of the tree is written against these names.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
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
    __builtin_ia32_pause();  // _mm_pause() without the second that <immintrin.h> takes to compile.
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#endif
}

// Fetches the line for a write that is to come. (The compiler's own prefetch for writing fetches it
// for reading where the processor may be an old one; those take this instruction for a no-op.)
TESSERA_INLINE void prefetch_to_write(const void* at) {
#if defined(__x86_64__)
    asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(at)));
#else
    __builtin_prefetch(at, 1);
#endif
}

// Two words that one instruction of some processors compares and swaps. It excludes those of single
// words within.
struct alignas(16) WideWord {
    std::uint64_t low;
    std::uint64_t high;
};

inline bool has_wide_compare_swap() {
#if defined(__x86_64__)
    static const bool has = [] {
        unsigned a = 0;
        unsigned b = 0;
        unsigned c = 0;
        unsigned d = 0;
        return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_CMPXCHG16B) != 0;
    }();
    return has;
#else
    return false;
#endif
}

// Writes `fresh` if the words at `at` equal `seen`; else `seen` becomes what is there. Ordered like
// seq_cst. RETURNS: whether it wrote. REQUIRES: has_wide_compare_swap(), and an address aligned to
// 16 bytes.
TESSERA_INLINE bool wide_compare_swap([[maybe_unused]] void* at, [[maybe_unused]] WideWord& seen,
                                      [[maybe_unused]] const WideWord& fresh) {
#if defined(__x86_64__)
    bool has_written = false;
    asm volatile("lock cmpxchg16b %1"
                 : "=@ccz"(has_written), "+m"(*static_cast<WideWord*>(at)), "+a"(seen.low),
                   "+d"(seen.high)
                 : "b"(fresh.low), "c"(fresh.high)
                 : "memory");
    return has_written;
#else
    return false;
#endif
}

}  // namespace tessera
