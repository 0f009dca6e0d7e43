// SPDX-License-Identifier: BSD-3-Clause
//
// Loops of stores and loads of 16 bytes, with the processor's instructions for cache lines. Only
// micro/load_store.c uses them. On processors other than x86-64 the plain way is the only one.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef uint32_t Block __attribute__((vector_size(16)));
enum { kLineBytes = 64, kBlocksOfLine = kLineBytes / (int)sizeof(Block) };

struct LineWay {
    const char* name;
    int (*is_there)(void);  // the processor has the instruction
    // Each word of `count` blocks, a multiple of a line's, becomes `value`. Complete on return.
    void (*store)(Block* blocks, size_t count, uint32_t value);
};

static inline int always(void) { return 1; }

static inline void store_line(Block* blocks, uint32_t value) {
    const Block all = {value, value, value, value};
    for (int k = 0; k < kBlocksOfLine; ++k) ((volatile Block*)blocks)[k] = all;
}
static inline void store_plain(Block* blocks, size_t count, uint32_t value) {
    for (size_t i = 0; i < count; i += kBlocksOfLine) store_line(blocks + i, value);
}

// RETURNS: the sum of the words.
static inline uint32_t load_blocks(const Block* blocks, size_t count) {
    Block sums[kBlocksOfLine] = {{0}};
    for (size_t i = 0; i < count; i += kBlocksOfLine) {
        for (int k = 0; k < kBlocksOfLine; ++k)
            sums[k] += ((const volatile Block*)blocks)[i + (size_t)k];
    }
    const Block all = sums[0] + sums[1] + sums[2] + sums[3];
    return all[0] + all[1] + all[2] + all[3];
}

#ifdef __x86_64__
#include <cpuid.h>
#include <emmintrin.h>

static inline int has_bit(unsigned bit) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b >> bit & 1;
}
static inline int has_clwb(void) { return has_bit(24); }
static inline int has_clflushopt(void) { return has_bit(23); }

static inline void store_clwb(Block* blocks, size_t count, uint32_t value) {
    for (size_t i = 0; i < count; i += kBlocksOfLine) {
        store_line(blocks + i, value);
        __asm__ volatile("clwb %0" : "+m"(blocks[i]) : : "memory");
    }
    _mm_mfence();
}
static inline void store_clflushopt(Block* blocks, size_t count, uint32_t value) {
    for (size_t i = 0; i < count; i += kBlocksOfLine) {
        store_line(blocks + i, value);
        __asm__ volatile("clflushopt %0" : "+m"(blocks[i]) : : "memory");
    }
    _mm_mfence();
}
static inline void store_clflush(Block* blocks, size_t count, uint32_t value) {
    for (size_t i = 0; i < count; i += kBlocksOfLine) {
        store_line(blocks + i, value);
        _mm_clflush(blocks + i);
    }
    _mm_mfence();
}
static inline void store_nontemporal(Block* blocks, size_t count, uint32_t value) {
    const __m128i all = _mm_set1_epi32((int)value);
    for (size_t i = 0; i < count; ++i) _mm_stream_si128((__m128i*)blocks + i, all);
    _mm_mfence();
}

static const struct LineWay kLineWays[] = {
    {"none", always, store_plain},
    {"clwb", has_clwb, store_clwb},
    {"clflushopt", has_clflushopt, store_clflushopt},
    {"clflush", always, store_clflush},
    {"nontemporal", always, store_nontemporal},
};
#else
static const struct LineWay kLineWays[] = {{"none", always, store_plain}};
#endif
enum { kLineWayCount = sizeof kLineWays / sizeof kLineWays[0] };
