// SPDX-License-Identifier: BSD-3-Clause
//
// How many random updates of a distributed table are done in a second (GUPS: 1e9 of them)? The
// rules of HPCC RandomAccess: a table of 2^n 64-bit words, word i begins as i, in blocks over the
// PEs; 4 updates for each word, table[r mod 2^n] ^= r for the elements r of HPCC's sequence, each
// PE beginning at its own place of it; at most 1024 updates of a PE in flight; fewer updates where
// the time is bounded. The same updates are made again by atomics: they must undo the first ones,
// in all but 1 % of the words where updates were not atomic, in all words where they were.
//
//   gups_get_put         shmem_g, xor, shmem_p, as the OpenSHMEM code of Zhou 2016 (6.5.3)
//   gups_atomic          shmem_atomic_xor
//   gups_session         the same on a context, in a session that lets the library hold updates
//                        back (OpenSHMEM 1.6, 9.9), as many as may be in flight
//   gups_pointer         load, xor and store through shmem_ptr: the limit of gups_get_put
//   gups_pointer_atomic  the processor's atomic through shmem_ptr: the limit of both
//
// --log-words N: the table's size. gups_threads.c is the same loop by threads on one array.
#define _GNU_SOURCE
#include "bench/gups_random.h"
#include "bench/measure.h"
#include "bench/newer.h"

enum { kInFlight = 1024, kSamplesMax = 32 };

static int log_words;
static uint64_t words;            // length of the whole table, 2^log_words
static unsigned long* table;      // symmetric: this PE's block
static uint64_t* first;           // where each PE's block begins in the whole table
static unsigned long** pointers;  // each PE's block as mapped here, NULL if one of them is not

// Where a word is: copied to each loop, so that the compiler keeps it in registers.
struct layout {
    uint64_t mask, npes;
    int log_words;
    const uint64_t* first;
};

static inline struct layout layout(void) {
    return (struct layout){words - 1, (uint64_t)npes, log_words, first};
}

static inline int owner_of(struct layout at, uint64_t index) {
    return (int)(index * at.npes >> at.log_words);
}

// Makes `updates` updates behind `random`. RETURNS: the element to go on from.
typedef uint64_t (*Updater)(uint64_t random, long updates);

static uint64_t by_get_put(uint64_t random, long updates) {
    const struct layout at = layout();
    unsigned long* const block = table;
    for (long i = 1; i <= updates; ++i) {
        random = next_random(random);
        const uint64_t index = random & at.mask;
        const int pe = owner_of(at, index);
        unsigned long* word = block + (index - at.first[pe]);
        shmem_ulong_p(word, shmem_ulong_g(word, pe) ^ random, pe);
        if (i % kInFlight == 0) shmem_quiet();
    }
    return random;
}

static uint64_t by_atomic(uint64_t random, long updates) {
    const struct layout at = layout();
    unsigned long* const block = table;
    for (long i = 1; i <= updates; ++i) {
        random = next_random(random);
        const uint64_t index = random & at.mask;
        const int pe = owner_of(at, index);
        shmem_ulong_atomic_xor(block + (index - at.first[pe]), random, pe);
        if (i % kInFlight == 0) shmem_quiet();
    }
    return random;
}

static uint64_t by_session(uint64_t random, long updates) {
    const struct layout at = layout();
    unsigned long* const block = table;
    shmem_ctx_t ctx;
    if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) != 0) give_up("no context");
    start_batch(ctx);
    for (long i = 1; i <= updates; ++i) {
        random = next_random(random);
        const uint64_t index = random & at.mask;
        const int pe = owner_of(at, index);
        shmem_ctx_ulong_atomic_xor(ctx, block + (index - at.first[pe]), random, pe);
        if (i % kInFlight == 0) shmem_ctx_quiet(ctx);
    }
    stop_batch(ctx);
    shmem_ctx_destroy(ctx);
    return random;
}

static uint64_t by_pointer(uint64_t random, long updates) {
    const struct layout at = layout();
    unsigned long* const* const blocks = pointers;
    for (long i = 1; i <= updates; ++i) {
        random = next_random(random);
        const uint64_t index = random & at.mask;
        const int pe = owner_of(at, index);
        blocks[pe][index - at.first[pe]] ^= random;
    }
    return random;
}

static uint64_t by_pointer_atomic(uint64_t random, long updates) {
    const struct layout at = layout();
    unsigned long* const* const blocks = pointers;
    for (long i = 1; i <= updates; ++i) {
        random = next_random(random);
        const uint64_t index = random & at.mask;
        const int pe = owner_of(at, index);
        __atomic_fetch_xor(blocks[pe] + (index - at.first[pe]), random, __ATOMIC_RELAXED);
    }
    return random;
}

