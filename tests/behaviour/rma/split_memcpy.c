// SPDX-License-Identifier: BSD-3-Clause
//
// Preloaded into the PEs of words_test: a memcpy that stores words of 2, 4 and 8 bytes twice, as
// the memcpy of glibc does, and leaves between the two stores as much time as the program needs to
// see the first one and to overwrite it. Only in memory that the program has named: elsewhere the
// copy is an ordinary one. Compiled with -fno-builtin, so that no copy here becomes a call of
// itself.
#define _GNU_SOURCE
#include <sched.h>
#include <stddef.h>
#include <stdint.h>

enum { kLooksMax = 200000 };  // at the word, where the program does not overwrite it

static uintptr_t watched, watched_bytes;

// From here on words in [start, start + bytes) are stored twice.
void split_memcpy_watch(const void* start, size_t bytes) {
    watched = (uintptr_t)start;
    watched_bytes = bytes;
}

#define STORE_TWICE(TYPE)                                                                \
    do {                                                                                 \
        volatile TYPE* word = (volatile TYPE*)dest;                                      \
        const TYPE value = *(const TYPE*)source;                                         \
        *word = value;                                                                   \
        for (int looks = 0; looks < kLooksMax && *word == value; ++looks) sched_yield(); \
        *word = value;                                                                   \
    } while (0)

static void store_twice(void* dest, const void* source, size_t bytes) {
    if (bytes == 2) STORE_TWICE(uint16_t);
    if (bytes == 4) STORE_TWICE(uint32_t);
    if (bytes == 8) STORE_TWICE(uint64_t);
}

static void copy_up(char* dest, const char* source, size_t bytes) {
    for (; bytes >= 8; bytes -= 8, dest += 8, source += 8) {
        uint64_t word;
        __builtin_memcpy(&word, source, 8);
        __builtin_memcpy(dest, &word, 8);
    }
    while (bytes-- > 0) *dest++ = *source++;
}

void* memcpy(void* restrict dest, const void* restrict source, size_t bytes) {
    const int is_word = bytes == 2 || bytes == 4 || bytes == 8;
    if (is_word && (uintptr_t)dest - watched < watched_bytes && (uintptr_t)dest % bytes == 0) {
        store_twice(dest, source, bytes);
    } else {
        copy_up(dest, source, bytes);
    }
    return dest;
}

void* memmove(void* dest, const void* source, size_t bytes) {
    if ((uintptr_t)dest - (uintptr_t)source >= bytes) return memcpy(dest, source, bytes);
    for (char *to = dest, *from = (char*)source; bytes-- > 0;) to[bytes] = from[bytes];
    return dest;
}
