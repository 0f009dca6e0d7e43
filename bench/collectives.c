// SPDX-License-Identifier: BSD-3-Clause
//
// What do the team reduction (sum of double), broadcast, fcollect, alltoall and barrier take? Plain
// OpenSHMEM, for any library's oshcc; those of versions before 1.5 have no teams, and run the
// deprecated routines over all PEs. The rows are those of collectives_mpi.c.
#include <shmem.h>

#include "bench/collectives_rows.h"

static void meet(void) { shmem_barrier_all(); }

static long agree(long value) {
    static long plan;
    meet();
    for (int pe = 0; me == 0 && pe < npes; ++pe) shmem_long_p(&plan, value, pe);
    meet();
    return plan;
}

static void give_up(const char* why) {
    fprintf(stderr, "collectives: wrong result of %s\n", why);
    shmem_global_exit(1);
}

#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5

static void prepare(void) {}

static void call(enum row row, size_t count, int root) {
    const shmem_team_t all = SHMEM_TEAM_WORLD;
    switch (row) {
        case REDUCE: shmem_double_sum_reduce(all, dest, source, count); break;
        case BROADCAST: shmem_double_broadcast(all, dest, source, count, root); break;
        case FCOLLECT: shmem_double_fcollect(all, dest, source, count); break;
        case ALLTOALL: shmem_double_alltoall(all, dest, source, count); break;
        default: shmem_barrier_all();
    }
}

#else

// Several sets, used one after the other: a PE that is ahead must not use a set on which other PEs
// still wait.
enum {
    SETS = 8,
    SYNC_WORDS = SHMEM_REDUCE_SYNC_SIZE + SHMEM_COLLECT_SYNC_SIZE + SHMEM_BCAST_SYNC_SIZE +
                 SHMEM_ALLTOALL_SYNC_SIZE
};
static long sync_words[SETS][SYNC_WORDS];
static double* work[SETS];

static void prepare(void) {
    for (int set = 0; set < SETS; ++set) {
        for (int i = 0; i < SYNC_WORDS; ++i) sync_words[set][i] = SHMEM_SYNC_VALUE;
    }
    // Half the count, and at least the library's minimum; few sets for the longest vectors.
    const size_t bytes = array_bytes / 2 / 2 + SHMEM_REDUCE_MIN_WRKDATA_SIZE * sizeof(double);
    double* two[2] = {shmem_malloc(bytes), shmem_malloc(bytes)};
    if (!two[0] || !two[1]) give_up("shmem_malloc");
    for (int set = 0; set < SETS; ++set) work[set] = two[set % 2];
}

static void call(enum row row, size_t count, int root) {
    static int next;
    const int set = next++ % SETS;
    long* sync = sync_words[set];
    switch (row) {
        case REDUCE:
            shmem_double_sum_to_all(dest, source, (int)count, 0, 0, npes, work[set], sync);
            break;
        case BROADCAST: shmem_broadcast64(dest, source, count, root, 0, 0, npes, sync); break;
        case FCOLLECT: shmem_fcollect64(dest, source, count, 0, 0, npes, sync); break;
        case ALLTOALL: shmem_alltoall64(dest, source, count, 0, 0, npes, sync); break;
        default: shmem_barrier_all();
    }
}

#endif

int main(int argc, char** argv) {
    read_level(argc, argv);
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    source = shmem_align(4096, array_bytes);
    dest = shmem_align(4096, array_bytes);
    if (!source || !dest) give_up("shmem_align");
    prepare();
    shmem_barrier_all();
    measure_all();
    shmem_finalize();
    return 0;
}
