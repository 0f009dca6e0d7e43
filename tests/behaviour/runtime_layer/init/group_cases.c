// SPDX-License-Identifier: BSD-3-Clause
//
// A PE of a group that no launcher has started; group_test.py starts the processes and compares
// their ends. usage: group_cases CASE PE NPES ID, ID in hexadecimal digits, or "make": PE 0 makes
// it and prints it. Cases:
//   work       puts, atomics, static data, allreduce, a team; then finalizes
//   twice      init_uid counts like shmem_init; then work
//   fatal      the last PE puts to a PE that does not exist; the others wait in a barrier
//   die        the last PE kills itself; the others wait
//   global     the last PE calls shmem_global_exit(7); the others wait
//   exit       no PE finalizes
//   count, number, taken, id, level    wrong arguments
#define _GNU_SOURCE
#include <shmemx.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long slots[64];  // static data is symmetric in a group as well
static long mine, sum;

static void print_id(const shmemx_uniqueid_t* id) {
    for (size_t i = 0; i < sizeof id->bytes; ++i) printf("%02x", id->bytes[i]);
    printf("\n");
    fflush(stdout);
}

static shmemx_uniqueid_t parse_id(const char* text) {
    shmemx_uniqueid_t id = {{0}};
    for (size_t i = 0; i < sizeof id.bytes && strlen(text) >= 2 * i + 2; ++i) {
        unsigned byte = 0;
        sscanf(text + 2 * i, "%2x", &byte);
        id.bytes[i] = (unsigned char)byte;
    }
    return id;
}

static void fail(const char* what) {
    fprintf(stderr, "group_cases: PE %d: %s\n", shmem_my_pe(), what);
    shmem_global_exit(9);
}

static void work(void) {
    const int me = shmem_my_pe();
    const int npes = shmem_n_pes();
    long* heap = shmem_calloc(64, sizeof *heap);
    for (int pe = 0; pe < npes; ++pe) {
        shmem_long_p(&slots[me], me + 1, pe);
        shmem_long_atomic_add(heap, me + 1, pe);
    }
    shmem_barrier_all();
    for (int pe = 0; pe < npes; ++pe) {
        if (slots[pe] != pe + 1) fail("static data of a put");
    }
    if (*heap != (long)npes * (npes + 1) / 2) fail("atomics");
    mine = me + 1;
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &mine, 1);
    if (sum != *heap) fail("reduction");
    shmem_team_t team = SHMEM_TEAM_INVALID;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, npes - 1, -1, npes, NULL, 0, &team);
    if (shmem_team_my_pe(team) != npes - 1 - me) fail("team");
    shmem_team_destroy(team);
    shmem_free(heap);
}

int main(int argc, char** argv) {
    if (argc != 5) return 2;
    const char* name = argv[1];
    int pe = atoi(argv[2]);
    int npes = atoi(argv[3]);
    const int is_last = pe == npes - 1;
    shmemx_uniqueid_t id;
    if (strcmp(argv[4], "make") == 0) {
        shmemx_get_uniqueid(&id);
        print_id(&id);
    } else {
        id = parse_id(argv[4]);
    }
    if (strcmp(name, "id") == 0) memset(&id, 1, sizeof id);
    if (strcmp(name, "count") == 0 && is_last) ++npes;
    if (strcmp(name, "number") == 0) pe = npes;
    if (strcmp(name, "taken") == 0 && is_last) pe = 0;
    int provided = -1;
    const int level = strcmp(name, "level") == 0 ? 17 : SHMEM_THREAD_FUNNELED;
    shmemx_init_uid(&id, pe, npes, level, &provided);
    if (provided != SHMEM_THREAD_FUNNELED) fail("provided");
    if (shmem_my_pe() != pe || shmem_n_pes() != npes) fail("numbers");
    if (shmemx_query_interoperability(SHMEMX_MPI_RANKS_ARE_PES) != 0) fail("ranks");
    work();
    if (strcmp(name, "twice") == 0) {
        shmemx_init_uid(&id, pe, npes, level, NULL);
        shmem_finalize();
        work();
    }
    if (is_last && strcmp(name, "fatal") == 0) shmem_long_p(slots, 1, npes);
    if (is_last && strcmp(name, "die") == 0) raise(SIGKILL);
    if (is_last && strcmp(name, "global") == 0) shmem_global_exit(7);
    if (strcmp(name, "exit") == 0) exit(0);
    shmem_barrier_all();
    shmem_finalize();
    if (pe == 0) printf("done\n");
    return 0;
}
