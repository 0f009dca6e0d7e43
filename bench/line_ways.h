// SPDX-License-Identifier: BSD-3-Clause
//
// Loops of stores and loads of four bytes, with the processor's instructions for cache lines. Only
// micro/load_store.c uses them. On processors other than x86-64 the plain way is the only one.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { kLineBytes = 64, kWordsOfLine = kLineBytes / 4 };

struct LineWay {
    const char* name;
    int (*is_there)(void);  // the processor has the instruction
    // Word i of `count`, a multiple of a line's, becomes first + i. Complete on return.
    void (*store)(uint32_t* words, size_t count, uint32_t first);
};

static inline int always(void) { return 1; }

static inline void store_line(uint32_t* words, uint32_t first) {
    for (uint32_t k = 0; k < kWordsOfLine; ++k) ((volatile uint32_t*)words)[k] = first + k;
}
static inline void store_plain(uint32_t* words, size_t count, uint32_t first) {
    for (size_t i = 0; i < count; i += kWordsOfLine) store_line(words + i, first + (uint32_t)i);
}

static inline uint32_t load_words(const uint32_t* words, size_t count) {
    uint32_t sum = 0;
    for (size_t i = 0; i < count; ++i) sum += ((const volatile uint32_t*)words)[i];
    return sum;
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

static inline void store_clwb(uint32_t* words, size_t count, uint32_t first) {
    for (size_t i = 0; i < count; i += kWordsOfLine) {
        store_line(words + i, first + (uint32_t)i);
        __asm__ volatile("clwb %0" : "+m"(words[i]) : : "memory");
    }
    _mm_mfence();
}
static inline void store_clflushopt(uint32_t* words, size_t count, uint32_t first) {
    for (size_t i = 0; i < count; i += kWordsOfLine) {
        store_line(words + i, first + (uint32_t)i);
        __asm__ volatile("clflushopt %0" : "+m"(words[i]) : : "memory");
    }
    _mm_mfence();
}
static inline void store_clflush(uint32_t* words, size_t count, uint32_t first) {
    for (size_t i = 0; i < count; i += kWordsOfLine) {
        store_line(words + i, first + (uint32_t)i);
        _mm_clflush(words + i);
    }
    _mm_mfence();
}
static inline void store_nontemporal(uint32_t* words, size_t count, uint32_t first) {
    for (size_t i = 0; i < count; ++i) _mm_stream_si32((int*)words + i, (int)(first + (uint32_t)i));
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
