// SPDX-License-Identifier: BSD-3-Clause
//
// How long do atomics take, and how many do PEs make together? On one long:
//
//   atomic_*_latency  PE 0 on its partner's word; non-fetching ones with a quiet each
//   atomic_*_pairs    the rate of all pairs, each on a word of its own of its partner
//   atomic_*_shared   the rate of all PEs on one word of PE 0
//
// for fetch_add, swap, compare_swap (from the value last seen to the next) and add (in the rates a
// quiet at the end). The limit, by turns on the same words, is the processor's atomic through
// shmem_ptr. Each is verified before by results that any order of the operations must give.
#define _GNU_SOURCE
#include "bench/measure.h"
#include "bench/pairs.h"

enum { kSamplesMax = 64, kLineLongs = 16 };

static long* words;    // symmetric: one a line for each PE
static long* word;     // symmetric address of the word that this PE works on,
static int owner;      // the PE whose word it is,
static long* mapped;   // and where it is mapped here, or NULL
static long outcome;   // sum of the fetched values, or number of exchanges
static long verified;  // operations of each PE that are verified

static void fetch_add(long repeats, size_t bytes) {
    long *const to = word, sum = 0;
    const int pe = owner;
    (void)bytes;
    for (long i = 0; i < repeats; ++i) sum += shmem_long_atomic_fetch_add(to, 1, pe);
    outcome = sum;
}
static void fetch_add_limit(long repeats, size_t bytes) {
    long *const to = mapped, sum = 0;
    (void)bytes;
    for (long i = 0; i < repeats; ++i) sum += __atomic_fetch_add(to, 1, __ATOMIC_SEQ_CST);
    outcome = sum;
}

static void swap(long repeats, size_t bytes) {
    long *const to = word, sum = 0;
    const int pe = owner;
    (void)bytes;
    for (long i = 1; i <= repeats; ++i) sum += shmem_long_atomic_swap(to, i, pe);
    outcome = sum;
}
static void swap_limit(long repeats, size_t bytes) {
    long *const to = mapped, sum = 0;
    (void)bytes;
    for (long i = 1; i <= repeats; ++i) sum += __atomic_exchange_n(to, i, __ATOMIC_SEQ_CST);
    outcome = sum;
}

