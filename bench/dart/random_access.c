// SPDX-License-Identifier: BSD-3-Clause
//
// How many random updates of a distributed table are done in a second (GUPS: 1e9 of them)? The
// rules are those of bench/apps/gups.c: a table of 2^n words in blocks over the units, 4 updates
// for each word, or fewer; the same updates again undo them, which is the check.
//
//   dart_gups_get_put     a blocking get, xor, a blocking put, as in Zhou 2016 (6.5.3)
//   dart_gups_accumulate  dart_accumulate with DART_OP_BXOR, a flush behind each 1024
//
// Without atomics up to 1 % of the words may be wrong.
#define _GNU_SOURCE
#include "bench/dart/dart_measure.h"

#include "bench/gups_random.h"

enum { kInFlight = 1024 };

static int log_words;
static uint64_t words, words_of_unit;  // of the table; room in each unit
static uint64_t* first_word;           // of each unit
static dart_gptr_t table;
static uint64_t* mine;

static dart_gptr_t word_at(uint64_t index) {
    dart_gptr_t gptr = table;
    const int unit = (int)(index * (uint64_t)npes >> log_words);
    dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(unit));
    gptr.addr_or_offs.offset = (index - first_word[unit]) * sizeof(uint64_t);
    return gptr;
}

static uint64_t by_get_put(uint64_t random, long updates) {
    for (long i = 0; i < updates; ++i) {
        uint64_t value;
        random = next_random(random);
        const dart_gptr_t word = word_at(random & (words - 1));
        dart_get_blocking(&value, word, 1, DART_TYPE_ULONG, DART_TYPE_ULONG);
        value ^= random;
        dart_put_blocking(word, &value, 1, DART_TYPE_ULONG, DART_TYPE_ULONG);
    }
    return random;
}

static uint64_t by_accumulate(uint64_t random, long updates) {
    static uint64_t values[kInFlight];
    for (long i = 0; i < updates; ++i) {
        random = next_random(random);
        uint64_t* value = &values[i % kInFlight];
        *value = random;
        dart_accumulate(word_at(random & (words - 1)), value, 1, DART_TYPE_ULONG, DART_OP_BXOR);
        if (i % kInFlight == kInFlight - 1) dart_flush_all(table);
    }
    dart_flush_all(table);
    return random;
}

static void measure(const char* name, uint64_t (*update)(uint64_t, long), double wrong_most) {
    double gups[kSamplesMax];
    const int samples = level == TINY ? 1 : level != FULL ? 5 : 11;
    const long each = (long)(4 * words / (uint64_t)npes) / (level != FULL ? 16 : 4);
    const uint64_t begin = first_word[me], end = first_word[me + 1];
    for (uint64_t i = begin; i < end; ++i) mine[i - begin] = i;
    const uint64_t first = random_at((uint64_t)me * (uint64_t)each);
    for (int i = 0; i < samples; ++i) {
        meet();
        const double start = now_ns();
        update(first, each);
        gups[i] = (double)each * npes / greatest(now_ns() - start);
        meet();
        update(first, each);
    }
    meet();
    double wrong = 0, all = 0;
    for (uint64_t i = begin; i < end; ++i) wrong += mine[i - begin] != i;
    NEED(dart_allreduce(&wrong, &all, 1, DART_TYPE_DOUBLE, DART_OP_SUM, DART_TEAM_ALL));
    if (all > wrong_most * (double)words) give_up("the table is wrong");
    report(name, "words", (double)words, "GUPS", 0, gups, samples, 0);
}

int main(int argc, char** argv) {
    begin(argc, argv);
    log_words = level == TINY ? 12 : level != FULL ? 18 : 22;
    words = (uint64_t)1 << log_words;
    words_of_unit = words / (uint64_t)npes + 1;
    first_word = malloc(sizeof(uint64_t) * ((size_t)npes + 1));
    // The first index with index * npes >> log_words == unit.
    for (int unit = 0; unit <= npes; ++unit) {
        first_word[unit] = (((uint64_t)unit << log_words) + (uint64_t)npes - 1) / (uint64_t)npes;
    }
    table = allocate(words_of_unit * sizeof(uint64_t));
    mine = own_part(table);
    measure("dart_gups_accumulate", by_accumulate, 0);
    measure("dart_gups_get_put", by_get_put, 0.01);
    meet();
    NEED(dart_team_memfree(table));
    free(first_word);
    end();
    return 0;
}
