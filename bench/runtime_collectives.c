// SPDX-License-Identifier: BSD-3-Clause
//
// Two questions about the collectives of the runtime layer (docs/measurements/runtime-layer.md):
//
//   runtime_collectives moves      are allgatherv and reduce_scatter as fast as the collectives of
//                                  the specification that do the same work? Ratios of medians, aim
//                                  1.15. The same from private memory, where a program has to copy
//                                  for the existing ones.
//   runtime_collectives overlap    how much of a nonblocking allreduce's time is left to a program?
//                                  The method of Sandia's SMB: availability = 1 - (time with work -
//                                  work) / time without work; the work grows until the whole takes
//                                  1.5 times as long. Aim 80 % at 1 MiB between nodes.
//
// moves: before each call each PE writes to each line of its source. Behind the call it reads each
// line of its result, as programs do. So the lines travel with every algorithm. The time that the
// same writes and reads take without a call, all in the PE's own cache, is subtracted.
// All sides of a row take turns in the same run. All PEs measure; PE 0 prints its medians.
#include <shmemx.h>

#include "bench/reports.h"

enum { kTurnsMax = 41 };

static char *source, *dest;                  // symmetric
static char *private_source, *private_dest;  // private memory of this PE
static size_t counts[1024], displs[1024];
static size_t block;  // bytes

// ---- Moves ----

static void fcollect(void) { shmem_fcollectmem(SHMEM_TEAM_WORLD, dest, source, block); }
static void collect(void) { shmem_collectmem(SHMEM_TEAM_WORLD, dest, source, block); }
static void allgatherv(void) {
    shmemx_allgatherv(SHMEM_TEAM_WORLD, dest, counts, displs, source, 1);
}
static void allgatherv_private(void) {
    shmemx_allgatherv(SHMEM_TEAM_WORLD, private_dest, counts, displs, private_source, 1);
}
static void sum_reduce(void) {
    shmem_double_sum_reduce(SHMEM_TEAM_WORLD, (double*)dest, (const double*)source,
                            block / sizeof(double) * (size_t)npes);
}
static void reduce_scatter(void) {
    shmemx_reduce_scatter(SHMEM_TEAM_WORLD, dest, source, block / sizeof(double),
                          SHMEMX_TYPE_DOUBLE, SHMEMX_OP_SUM);
}
// A program without the layer: private arrays pass through symmetric ones.
static void copied_fcollect(void) {
    memcpy(source, private_source, block);
    fcollect();
    memcpy(private_dest, dest, block * (size_t)npes);
}
static void copied_sum_reduce(void) {
    memcpy(source, private_source, block * (size_t)npes);
    sum_reduce();
    memcpy(private_dest, dest + (size_t)me * block, block);
}
static void reduce_scatter_private(void) {
    shmemx_reduce_scatter(SHMEM_TEAM_WORLD, private_dest, private_source, block / sizeof(double),
                          SHMEMX_TYPE_DOUBLE, SHMEMX_OP_SUM);
}
// The same work by two collectives of the specification: blocks to their owners, then sums there.
static void alltoall_and_sum(void) {
    shmem_alltoallmem(SHMEM_TEAM_WORLD, dest, source, block);
    double* sums = (double*)dest;
    for (int pe = 1; pe < npes; ++pe) {
        const double* theirs = (const double*)(dest + (size_t)pe * block);
        for (size_t i = 0; i < block / sizeof(double); ++i) sums[i] += theirs[i];
    }
}

static void copied_alltoall_and_sum(void) {
    memcpy(source, private_source, block * (size_t)npes);
    alltoall_and_sum();
    memcpy(private_dest, dest, block);
}

static void nothing(void) {}

// One side of a row, with the bytes that it reads and the part of the result that is this PE's.
struct way {
    void (*call)(void);
    char* source;
    size_t source_bytes;
    const char* result;
    size_t result_bytes;
};
static volatile char seen;

static double time_of(struct way way, int calls) {
    shmem_barrier_all();
    const double start = now_us();
    for (int i = 0; i < calls; ++i) {
        for (size_t at = 0; at < way.source_bytes; at += 64) *(double*)(way.source + at) = i;
        way.call();
        char sum = 0;
        for (size_t at = 0; at < way.result_bytes; at += 64) sum += way.result[at];
        seen = sum;
    }
    return (now_us() - start) / calls;
}

static double time_of_call(struct way way, int calls) {
    const double whole = time_of(way, calls);
    way.call = nothing;
    return whole - time_of(way, calls);
}

// The last of `count` ways is ours, the others are the existing ones.
static void row(const char* name, const struct way* ways, int count) {
    enum { kTurns = 15, kWaysMax = 3 };
    double times[kWaysMax][kTurns];
    const int calls = block <= 4096 ? 400 : block <= 65536 ? 50 : 8;
    for (int turn = 0; turn < kTurns; ++turn) {
        for (int i = 0; i < count; ++i) times[i][turn] = time_of_call(ways[i], calls);
    }
    if (me != 0) return;
    printf("%-24s %8zu", name, block);
    double best = 0, medians[kWaysMax];
    for (int i = 0; i < count; ++i) {
        medians[i] = median(times[i], kTurns);
        printf(" %10.2f", medians[i]);
        if (i < count - 1 && (i == 0 || medians[i] < best)) best = medians[i];
    }
    printf("   ratio %5.2f\n", medians[count - 1] / best);
    fflush(stdout);
}