static void compare_swap(long repeats, size_t bytes) {
    long *const to = word, made = 0, expected = 0;
    const int pe = owner;
    (void)bytes;
    for (long i = 0; i < repeats; ++i) {
        const long seen = shmem_long_atomic_compare_swap(to, expected, expected + 1, pe);
        made += seen == expected;
        expected = seen == expected ? seen + 1 : seen;
    }
    outcome = made;
}
static void compare_swap_limit(long repeats, size_t bytes) {
    long *const to = mapped, made = 0, expected = 0;
    (void)bytes;
    for (long i = 0; i < repeats; ++i) {
        long seen = expected;
        __atomic_compare_exchange_n(to, &seen, expected + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        made += seen == expected;
        expected = seen == expected ? seen + 1 : seen;
    }
    outcome = made;
}

static void add(long repeats, size_t bytes) {
    (void)bytes;
    for (long i = 0; i < repeats; ++i) shmem_long_atomic_add(word, 1, owner);
    shmem_quiet();
}
static void add_quiet(long repeats, size_t bytes) {
    (void)bytes;
    for (long i = 0; i < repeats; ++i) {
        shmem_long_atomic_add(word, 1, owner);
        shmem_quiet();
    }
}
static void add_limit(long repeats, size_t bytes) {
    (void)bytes;
    for (long i = 0; i < repeats; ++i) __atomic_add_fetch(mapped, 1, __ATOMIC_SEQ_CST);
}

// ---- Verification: of `count` PEs on one word, which began as 0 ----

static void expect(const char* name, const char* what, double expected, double found) {
    if (expected == found) return;
    give_up("atomics: %s: %s: expected %.0f, found %.0f", name, what, expected, found);
}

static void check_fetch_add(const char* name, double count, double outcomes, double final) {
    const double all = count * (double)verified;
    expect(name, "the word at the end", all, final);
    expect(name, "the sum of what was fetched", all * (all - 1) / 2, outcomes);
}
static void check_swap(const char* name, double count, double outcomes, double final) {
    expect(name, "what was fetched and the word at the end",
           count * (double)verified * ((double)verified + 1) / 2, outcomes + final);
}
static void check_compare_swap(const char* name, double count, double outcomes, double final) {
    expect(name, "the word at the end against the exchanges made", outcomes, final);
    if (count == 1) expect(name, "exchanges made", (double)verified, outcomes);
}
static void check_add(const char* name, double count, double outcomes, double final) {
    (void)outcomes;
    expect(name, "the word at the end", count * (double)verified, final);
}

struct row {
    const char* name;
    Body ours, latency, limit;  // `latency` is `ours` with a quiet each
    void (*check)(const char* name, double count, double outcomes, double final);
};
static const struct row kRows[] = {
    {"fetch_add", fetch_add, fetch_add, fetch_add_limit, check_fetch_add},
    {"swap", swap, swap, swap_limit, check_swap},
    {"compare_swap", compare_swap, compare_swap, compare_swap_limit, check_compare_swap},
    {"add", add, add_quiet, add_limit, check_add}};

static void verify(const struct row* row, Body body, enum ways ways) {
    memset(words, 0, sizeof(long) * kLineLongs * (size_t)npes);
    outcome = 0;
    shmem_barrier_all();
    if (takes_part(me, ways)) body(verified, sizeof(long));
    const double outcomes =
        ways == ALL_PES ? fold_all((double)outcome, SUM_OF_ALL) : (double)outcome;
    shmem_barrier_all();
    if (takes_part(me, ways)) {
        row->check(row->name, ways == ALL_PES ? npes : 1, outcomes,
                   (double)shmem_long_atomic_fetch(word, owner));
    }
    shmem_barrier_all();
}

// ---- Measuring ----

// Each PE works on word `index` of `pe`. RETURNS: whether the limit can be measured. Collective.
static int choose_word(int index, int pe) {
    word = words + index * kLineLongs;
    owner = pe;
    mapped = shmem_ptr(word, pe);
    return have_pointers(mapped);
}

static void measure_latency(const struct row* row, int has_limit) {
    static double ours_ns[kSamplesMax], limit_ns[kSamplesMax];
    const int samples = by_level(2, 11, 31);
    char name[64];
    verify(row, row->latency, ONE_WAY);
    double limit = alone_by_turns(row->latency, has_limit ? row->limit : NULL, sizeof(long),
                                  by_level(20, 500, 1000) * 1e3, samples, ours_ns, limit_ns);
    snprintf(name, sizeof name, "atomic_%s_latency", row->name);
    report(name, "bytes", sizeof(long), "ns", 1, ours_ns, samples, limit);
}

static void measure_rate(const struct row* row, const char* kind, enum ways ways, int has_limit) {
    static double ours[kSamplesMax], limit[kSamplesMax];
    const int samples = by_level(2, 9, 31);
    char name[64];
    verify(row, row->ours, ways);
    const double sample_ns = by_level(20, 1000, 4000) * 1e3;
    const long repeats = ways == ALL_PES
                             ? repeats_together(row->ours, sizeof(long), ways, sample_ns)
                             : repeats_of_pairs(row->ours, sizeof(long), sample_ns);
    pairs_by_turns(row->ours, has_limit ? row->limit : NULL, repeats, sizeof(long), ways, samples,
                   ours, limit);
    for (int i = 0; i < samples; ++i) {
        ours[i] = count_taking_part(ways) * 1e3 / ours[i];
        limit[i] = count_taking_part(ways) * 1e3 / limit[i];
    }
    snprintf(name, sizeof name, "atomic_%s_%s", row->name, kind);
    report(name, "bytes", sizeof(long), "Mops/s", 0, ours, samples,
           has_limit ? median(limit, samples) : 0);
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    options_end("");
    find_pairs();
    verified = by_level(100, 1000, 1000);
    words = allocate(128, sizeof(long) * kLineLongs * (size_t)npes);
    const int rows = sizeof kRows / sizeof *kRows;
    int has_limit = choose_word(me, partner);
    for (int i = 0; i < rows; ++i) measure_latency(&kRows[i], has_limit);
    for (int i = 0; i < rows; ++i) measure_rate(&kRows[i], "pairs", ONE_WAY, has_limit);
    has_limit = choose_word(0, 0);
    for (int i = 0; i < rows; ++i) measure_rate(&kRows[i], "shared", ALL_PES, has_limit);
    end();
    return 0;
}
