// SPDX-License-Identifier: BSD-3-Clause
//
// How many updates a second does the hash table of locked_table.f90 have in OpenSHMEM? The same
// table, keys and order of accesses; each PE's part has a mutex of the layer for runtimes, because
// a lock of shmem_set_lock is one for the whole job.
//
//     oshcc -O2 -I . bench/coarrays/locked_table_shmem.c -o locked_table_shmem
//     oshrun -n 4 ./locked_table_shmem [--quick]
#define _GNU_SOURCE
#include "bench/measure.h"
#include "shmemx.h"

enum { kRoundsMax = 7 };

static shmemx_mutex_t guard;    // symmetric: one instance for each PE
static int64_t *keys, *counts;  // symmetric
static int64_t total, mine;     // symmetric
static long updates, slots;

static void update(int64_t key) {
    const int pe = (int)(key % npes);
    long slot = key / npes * 31 % slots;
    int64_t found;
    shmemx_mutex_lock(&guard, pe);
    while ((found = shmem_int64_g(&keys[slot], pe)) != key && found != 0) slot = (slot + 1) % slots;
    if (found == 0) shmem_int64_p(&keys[slot], key, pe);
    shmem_int64_p(&counts[slot], shmem_int64_g(&counts[slot], pe) + 1, pe);
    shmemx_mutex_unlock(&guard, pe);  // Completes the puts.
}

static void update_all(void) {
    int64_t state = me + 1;
    for (long i = 0; i < updates; ++i) {
        state = state * 48271 % 2147483647;
        update(1 + state % (updates * npes));
    }
}

// RETURNS: updates of all PEs in a second, in millions.
static double measure(void) {
    memset(keys, 0, sizeof *keys * (size_t)slots);
    memset(counts, 0, sizeof *counts * (size_t)slots);
    shmem_barrier_all();
    const double start = now_ns();
    update_all();
    shmem_barrier_all();
    const double nanoseconds = now_ns() - start;
    mine = 0;
    for (long i = 0; i < slots; ++i) mine += counts[i];
    shmem_int64_sum_reduce(SHMEM_TEAM_WORLD, &total, &mine, 1);
    if (total != (int64_t)updates * npes) {
        give_up("locked_table_shmem: expected %ld updates, found %lld", updates * npes,
                (long long)total);
    }
    return (double)updates * npes / nanoseconds * 1e3;
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    options_end("");
    updates = by_level(20, 5000, 50000);
    const int rounds = by_level(1, 3, kRoundsMax);
    slots = 4 * updates;
    keys = shmem_malloc(sizeof *keys * (size_t)slots);
    counts = shmem_malloc(sizeof *counts * (size_t)slots);
    if (keys == NULL || counts == NULL) give_up("locked_table_shmem: no symmetric memory");
    double rates[kRoundsMax];
    for (int i = 0; i < rounds; ++i) rates[i] = measure();
    report("locked_updates", "images", npes, "M/s", 0, rates, rounds, 0);
    end();
    return 0;
}