static void allgatherv_rows(void) {
    const size_t all = block * (size_t)npes;
    for (int pe = 0; pe < npes; ++pe) {
        counts[pe] = block;
        displs[pe] = (size_t)pe * block;
    }
    const struct way ways[] = {{fcollect, source, block, dest, all},
                               {collect, source, block, dest, all},
                               {allgatherv, source, block, dest, all}};
    row("allgatherv", ways, 3);
    const struct way from_private[] = {
        {copied_fcollect, private_source, block, private_dest, all},
        {allgatherv_private, private_source, block, private_dest, all}};
    row("allgatherv private", from_private, 2);
}

static void reduce_scatter_rows(void) {
    const size_t all = block * (size_t)npes;
    const struct way ways[] = {{sum_reduce, source, all, dest + (size_t)me * block, block},
                               {alltoall_and_sum, source, all, dest, block},
                               {reduce_scatter, source, all, dest, block}};
    row("reduce_scatter", ways, 3);
    const struct way from_private[] = {
        {copied_sum_reduce, private_source, all, private_dest, block},
        {copied_alltoall_and_sum, private_source, all, private_dest, block},
        {reduce_scatter_private, private_source, all, private_dest, block}};
    row("reduce_scatter private", from_private, 3);
}

static void moves(size_t most) {
    if (me == 0) printf("microseconds: existing ones, ours\n");
    for (block = 8; block <= most; block *= 8) allgatherv_rows();
    for (block = 8; block <= most; block *= 8) reduce_scatter_rows();
}

// ---- Overlap ----

static volatile unsigned long sink;

static void work(long iterations) {
    unsigned long value = sink;
    for (long i = 0; i < iterations; ++i) {
        value = value * 1664525 + 1013904223;
        __asm__ volatile("" : "+r"(value));
    }
    sink = value;
}

static double time_of_allreduce(size_t bytes, long iterations, int calls) {
    shmem_barrier_all();
    const double start = now_us();
    for (int i = 0; i < calls; ++i) {
        shmemx_req_t request;
        shmemx_iallreduce(SHMEM_TEAM_WORLD, dest, source, bytes / sizeof(double),
                          SHMEMX_TYPE_DOUBLE, SHMEMX_OP_SUM, &request);
        work(iterations);
        shmemx_req_wait(&request, SHMEMX_REMOTE);
    }
    return (now_us() - start) / calls;
}

static double time_of_work(long iterations, int calls) {
    shmem_barrier_all();
    const double start = now_us();
    for (int i = 0; i < calls; ++i) work(iterations);
    return (now_us() - start) / calls;
}

static double median_of(double (*measure)(size_t, long, int), size_t bytes, long iterations) {
    double times[kTurnsMax];
    const int turns = 9;
    for (int turn = 0; turn < turns; ++turn) times[turn] = measure(bytes, iterations, 10);
    return median(times, turns);
}

static double work_only(size_t bytes, long iterations, int calls) {
    (void)bytes;
    return time_of_work(iterations, calls);
}

static void overlap(size_t most) {
    if (me == 0) {
        printf("%10s %12s %12s %12s %14s\n", "bytes", "base us", "work us", "both us",
               "availability");
    }
    for (size_t bytes = 16384; bytes <= most; bytes *= 4) {
        static long iterations;  // symmetric
        time_of_allreduce(bytes, 0, 3);
        const double base = median_of(time_of_allreduce, bytes, 0);
        // All PEs do the same work, which takes PE 0 1.5 times its base.
        if (me == 0) {
            const double per_iteration = time_of_work(1000000, 1) / 1e6;
            const long wanted = (long)(1.5 * base / per_iteration);
            for (int pe = 0; pe < npes; ++pe) shmem_long_p(&iterations, wanted, pe);
        } else {
            time_of_work(1000000, 1);
        }
        shmem_barrier_all();
        const double alone = median_of(work_only, bytes, iterations);
        const double both = median_of(time_of_allreduce, bytes, iterations);
        if (me != 0) continue;
        printf("%10zu %12.1f %12.1f %12.1f %13.1f%%\n", bytes, base, alone, both,
               100 * (1 - (both - alone) / base));
        fflush(stdout);
    }
}

int main(int argc, char** argv) {
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    const size_t most = argc > 2 ? strtoull(argv[2], NULL, 10) : (size_t)1 << 20;
    const size_t bytes = most * (size_t)npes;
    source = shmem_malloc(bytes);
    dest = shmem_malloc(bytes);
    private_source = malloc(bytes);
    private_dest = malloc(bytes);
    if (source == NULL || dest == NULL || private_source == NULL || private_dest == NULL ||
        npes > 1024) {
        fprintf(stderr, "no memory for %zu bytes on %d PEs\n", bytes, npes);
        shmem_global_exit(1);
    }
    memset(source, 0, bytes);
    memset(dest, 0, bytes);
    memset(private_source, 0, bytes);
    memset(private_dest, 0, bytes);
    if (argc > 1 && strcmp(argv[1], "overlap") == 0) {
        overlap(most);
    } else {
        moves(most);
    }
    free(private_source);
    free(private_dest);
    shmem_finalize();
    return 0;
}
