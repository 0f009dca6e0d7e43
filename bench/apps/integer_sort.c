// SPDX-License-Identifier: BSD-3-Clause
//
// How fast are integers ranked when every PE has keys for every other one? A bucket sort that
// follows the specification of the NAS Parallel Benchmarks' IS (NASA RNR-94-007): its keys (sums of
// four numbers of its generator), its classes S, W and A, ten rankings of which each changes two
// keys first, and its five test ranks after each. Written from the specification; it is not the
// official code, and its numbers are no NPB results.
//
// One ranking: count the keys of each bucket, add the counts of all PEs (all-reduce), give each PE
// a run of buckets with about as many keys as every other, tell each PE how many keys come from
// each PE, send them (one non-blocking put for each pair of PEs), and count each key's value.
//
// Verified: the specification's test ranks in every ranking; after the last one, outside the time,
// that the keys written in the order of their ranks rise over all PEs and are the first ones: their
// number, sum and a sum of their hashes.
#define _GNU_SOURCE
#include "bench/measure.h"

enum { kBuckets = 1024, kRankings = 10, kTests = 5, kSamplesMax = 64, kPesMax = 1024 };

// The ranks are those before the first ranking. Each ranking moves them by one: the first two or
// three up, the others down.
struct Class {
    const char* name;
    int log2_keys, log2_values, first_down;
    long test_index[kTests], test_rank[kTests];
};

static const struct Class kClasses[] = {
    {"S", 16, 11, 3, {48427, 17148, 23627, 62548, 4431}, {0, 18, 346, 64917, 65463}},
    {"W",
     20,
     16,
     2,
     {357773, 934767, 875723, 898999, 404505},
     {1247, 11696, 1039987, 1043896, 1048018}},
    {"A",
     23,
     19,
     3,
     {2112377, 662041, 5336171, 3642833, 4250760},
     {103, 17522, 123927, 8288933, 8388265}},
};

static const struct Class* class;
static long total, values;       // keys, and the values they may have
static long first_key, my_keys;  // range of this PE
static int shift;                // from a key to its bucket
static int* keys;
static int* grouped;          // keys in the order of their buckets
static int* received;         // symmetric: the keys of this PE's buckets
static long capacity;         // length of received
static long* from;            // symmetric: [pe][target] = how many keys go from pe to target
static int *counts, *totals;  // symmetric: keys of each bucket, here and on all PEs
static long* highest;         // symmetric: this PE's highest key
static long* test_key;        // symmetric: the keys at the test indices
static long* rank_of;         // rank_of[v - first_value]: keys below v, on all PEs
static int first_bucket[kPesMax + 1];
static long first_value, value_count, below, received_count;
static int reduce_work[kBuckets / 2 + 1 + SHMEM_REDUCE_MIN_WRKDATA_SIZE];  // symmetric
static long reduce_sync[2][SHMEM_REDUCE_SYNC_SIZE];

// ---- The specification's keys ----

static const uint64_t kMask46 = ((uint64_t)1 << 46) - 1;
static const uint64_t kFactor = 1220703125;  // 5^13

static uint64_t power_of_factor(uint64_t exponent) {
    uint64_t result = 1, square = kFactor;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) result = result * square & kMask46;
        square = square * square & kMask46;
    }
    return result;
}

// Numbers of the sequence x' = 5^13 x mod 2^46, four for each key, from where this PE's begin.
static void make_keys(void) {
    uint64_t x = 314159265 * power_of_factor(4 * (uint64_t)first_key) & kMask46;
    for (long i = 0; i < my_keys; ++i) {
        double sum = 0;
        for (int k = 0; k < 4; ++k) {
            x = x * kFactor & kMask46;
            sum += (double)x * 0x1p-46;
        }
        keys[i] = (int)((double)(values / 4) * sum);
    }
}

static long first_key_of(int pe) { return total * pe / npes; }

static void set_key(long index, int value) {
    if (index >= first_key && index < first_key + my_keys) keys[index - first_key] = value;
}

// Tells all PEs the keys whose ranks are tested; the rankings do not change them.
static void spread_test_keys(void) {
    for (int i = 0; i < kTests; ++i) {
        long index = class->test_index[i] - first_key;
        if (index < 0 || index >= my_keys) continue;
        for (int pe = 0; pe < npes; ++pe) shmem_long_p(&test_key[i], keys[index], pe);
    }
    shmem_barrier_all();
}

// ---- One ranking ----

