// SPDX-License-Identifier: BSD-3-Clause
//
// A SHMEM program that is always in the middle of something, for kills.py: transfers,
// atomics, a lock, barriers and a line of output, over and over until it is killed.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

enum { kWords = 4096 };

static long lock;
static long counter;

int main(void) {
    shmem_init();
    int me = shmem_my_pe();
    int npes = shmem_n_pes();
    long* words = shmem_calloc(kWords, sizeof *words);
    long* other_words = shmem_calloc(kWords, sizeof *words);
    long* copy = malloc(kWords * sizeof *copy);
    if (words == NULL || other_words == NULL || copy == NULL) shmem_global_exit(2);
    for (long round = 0;; ++round) {
        int other = (int)((me + 1 + round) % npes);
        shmem_long_get(copy, words, kWords, other);
        shmem_long_put(words, copy, kWords, other);
        shmem_long_put_nbi(other_words, words, kWords, other);
        shmem_long_atomic_inc(&counter, other);
        shmem_set_lock(&lock);
        shmem_clear_lock(&lock);
        if (round % 50 == me) {
            printf("pe %d round %ld\n", me, round);
            fflush(stdout);
        }
        shmem_barrier_all();
    }
}
