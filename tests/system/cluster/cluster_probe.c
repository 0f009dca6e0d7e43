// SPDX-License-Identifier: BSD-3-Clause
//
// A SHMEM program for the tests across hosts. cluster_probe TRICK:
//   where         every PE prints its host, who is in its SHMEM_TEAM_SHARED, whom shmem_ptr reaches
//   static        all PEs read, write and count in all PEs' static data
//   hold FILE     prints the address of memory that must not change, keeps busy until FILE exists,
//                 then checks that memory, and all that the PEs did to each other meanwhile
//   busy          is for ever in the middle of transfers, atomics, a lock and barriers
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kWords = 5000, kPes = 64 };

static long initialized[kWords] = {1, 2, 3};
static long zeroed[kWords];
static long count;
static long counts[kPes];
static long guarded[kWords];

static void check(int condition, const char* what) {
    if (condition) return;
    fprintf(stderr, "cluster_probe: pe %d: %s\n", shmem_my_pe(), what);
    shmem_global_exit(99);
}

static void print_list(const char* name, const int* pes, int length) {
    printf(" %s ", name);
    for (int i = 0; i < length; ++i) printf(i == 0 ? "%d" : ",%d", pes[i]);
}

static void say_where(void) {
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    int pes[kPes];
    int length = shmem_team_n_pes(SHMEM_TEAM_SHARED);
    for (int i = 0; i < length; ++i)
        pes[i] = shmem_team_translate_pe(SHMEM_TEAM_SHARED, i, SHMEM_TEAM_WORLD);
    long* word = shmem_malloc(sizeof *word);
    printf("pe %d host %s", shmem_my_pe(), host);
    print_list("team", pes, length);
    length = 0;
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        if (shmem_ptr(word, pe) != NULL) pes[length++] = pe;
    }
    print_list("mapped", pes, length);
    printf("\n");
    fflush(stdout);
}

// Each PE owns a slice of every PE's arrays.
static void use_static_data(void) {
    int me = shmem_my_pe();
    int npes = shmem_n_pes();
    static long own[kWords];
    int slice = kWords / npes;
    for (int i = 0; i < slice; ++i) own[i] = me * 100000 + i;
    check(initialized[2] == 3, "initialized data are gone");
    shmem_barrier_all();
    for (int pe = 0; pe < npes; ++pe) {
        shmem_long_put(zeroed + me * slice, own, slice, pe);
        shmem_long_iput(initialized + me * slice, own, 1, 1, slice, pe);
        for (int i = 0; i < 100; ++i) shmem_long_atomic_inc(&count, pe);
        check(shmem_long_atomic_fetch_add(&counts[me], 7, pe) == 0, "another PE counted here");
    }
    shmem_barrier_all();
    check(count == 100L * npes, "counts in static data are lost");
    static long got[kWords];
    for (int pe = 0; pe < npes; ++pe) {
        shmem_long_get(got, zeroed, kWords, pe);
        for (int i = 0; i < slice * npes; ++i)
            check(got[i] == i / slice * 100000 + i % slice, "static data hold something else");
        check(initialized[pe * slice] == pe * 100000, "static data hold something else (iput)");
        check(counts[pe] == 7, "a fetch-add is lost");
    }
    shmem_barrier_all();
    printf("pe %d static data are right\n", me);
}

static long pattern(int pe, int i) { return 0x5afe000000000000L + pe * 1000003L + i; }

static void fill(long* words) {
    for (int i = 0; i < kWords; ++i) words[i] = pattern(shmem_my_pe(), i);
}

static void check_untouched(const long* words, const char* what) {
    for (int i = 0; i < kWords; ++i) check(words[i] == pattern(shmem_my_pe(), i), what);
}

static void hold(const char* file) {
    int me = shmem_my_pe();
    int npes = shmem_n_pes();
    long* words = shmem_malloc(kWords * sizeof *words);
    check(words != NULL, "no memory");
    fill(words);
    fill(guarded);
    shmem_barrier_all();
    printf("pe %d pid %d heap %p static %p\n", me, (int)getpid(), (void*)words, (void*)guarded);
    fflush(stdout);
    long rounds = 0;
    while (access(file, F_OK) != 0) {
        shmem_long_atomic_inc(&counts[me], (me + 1) % npes);
        check(shmem_long_g(&words[3], (me + 1) % npes) == pattern((me + 1) % npes, 3), "bad get");
        ++rounds;
        usleep(1000);
    }
    check(shmem_long_atomic_fetch(&counts[me], (me + 1) % npes) == rounds, "counts are lost");
    // Pairs that have not met before connect now.
    for (int pe = 0; pe < npes; ++pe) shmem_long_atomic_inc(&count, pe);
    shmem_barrier_all();
    check(count == npes, "counts are lost");
    check_untouched(words, "the heap has been changed");
    check_untouched(guarded, "static data have been changed");
    printf("pe %d intact\n", me);
    fflush(stdout);
    shmem_barrier_all();
}

static void be_busy(void) {
    static long lock;
    int me = shmem_my_pe();
    int npes = shmem_n_pes();
    long* words = shmem_calloc(kWords, sizeof *words);
    long* copy = malloc(kWords * sizeof *copy);
    check(words != NULL && copy != NULL, "no memory");
    printf("pe %d pid %d\n", me, (int)getpid());
    fflush(stdout);
    for (long round = 0;; ++round) {
        int other = (int)((me + 1 + round) % npes);
        shmem_long_get(copy, words, kWords, other);
        shmem_long_put(words, copy, kWords, other);
        shmem_long_atomic_inc(&count, other);
        shmem_set_lock(&lock);
        shmem_clear_lock(&lock);
        shmem_barrier_all();
    }
}

int main(int argc, char** argv) {
    const char* trick = argc > 1 ? argv[1] : "";
    shmem_init();
    check(shmem_n_pes() <= kPes, "too many PEs");
    if (strcmp(trick, "where") == 0) say_where();
    if (strcmp(trick, "static") == 0) use_static_data();
    if (strcmp(trick, "hold") == 0 && argc > 2) hold(argv[2]);
    if (strcmp(trick, "busy") == 0) be_busy();
    shmem_finalize();
    return 0;
}
