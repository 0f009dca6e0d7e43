// SPDX-License-Identifier: BSD-3-Clause
//
// How many operations a second does a distributed hash table do whose parts are protected by locks?
// The benchmark of Ravichandrasekaran 2015, 5.3: each PE accesses and updates random entries; one
// PE at a time may change an entry. The table lies in groups of buckets over the PEs, each group
// with a lock (shmem_set_lock); an entry is found by linear probing in its group, by gets.
//
//   hash_insert, hash_update, hash_lookup   operations of all PEs in a second; x: locks per PE
//
// --keys N: at most so many keys; fewer where locks are slow, so that a run ends in time.
//
// Each PE inserts keys of its own, then all add to random keys of all, then look keys up. All PEs
// can tell from the random numbers what the counts must be: each lookup is checked, and at the end
// each PE checks that its part holds its keys, their counts, and nothing else.
#define _GNU_SOURCE
#include "bench/measure.h"

enum { kSamplesMax = 16 };

struct entry {
    uint64_t key;  // 0: free
    uint64_t count;
};

static long keys;            // on all PEs
static long groups;          // on each PE
static long slots;           // in each group
static struct entry* table;  // symmetric: groups * slots
static long* locks;          // symmetric: one for each group of each PE
static uint64_t* expected;   // private: the count of each key
static int is_trial;         // nothing is reported

// A bijection of 64-bit words that maps 0 to 0 and nothing else to it.
static uint64_t mix(uint64_t word) {
    word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
    return word ^ word >> 31;
}

static uint64_t key_of(long id) { return mix((uint64_t)id + 1); }

struct place {
    int pe;
    long group, slot;
};

static struct place place_of(uint64_t key) {
    uint64_t hash = mix(key ^ UINT64_C(0x9e3779b97f4a7c15));
    long bucket = (long)(hash % (uint64_t)(npes * groups));
    return (struct place){(int)(bucket / groups), bucket % groups, (long)(hash >> 40) % slots};
}

// The entry with the key, or the free one where it belongs. RETURNS: a symmetric address.
static struct entry* find(struct place at, uint64_t key, struct entry* found) {
    for (long i = 0; i < slots; ++i) {
        struct entry* entry = table + at.group * slots + (at.slot + i) % slots;
        shmem_getmem(found, entry, sizeof *found, at.pe);
        if (found->key == key || found->key == 0) return entry;
    }
    give_up("hash_table: a group of %ld slots is full", slots);
}

// Adds to the key's count; a new key begins with 0.
static void add(uint64_t key, uint64_t amount) {
    const struct place at = place_of(key);
    long* lock = locks + at.pe * groups + at.group;
    struct entry entry;
    shmem_set_lock(lock);
    struct entry* remote = find(at, key, &entry);
    entry.count = entry.key == key ? entry.count + amount : amount;
    entry.key = key;
    shmem_putmem(remote, &entry, sizeof entry, at.pe);
    shmem_quiet();
    shmem_clear_lock(lock);
}

static uint64_t look_up(uint64_t key) {
    const struct place at = place_of(key);
    long* lock = locks + at.pe * groups + at.group;
    struct entry entry;
    shmem_set_lock(lock);
    find(at, key, &entry);
    shmem_clear_lock(lock);
    return entry.key == key ? entry.count : 0;
}

// ---- The three phases: operation i of a PE depends on nothing but the two numbers. ----

static uint64_t random_of(int pe, long i) {
    return mix(mix((uint64_t)pe + 1) + (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15));
}

static long inserted_id(int pe, long i) { return i * npes + pe; }
static long updated_id(int pe, long i) { return (long)(random_of(pe, i) % (uint64_t)keys); }
static uint64_t updated_by(int pe, long i) { return 1 + (random_of(pe, i) >> 61); }
static long looked_up_id(int pe, long i) { return updated_id(pe, i + keys); }