// Which PE sorts which buckets: the first bucket at or behind an even share begins a new PE.
static void share_out_buckets(void) {
    long sum = 0;
    int pe = 0;
    first_bucket[0] = 0;
    below = 0;
    received_count = 0;
    for (int bucket = 0; bucket < kBuckets; ++bucket) {
        while (pe + 1 < npes && sum >= total * (pe + 1) / npes) first_bucket[++pe] = bucket;
        if (pe < me) below += totals[bucket];
        if (pe == me) received_count += totals[bucket];
        sum += totals[bucket];
    }
    while (pe < npes) first_bucket[++pe] = kBuckets;
    if (received_count > capacity)
        give_up("integer sort: %ld keys for this PE, room for %ld", received_count, capacity);
}

static void group_keys(void) {
    long next[kBuckets];
    long sum = 0;
    for (int bucket = 0; bucket < kBuckets; ++bucket) {
        next[bucket] = sum;
        sum += counts[bucket];
    }
    for (long i = 0; i < my_keys; ++i) grouped[next[keys[i] >> shift]++] = keys[i];
}

// `from` is complete on all PEs after the barrier; each PE then knows where its keys go.
static void exchange_keys(void) {
    long start[kPesMax + 1], sent[kPesMax];
    start[0] = 0;
    for (int pe = 0; pe < npes; ++pe) {
        sent[pe] = 0;
        for (int b = first_bucket[pe]; b < first_bucket[pe + 1]; ++b) sent[pe] += counts[b];
        start[pe + 1] = start[pe] + sent[pe];
    }
    for (int i = 0; i < npes; ++i) {
        int pe = (me + i) % npes;
        shmem_putmem_nbi(from + (long)me * npes, sent, sizeof(long) * (size_t)npes, pe);
    }
    group_keys();
    shmem_barrier_all();
    for (int i = 0; i < npes; ++i) {
        int pe = (me + i) % npes;
        long offset = 0;
        for (int other = 0; other < me; ++other) offset += from[(long)other * npes + pe];
        if (sent[pe] == 0) continue;
        shmem_putmem_nbi(received + offset, grouped + start[pe], sizeof(int) * (size_t)sent[pe],
                         pe);
    }
    shmem_barrier_all();
}

static void rank_received(void) {
    first_value = (long)first_bucket[me] << shift;
    value_count = ((long)first_bucket[me + 1] << shift) - first_value;
    memset(rank_of, 0, sizeof(long) * (size_t)(value_count + 1));
    for (long i = 0; i < received_count; ++i) ++rank_of[received[i] - first_value + 1];
    rank_of[0] = below;
    for (long v = 1; v <= value_count; ++v) rank_of[v] += rank_of[v - 1];
}

static void check_ranks(int ranking) {
    for (int i = 0; i < kTests; ++i) {
        long key = test_key[i];
        if (key < first_value || key >= first_value + value_count) continue;
        long expected = class->test_rank[i] + (i < class->first_down ? ranking : -ranking);
        long found = rank_of[key - first_value];
        if (found == expected) continue;
        give_up("integer sort class %s, ranking %d: key %ld at %ld: expected rank %ld, found %ld",
                class->name, ranking, key, class->test_index[i], expected, found);
    }
}

// From 1 to kRankings.
static void rank_keys(int ranking) {
    set_key(ranking, ranking);
    set_key(ranking + kRankings, (int)values - ranking);
    memset(counts, 0, sizeof(int) * kBuckets);
    for (long i = 0; i < my_keys; ++i) ++counts[keys[i] >> shift];
    shmem_int_sum_to_all(totals, counts, kBuckets, 0, 0, npes, reduce_work,
                         reduce_sync[ranking % 2]);
    share_out_buckets();
    exchange_keys();
    rank_received();
    check_ranks(ranking);
}

// ---- The full verification ----

struct Sums {
    double count, sum, hashes;  // exact: below 2^53
};

static struct Sums sums_of(const int* some, long count) {
    struct Sums sums = {(double)count, 0, 0};
    for (long i = 0; i < count; ++i) {
        uint32_t hash = ((uint32_t)some[i] + 1) * 0x9E3779B9u;
        hash = (hash ^ (hash >> 15)) * 0x85EBCA6Bu;
        sums.sum += some[i];
        sums.hashes += (double)(hash >> 8);
    }
    sums.count = fold_all(sums.count, SUM_OF_ALL);
    sums.sum = fold_all(sums.sum, SUM_OF_ALL);
    sums.hashes = fold_all(sums.hashes, SUM_OF_ALL);
    return sums;
}

