// SPDX-License-Identifier: BSD-3-Clause
//
// The loops that bench/onnode.c measures on one PE towards its peer: a loop of an operation, and
// one of its limit on the same memory. Part of onnode.c, which has the memory.
#pragma once

#include "bench/newer.h"

// ---- p, g, atomics: the limit is a function that is called and makes the same access ----

static void store_word(long* target, long value) { *target = value; }
static long load_word(const long* source) { return *source; }
static long add_word(long* target, long value) {
    return __atomic_fetch_add(target, value, __ATOMIC_SEQ_CST);
}
static long swap_word(long* target, long value) {
    return __atomic_exchange_n(target, value, __ATOMIC_SEQ_CST);
}
// volatile: the compiler must call them as it would call a shared library.
static void (*volatile store_call)(long*, long) = store_word;
static long (*volatile load_call)(const long*) = load_word;
static long (*volatile add_call)(long*, long) = add_word;
static long (*volatile swap_call)(long*, long) = swap_word;
static volatile long sink;

// Loops of one operation; the values that a loop needs are in registers, on both sides.
#define LOOP(NAME, WORDS, TURNS, RESULT)           \
    static void NAME(long repeats, size_t bytes) { \
        long sum = 0;                              \
        long* at = WORDS;                          \
        int pe = peer;                             \
        (void)bytes;                               \
        (void)pe;                                  \
        TURNS sum += RESULT;                       \
        sink = sum;                                \
    }
#define WORD_LOOP(NAME, WORDS, RESULT) LOOP(NAME, WORDS, for (long i = 0; i < repeats; ++i), RESULT)
WORD_LOOP(p_ours, words, (shmem_long_p(at + i % kWords, i, pe), 0))
WORD_LOOP(p_limit, peer_words, (store_call(at + i % kWords, i), 0))
WORD_LOOP(g_ours, words, shmem_long_g(at + i % kWords, pe))
WORD_LOOP(g_limit, peer_words, load_call(at + i % kWords))
WORD_LOOP(fetch_add_ours, words, shmem_long_atomic_fetch_add(at, 1, pe))
WORD_LOOP(fetch_add_limit, peer_words, add_call(at, 1))
WORD_LOOP(swap_ours, words, shmem_long_atomic_swap(at, i, pe))
WORD_LOOP(swap_limit, peer_words, swap_call(at, i))

// Static data; the limit is the same operation on the heap.
WORD_LOOP(p_static_ours, static_words, (shmem_long_p(at + i % kWords, i, pe), 0))
WORD_LOOP(g_static_ours, static_words, shmem_long_g(at + i % kWords, pe))
WORD_LOOP(fetch_add_static_ours, static_words, shmem_long_atomic_fetch_add(at, 1, pe))
WORD_LOOP(put_static_ours, static_words, (shmem_putmem(at, local, 8, pe), 0))
WORD_LOOP(put_static_limit, words, (shmem_putmem(at, local, 8, pe), 0))

// put_signal (OpenSHMEM 1.5); the limit is a put and an atomic, each called.
static long* signal_word;  // symmetric
WORD_LOOP(put_signal_ours, words, (put_and_add_signal(at, local, 64, signal_word, 1, pe), 0))
WORD_LOOP(put_signal_limit, words,
          (shmem_putmem(at, local, 64, pe), shmem_long_atomic_add(signal_word, 1, pe), 0))

// ---- put and get: the limit is memcpy ----

static void put_ours(long repeats, size_t bytes) {
    char *to = block, *from = local;
    int pe = peer;
    for (long i = 0; i < repeats; ++i) shmem_putmem(to, from, bytes, pe);
}
static void put_limit(long repeats, size_t bytes) {
    char *to = peer_block, *from = local;
    for (long i = 0; i < repeats; ++i) {
        memcpy(to, from, bytes);
        __asm__ volatile("" ::: "memory");  // every copy counts
    }
}
static void get_ours(long repeats, size_t bytes) {
    char *to = local, *from = block;
    int pe = peer;
    for (long i = 0; i < repeats; ++i) shmem_getmem(to, from, bytes, pe);
}
static void get_limit(long repeats, size_t bytes) {
    char *to = local, *from = peer_block;
    for (long i = 0; i < repeats; ++i) {
        memcpy(to, from, bytes);
        __asm__ volatile("" ::: "memory");
    }
}

// ---- The same without a call: the limit is a loop of stores or loads over an array, with the
// order of memory that p and g have. Transfers of a constant size are measured here as well. ----

#define ARRAY_LOOP(NAME, WORDS, RESULT)                                                         \
    LOOP(NAME, WORDS,                                                                           \
         for (long done = 0; done < repeats; done += kWords) for (long i = 0; i < kWords; ++i), \
         RESULT)
ARRAY_LOOP(p_raw_ours, words, (shmem_long_p(at + i, i, pe), 0))
ARRAY_LOOP(p_raw_limit, peer_words, (((volatile long*)at)[i] = i, 0))
ARRAY_LOOP(g_raw_ours, words, shmem_long_g(at + i, pe))
ARRAY_LOOP(g_raw_limit, peer_words, __atomic_load_n(at + i, __ATOMIC_ACQUIRE))
WORD_LOOP(fetch_add_raw_limit, peer_words, __atomic_fetch_add(at, 1, __ATOMIC_SEQ_CST))
WORD_LOOP(swap_raw_limit, peer_words, __atomic_exchange_n(at, i, __ATOMIC_SEQ_CST))
static void put_8_ours(long repeats, size_t bytes) {
    char *to = block, *from = local;
    int pe = peer;
    (void)bytes;
    for (long i = 0; i < repeats; ++i) shmem_putmem(to, from, 8, pe);
}
static void put_8_limit(long repeats, size_t bytes) {
    (void)bytes;
    put_limit(repeats, 8);
}
static void get_8_ours(long repeats, size_t bytes) {
    char *to = local, *from = block;
    int pe = peer;
    (void)bytes;
    for (long i = 0; i < repeats; ++i) shmem_getmem(to, from, 8, pe);
}
static void get_8_limit(long repeats, size_t bytes) {
    (void)bytes;
    get_limit(repeats, 8);
}
