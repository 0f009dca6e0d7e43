// SPDX-License-Identifier: BSD-3-Clause
//
// How many random accesses to a distributed table are done in a second (GUPS: 1e9 of them), for
// random_access.c (DART) and random_access_mpi.c? The rules are those of bench/apps/gups.c: the
// units share a table of 2^n words, a block for each unit. Together they make one access for each
// 4 words, fewer than gups.c. They take the steps of Zhou 2016 (6.5.3) and Zhou et al. 2015 (4.2)
// one by one, and complete each access before the next one:
//
//   dart_gups_read        a blocking get; each value is checked
//   dart_gups_write       a blocking put; the same writes again undo them, which is the check
//   dart_gups_update      an atomic xor and a flush; the same updates again undo them
//
// and together:
//
//   dart_gups_get_put     a blocking get, xor, a blocking put
//   dart_gups_accumulate  atomic xors, a flush behind each 1024
//
// Without atomics up to 1 % of the words may be wrong.
#pragma once

#include <stdint.h>

#include "bench/gups_random.h"
#include "bench/reports.h"

enum { kInFlight = 1024 };

struct Word {
    int unit;
    uint64_t at;  // in the unit's part
};

// The program defines these.
static void give_up(const char* what);
static void meet(void);
static double greatest(double value);
static double sum_of_all(double value);
static void read_word(uint64_t* to, struct Word from);
static void write_word(struct Word to, const uint64_t* from);
static void start_xor(struct Word to, const uint64_t* from);
static void finish_xors(struct Word to);
static void finish_all_xors(void);

static int log_words;
static uint64_t words;        // length of the table
static uint64_t* first_word;  // where each unit's block begins
static uint64_t* mine;
static uint64_t written;  // by_write writes the index, xor this

static struct Word word_at(uint64_t index) {
    const int unit = (int)(index * (uint64_t)npes >> log_words);
    return (struct Word){unit, index - first_word[unit]};
}

static void by_read(uint64_t random, long accesses) {
    for (long i = 0; i < accesses; ++i) {
        uint64_t value;
        random = next_random(random);
        const uint64_t index = random & (words - 1);
        read_word(&value, word_at(index));
        if (value != index) give_up("a read is wrong");
    }
}

static void by_write(uint64_t random, long accesses) {
    written = ~written;
    for (long i = 0; i < accesses; ++i) {
        random = next_random(random);
        const uint64_t index = random & (words - 1), value = index ^ written;
        write_word(word_at(index), &value);
    }
}

static void by_update(uint64_t random, long accesses) {
    for (long i = 0; i < accesses; ++i) {
        random = next_random(random);
        const struct Word word = word_at(random & (words - 1));
        start_xor(word, &random);
        finish_xors(word);
    }
}

static void by_get_put(uint64_t random, long accesses) {
    for (long i = 0; i < accesses; ++i) {
        uint64_t value;
        random = next_random(random);
        const struct Word word = word_at(random & (words - 1));
        read_word(&value, word);
        value ^= random;
        write_word(word, &value);
    }
}

static void by_accumulate(uint64_t random, long accesses) {
    static uint64_t values[kInFlight];
    for (long i = 0; i < accesses; ++i) {
        random = next_random(random);
        uint64_t* value = &values[i % kInFlight];
        *value = random;
        start_xor(word_at(random & (words - 1)), value);
        if (i % kInFlight == kInFlight - 1) finish_all_xors();
    }
    finish_all_xors();
}

static void measure(const char* name, void (*access)(uint64_t, long), double wrong_most) {
    double gups[kSamplesMax];
    const int samples = by_level(1, 5, 11);
    const long each = (long)(words / 4 / (uint64_t)npes);
    const uint64_t begin = first_word[me], end = first_word[me + 1];
    for (uint64_t i = begin; i < end; ++i) mine[i - begin] = i;
    const uint64_t first = random_at((uint64_t)me * (uint64_t)each);
    for (int i = 0; i < samples; ++i) {
        meet();
        const double start = now_ns();
        access(first, each);
        gups[i] = (double)each * npes / greatest(now_ns() - start);
        meet();
        access(first, each);
    }
    meet();
    double wrong = 0;
    for (uint64_t i = begin; i < end; ++i) wrong += mine[i - begin] != i;
    if (sum_of_all(wrong) > wrong_most * (double)words) give_up("the table is wrong");
    report(name, "words", (double)words, "GUPS", 0, gups, samples, 0);
}

// RETURNS: the words of which each unit must have room.
static uint64_t divide_table(void) {
    log_words = by_level(12, 18, 22);
    words = (uint64_t)1 << log_words;
    first_word = malloc(sizeof(uint64_t) * ((size_t)npes + 1));
    // The first index with index * npes >> log_words == unit.
    for (int unit = 0; unit <= npes; ++unit)
        first_word[unit] = (((uint64_t)unit << log_words) + (uint64_t)npes - 1) / (uint64_t)npes;
    return words / (uint64_t)npes + 1;
}

// REQUIRES: `mine` is set.
static void measure_all(void) {
    measure("dart_gups_read", by_read, 0);
    measure("dart_gups_write", by_write, 0);
    measure("dart_gups_update", by_update, 0);
    measure("dart_gups_accumulate", by_accumulate, 0);
    measure("dart_gups_get_put", by_get_put, 0.01);
    meet();
    free(first_word);
}