// No PE before this one has a key above this one's lowest.
static void check_borders(const int* sorted) {
    *highest = received_count > 0 ? sorted[received_count - 1] : -1;
    shmem_barrier_all();
    for (int pe = 0; pe < me && received_count > 0; ++pe) {
        long other = shmem_long_g(highest, pe);
        if (other <= sorted[0]) continue;
        give_up("integer sort: PE %d has key %ld, before this PE's %d", pe, other, sorted[0]);
    }
}

static void check_sorted(void) {
    int* sorted = malloc(sizeof(int) * (size_t)(received_count + 1));
    long* next = malloc(sizeof(long) * (size_t)(value_count + 1));
    if (!sorted || !next) give_up("no memory for the sorted keys");
    memcpy(next, rank_of, sizeof(long) * (size_t)value_count);
    for (long i = 0; i < received_count; ++i) {
        long at = next[received[i] - first_value]++ - below;
        if (at < 0 || at >= received_count) give_up("integer sort: a rank beyond this PE's keys");
        sorted[at] = received[i];
    }
    for (long i = 1; i < received_count; ++i) {
        if (sorted[i - 1] <= sorted[i]) continue;
        give_up("integer sort: keys %ld and %ld: %d before %d", below + i - 1, below + i,
                sorted[i - 1], sorted[i]);
    }
    check_borders(sorted);
    struct Sums before = sums_of(keys, my_keys), after = sums_of(sorted, received_count);
    if (before.count != after.count || before.sum != after.sum || before.hashes != after.hashes) {
        give_up(
            "integer sort: keys were lost or changed: %.0f keys, sum %.0f, hash %.0f; then "
            "%.0f keys, sum %.0f, hash %.0f",
            before.count, before.sum, before.hashes, after.count, after.sum, after.hashes);
    }
    free(sorted);
    free(next);
}

// ---- Measuring ----

// Nanoseconds of the slowest PE.
static double sort(void) {
    make_keys();
    spread_test_keys();
    rank_keys(1);  // warms up, as the specification has it
    shmem_barrier_all();
    double start = now_ns();
    for (int ranking = 1; ranking <= kRankings; ++ranking) rank_keys(ranking);
    double taken = fold_all(now_ns() - start, MAX_OF_ALL);
    check_sorted();
    return taken;
}

static void measure(int samples) {
    double rate[kSamplesMax];
    // A sample of a small class must outlast the system's time slices.
    int times = level == TINY || total >> 21 ? 1 : (int)((1 << 21) / total);
    for (int i = 0; i < samples; ++i) {
        double taken = 0;
        for (int time = 0; time < times; ++time) taken += sort();
        rate[i] = (double)total * kRankings * times * 1e3 / taken;
    }
    report("integer_sort", "keys", (double)total, "Mkeys/s", 0, rate, samples, 0);
}

static void measure_class(const struct Class* wanted, int samples) {
    class = wanted;
    total = 1L << class->log2_keys;
    values = 1L << class->log2_values;
    shift = class->log2_values - 10;
    first_key = first_key_of(me);
    my_keys = first_key_of(me + 1) - first_key;
    capacity = total / npes + total / 128;  // a bucket has at most 0.3 % of the keys
    received = allocate(64, sizeof(int) * (size_t)capacity);
    keys = malloc(sizeof(int) * (size_t)(my_keys + 1));
    grouped = malloc(sizeof(int) * (size_t)(my_keys + 1));
    rank_of = malloc(sizeof(long) * (size_t)(values + 1));
    if (!keys || !grouped || !rank_of) give_up("no memory for the keys");
    measure(samples);
    free(keys);
    free(grouped);
    free(rank_of);
    shmem_barrier_all();
    shmem_free(received);
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    const char* name = option_text("--class", NULL);
    options_end("[--class S|W|A]");
    if (npes > kPesMax / 4) give_up("integer sort: %d PEs, at most %d", npes, kPesMax / 4);
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; ++i)
        reduce_sync[0][i] = reduce_sync[1][i] = SHMEM_SYNC_VALUE;
    from = allocate(64, sizeof(long) * (size_t)npes * (size_t)npes);
    counts = allocate(64, sizeof(int) * kBuckets);
    totals = allocate(64, sizeof(int) * kBuckets);
    test_key = allocate(64, sizeof(long) * kTests);
    highest = allocate(64, 64);
    int is_known = !name;
    for (int i = 0; i < 3; ++i) {
        int is_wanted = name ? strcmp(name, kClasses[i].name) == 0 : i <= by_level(0, 1, 2);
        if (is_wanted) measure_class(&kClasses[i], by_level(1, 9, 15));
        is_known |= is_wanted;
    }
    if (!is_known) give_up("--class takes S, W or A");
    end();
    return 0;
}