// ---- Measuring ----

static uint64_t my_words(void) { return first[me + 1] - first[me]; }

static void fill_table(void) {
    for (uint64_t i = 0; i < my_words(); ++i) table[i] = first[me] + i;
    shmem_barrier_all();
}

// Nanoseconds until all PEs have done their `updates`; *random moves on.
static double time_of_updates(Updater update, uint64_t* random, long updates) {
    shmem_barrier_all();
    double start = now_ns();
    *random = update(*random, updates);
    shmem_barrier_all();
    return now_ns() - start;
}

// Updates of one PE for one sample: all that the rules ask for, or as many as fit the time.
static long updates_of_sample(Updater update, int samples) {
    const long all = (long)(4 * words / (uint64_t)npes / (uint64_t)samples) + 1;
    const double bound_ns = by_level(10, 400, 3000) * 1e6 / samples;
    uint64_t random = random_at((uint64_t)(me + 1) << 40);
    long updates = kInFlight / 8;
    time_of_updates(update, &random, updates);
    while (updates < all && agree(time_of_updates(update, &random, updates)) < bound_ns / 8)
        updates *= 2;
    double taken_ns = agree(time_of_updates(update, &random, updates));
    double fitting = (double)updates * bound_ns / taken_ns;
    return fitting < (double)all ? (long)fitting + 1 : all;
}

// Undoes the updates and counts the words that do not have their first value again.
static void verify(const char* name, uint64_t start, long updates, double share_allowed) {
    by_atomic(start, updates);
    shmem_barrier_all();
    uint64_t wrong = 0, sample = 0;
    for (uint64_t i = 0; i < my_words(); ++i) {
        if (table[i] == first[me] + i) continue;
        ++wrong;
        sample = i;
    }
    if (fold_all((double)wrong, SUM_OF_ALL) <= share_allowed * (double)words) return;
    if (wrong == 0) return;  // another PE has wrong words
    give_up("%s: %llu words are wrong, among them %llu: expected %llx, found %lx", name,
            (unsigned long long)wrong, (unsigned long long)(first[me] + sample),
            (unsigned long long)(first[me] + sample), table[sample]);
}

// Updates by the library and by the pointer, by turns, each on stretches of the sequence of its
// own. limit_name: NULL: another call reports the limit.
static void measure(const char* name, Updater ours, const char* limit_name, Updater limit,
                    double share_allowed) {
    static double ours_gups[kSamplesMax], limit_gups[kSamplesMax];
    const int samples = by_level(2, 8, 16);
    const long updates = updates_of_sample(ours, samples);
    const int turns = pointers ? 2 : 1;
    const uint64_t start =
        random_at((uint64_t)me * (uint64_t)(samples * turns) * (uint64_t)updates);
    const double all_updates = (double)updates * npes;
    uint64_t random = start;
    fill_table();
    for (int i = 0; i < samples; ++i) {
        ours_gups[i] = all_updates / time_of_updates(ours, &random, updates);
        if (pointers) limit_gups[i] = all_updates / time_of_updates(limit, &random, updates);
    }
    verify(name, start, samples * turns * updates, share_allowed);
    report(name, "words", (double)words, "GUPS", 0, ours_gups, samples,
           pointers ? median(limit_gups, samples) : 0);
    if (pointers && limit_name)
        report(limit_name, "words", (double)words, "GUPS", 0, limit_gups, samples, 0);
}

static void make_table(void) {
    words = UINT64_C(1) << log_words;
    first = malloc(sizeof *first * (size_t)(npes + 1));
    pointers = malloc(sizeof *pointers * (size_t)npes);
    for (int pe = 0; pe <= npes; ++pe) {  // the first index whose owner_of is pe
        first[pe] = (((uint64_t)pe << log_words) + (uint64_t)npes - 1) / (uint64_t)npes;
    }
    table = allocate(64, (words / (uint64_t)npes + 1) * sizeof *table);
    int has_pointers = 1;
    for (int pe = 0; pe < npes; ++pe) {
        pointers[pe] = shmem_ptr(table, pe);
        if (!pointers[pe]) has_pointers = 0;
    }
    if (fold_all(has_pointers, MIN_OF_ALL) == 0) pointers = NULL;  // the same on all PEs
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    log_words = (int)option("--log-words", by_level(18, 22, 24));
    options_end("[--log-words N]");
    make_table();
    measure("gups_get_put", by_get_put, "gups_pointer", by_pointer, 0.01);
    measure("gups_atomic", by_atomic, "gups_pointer_atomic", by_pointer_atomic, 0);
    if (kHasSessions) measure("gups_session", by_session, NULL, by_pointer_atomic, 0);
    end();
    return 0;
}