static void insert(long i) { add(key_of(inserted_id(me, i)), 1); }
static void update(long i) { add(key_of(updated_id(me, i)), updated_by(me, i)); }
static void look_up_checked(long i) {
    const long id = looked_up_id(me, i);
    const uint64_t count = look_up(key_of(id));
    if (count == expected[id]) return;
    give_up("hash_table: lookup of key %ld: expected %llu, found %llu", id,
            (unsigned long long)expected[id], (unsigned long long)count);
}

// RETURNS: nanoseconds of all samples.
static double measure(const char* name, void (*operation)(long), long each, int samples) {
    double rates[kSamplesMax], all_ns = 0;
    for (int sample = 0; sample < samples; ++sample) {
        const long from = each * sample / samples, to = each * (sample + 1) / samples;
        shmem_barrier_all();
        double start = now_ns();
        for (long i = from; i < to; ++i) operation(i);
        shmem_barrier_all();
        const double taken_ns = now_ns() - start;
        rates[sample] = (double)(to - from) * npes / taken_ns * 1e9;
        all_ns += taken_ns;
    }
    if (is_trial) return all_ns;
    report(name, "locks_per_PE", (double)groups, "operations/s", 0, rates, samples, 0);
    return all_ns;
}

// This PE's part of the table holds its keys with their counts, and nothing else.
static void verify(void) {
    long mine = 0, used = 0;
    for (long id = 0; id < keys; ++id) {
        const uint64_t key = key_of(id);
        const struct place at = place_of(key);
        struct entry* group = table + at.group * slots;
        long i = 0;
        if (at.pe != me) continue;
        ++mine;
        while (i < slots && group[(at.slot + i) % slots].key != key) ++i;
        const uint64_t found = i < slots ? group[(at.slot + i) % slots].count : 0;
        if (found == expected[id]) continue;
        give_up("hash_table: key %ld: expected count %llu, found %llu", id,
                (unsigned long long)expected[id], (unsigned long long)found);
    }
    for (long i = 0; i < groups * slots; ++i) used += table[i].key != 0;
    if (used != mine) give_up("hash_table: expected %ld entries, found %ld", mine, used);
}

// RETURNS: nanoseconds of all three phases.
static double run(long groups_of_pe) {
    const long each = keys / npes;
    const int samples = by_level(2, 4, 10);
    groups = groups_of_pe;
    slots = 2 * (keys / npes / groups) + 32;
    table = allocate(64, sizeof *table * (size_t)(groups * slots));
    locks = allocate(64, sizeof *locks * (size_t)(groups * npes));
    for (long id = 0; id < keys; ++id) expected[id] = 1;
    for (int pe = 0; pe < npes; ++pe) {
        for (long i = 0; i < each; ++i) expected[updated_id(pe, i)] += updated_by(pe, i);
    }
    double all_ns = measure("hash_insert", insert, each, samples);
    all_ns += measure("hash_update", update, each, samples);
    all_ns += measure("hash_lookup", look_up_checked, each, samples);
    verify();
    shmem_barrier_all();
    shmem_free(locks);
    shmem_free(table);
    return all_ns;
}

// How many keys fit the time, at most `keys_max`.
static long fitting_keys(long keys_max) {
    const double bound_ns = by_level(20, 500, 5000) * 1e6;
    keys = 16 * npes < keys_max ? 16 * npes : keys_max;
    is_trial = 1;
    run(1);
    const double keys_ns = agree(run(1)) / (double)keys;
    is_trial = 0;
    return bound_ns / keys_ns < (double)keys_max ? (long)(bound_ns / keys_ns) : keys_max;
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    const long keys_max = option("--keys", by_level(1 << 9, 1 << 13, 1 << 16)) / npes * npes;
    const long many = option("--locks", 64);
    options_end("[--keys N] [--locks LOCKS_PER_PE]");
    if (keys_max < npes) give_up("hash_table: more PEs than keys");
    expected = malloc(sizeof *expected * (size_t)keys_max);
    const long fitting = fitting_keys(keys_max) / npes * npes;
    keys = fitting > 16 * npes ? fitting : 16 * npes;
    if (keys > keys_max) keys = keys_max;
    run(1);
    run(many);
    end();
    return 0;
}
