// SPDX-License-Identifier: BSD-3-Clause
//
// What grows with the number of PEs? All of it in one short run, which bench/run starts with 1 to
// 256 PEs (x and npes: PEs):
//
//   growth_init        ms from before shmem_init to behind its first barrier, a sample for each PE
//   growth_barrier     us of shmem_barrier_all
//   growth_allreduce   us of the sum of one long over all PEs
//   growth_allocation  us of shmem_malloc and shmem_free of 4 KiB
//   growth_team_split  us of making both halves of the world's team and giving them back
//   growth_private     KiB of private memory, a sample for each PE
//   growth_node        KiB of a PE's share of all memory on the node without the heaps
//
// Verified: sums, blocks, PE numbers in the halves.
#define _GNU_SOURCE
#include "bench/smaps.h"
#include "bench/team_split.h"

enum { kSamplesMax = 32, kSyncSets = 2 };

static long sync_words[kSyncSets][SHMEM_REDUCE_SYNC_SIZE];
static long work[kSyncSets][SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long one, sum;  // symmetric: static
static long reductions;

static void barrier(long repeats, size_t bytes) {
    (void)bytes;
    for (long i = 0; i < repeats; ++i) shmem_barrier_all();
}

static void allreduce(long repeats, size_t bytes) {
    (void)bytes;
    for (long i = 0; i < repeats; ++i) {
        const long set = reductions++ % kSyncSets;  // a set on which no PE still waits
        one = me + reductions;
        shmem_long_sum_to_all(&sum, &one, 1, 0, 0, npes, work[set], sync_words[set]);
        const long expected = (long)npes * (npes - 1) / 2 + npes * reductions;
        if (sum != expected) give_up("growth: expected the sum %ld, found %ld", expected, sum);
    }
}

static void allocation(long repeats, size_t bytes) {
    for (long i = 0; i < repeats; ++i) {
        void* block = shmem_malloc(bytes);
        if (!block) give_up("growth: no block of %zu bytes", bytes);
        *(long*)block = me;
        shmem_free(block);
    }
}

static void team_split(long repeats, size_t bytes) {
    (void)bytes;
    for (long i = 0; i < repeats; ++i) split_halves();
}

// Microseconds on PE 0 for one of `ours`, which all PEs call together.
static void measure(const char* name, Body ours, size_t bytes) {
    static double us[kSamplesMax];
    const int samples = by_level(2, 7, 21);
    const double wanted_ns = by_level(200, 5000, 20000) * 1e3;
    shmem_barrier_all();
    time_of(ours, 2, bytes);
    const double once_ns = agree(time_of(ours, 4, bytes));
    const long repeats = once_ns < wanted_ns ? (long)(wanted_ns / once_ns) + 1 : 1;
    for (int i = 0; i < samples; ++i) us[i] = time_of(ours, repeats, bytes) / 1e3;
    report(name, "PEs", npes, "us", 1, us, samples, 0);
}

// One sample for each PE. Collective.
static void report_all(const char* name, const char* unit, double* cells, double value) {
    shmem_barrier_all();
    shmem_double_p(cells + me, value, 0);
    shmem_barrier_all();
    report(name, "PEs", npes, unit, 1, cells, npes, 0);
}

int main(int argc, char** argv) {
    const double start = now_ns();
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    const double init_ns = now_ns() - start;
    options_end("");
    double* cells = allocate(64, sizeof *cells * (size_t)npes);
    for (int set = 0; set < kSyncSets; ++set) {
        for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; ++i) sync_words[set][i] = SHMEM_SYNC_VALUE;
    }
    shmem_barrier_all();
    report_all("growth_init", "ms", cells, init_ns / 1e6);
    measure("growth_barrier", barrier, 0);
    measure("growth_allreduce", allreduce, 0);
    measure("growth_allocation", allocation, 4096);
    if (kHasTeams) measure("growth_team_split", team_split, 0);
    void** heaps = malloc(sizeof *heaps * (size_t)npes);
    for (int pe = 0; pe < npes; ++pe) heaps[pe] = shmem_ptr(cells, pe);
    shmem_barrier_all();
    const struct memory memory = memory_in_use(heaps, npes);
    report_all("growth_private", "KiB", cells, memory.is_private / 1024);
    report_all("growth_node", "KiB", cells, memory.proportional / 1024);
    end();
    return 0;
}
