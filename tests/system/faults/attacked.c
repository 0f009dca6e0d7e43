// SPDX-License-Identifier: BSD-3-Clause
//
// The job that strangers_test.py attacks: each PE tells its process, and goes on with transfers to
// all others whenever PE 0 reads a line.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kWords = 4096, kPes = 64 };

static long words[kPes * kWords];
static long copy[kWords];
static long arrived;

static long pattern(long round, int from, int i) { return round * 1000003 + from * 7919 + i; }

static void check(int condition, const char* what) {
    if (condition) return;
    fprintf(stderr, "attacked: pe %d: %s\n", shmem_my_pe(), what);
    shmem_global_exit(99);
}

static void check_round(long round) {
    int me = shmem_my_pe();
    int npes = shmem_n_pes();
    for (int pe = 0; pe < npes; ++pe) {
        for (int i = 0; i < kWords; ++i) copy[i] = pattern(round, me, i);
        shmem_long_put(&words[me * kWords], copy, kWords, pe);
        shmem_long_atomic_inc(&arrived, pe);
    }
    shmem_barrier_all();
    check(arrived == (round + 1) * npes, "atomics are lost");
    for (int pe = 0; pe < npes; ++pe) {
        for (int i = 0; i < kWords; ++i)
            check(words[pe * kWords + i] == pattern(round, pe, i), "wrong data");
        shmem_long_get(copy, &words[me * kWords], kWords, pe);
        for (int i = 0; i < kWords; ++i) check(copy[i] == pattern(round, me, i), "wrong get");
    }
    shmem_barrier_all();
}

// Whether PE 0 has read a line; tells the others through the barrier behind it.
static int is_to_go_on(void) {
    static int answer;
    if (shmem_my_pe() == 0) {
        answer = getchar() != EOF;
        for (int pe = 1; pe < shmem_n_pes(); ++pe) shmem_int_p(&answer, answer, pe);
    }
    shmem_barrier_all();
    int result = answer;
    shmem_barrier_all();
    return result;
}

int main(void) {
    shmem_init();
    printf("pe %d pid %d\n", shmem_my_pe(), (int)getpid());
    fflush(stdout);
    for (long round = 0; is_to_go_on(); ++round) check_round(round);
    printf("pe %d intact\n", shmem_my_pe());
    shmem_finalize();
    return 0;
}
