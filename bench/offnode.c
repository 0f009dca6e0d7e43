// SPDX-License-Identifier: BSD-3-Clause
//
// How close are operations between nodes to the limits of the network's provider? A program in
// plain OpenSHMEM 1.5, for any library's oshcc, run with 2 PEs on different nodes: PE 0 measures,
// PE 1 is the target. raw_fabric.c prints the same rows for the bare provider.
//
// The target either stays in calls of the library (shmem_test), or (--passive) sleeps in a system
// call outside of the library.
#define _GNU_SOURCE
#include "bench/measure.h"
#include "bench/offnode_rows.h"

enum {
    kRow = 1000,  // elements of a strided put
    kStride = 2,
};

static char* block;  // symmetric, kBlocks MiB
static char* local;  // the same in private memory
static long* word;   // symmetric, in a cache line of its own
static long* stop;   // symmetric

// ---- Operations ----

static void put_8(long repeats) {
    for (long i = 0; i < repeats; ++i) {
        shmem_long_p(word, i, 1);
        shmem_quiet();
    }
}

static long sum;  // keeps results alive

static void get_8(long repeats) {
    for (long i = 0; i < repeats; ++i) sum += shmem_long_g(word, 1);
}

static void fetch_add(long repeats) {
    for (long i = 0; i < repeats; ++i) sum += shmem_long_atomic_fetch_add(word, 1, 1);
}

static void put_8_stream(long repeats) {
    for (long i = 0; i < repeats; ++i) shmem_long_p(word, i, 1);
    shmem_quiet();
}

static void atomic_stream(long repeats) {
    for (long i = 0; i < repeats; ++i) shmem_long_atomic_add(word, 1, 1);
    shmem_quiet();
}

static void put_strided(long repeats) {
    for (long i = 0; i < repeats; ++i)
        shmem_long_iput((long*)(void*)block, (long*)(void*)local, kStride, kStride, kRow, 1);
    shmem_quiet();
}

static void put_block(long repeats) {
    for (long i = 0; i < repeats; ++i) {
        size_t at = (size_t)(i % kBlocks) * MIB;
        shmem_putmem_nbi(block + at, local + at, MIB, 1);
    }
    shmem_quiet();
}

static void get_block(long repeats) {
    for (long i = 0; i < repeats; ++i) {
        size_t at = (size_t)(i % kBlocks) * MIB;
        shmem_getmem_nbi(local + at, block + at, MIB, 1);
    }
    shmem_quiet();
}

static void measure(void) {
    get_8(1);  // connects
    report_latency("put_8", put_8);
    report_latency("get_8", get_8);
    report_latency("fetch_add", fetch_add);
    const double single = report_rate("put_8_rate", put_8_stream, kRateRepeats, 1, 0);
    report_rate("add_rate", atomic_stream, 10L * kRateRepeats, 1, 0);
    report_rate("strided_rate", put_strided, kRateRepeats / kRow, kRow, single);
    report_rate("put_1m", put_block, kBlockRepeats, (double)MIB, 0);
    report_rate("get_1m", get_block, kBlockRepeats, (double)MIB, 0);
}

// The target's part.
static void serve(int is_passive) {
    while (is_passive && *(volatile long*)stop == 0) usleep(2000);
    while (!shmem_long_test(stop, SHMEM_CMP_NE, 0)) continue;
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    const int is_passive = has_option("--passive");
    options_end("[--passive]");
    if (npes != 2) give_up("offnode: run it with 2 PEs");
    block = allocate(4096, kBlocks * MIB);
    word = allocate(64, 64);
    stop = allocate(64, 64);
    local = aligned_alloc(4096, kBlocks * MIB);
    if (!local) give_up("no memory");
    if (shmem_ptr(word, 1 - me)) give_up("offnode: both PEs are on one node");
    memset(block, 1, kBlocks * MIB);
    memset(local, 2, kBlocks * MIB);
    shmem_barrier_all();
    if (me == 0) {
        measure();
        shmem_long_p(stop, 1, 1);
    } else {
        serve(is_passive);
    }
    end();
    return 0;
}
