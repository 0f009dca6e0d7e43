// SPDX-License-Identifier: BSD-3-Clause
//
// A program for helpers_lives_test.py, which forces helpers. The argument names the case:
//   sessions   init, transfers that are checked, finalize; three times
//   leave      ends without a word while transfers are under way
//   busy       PE 0 says "ready"; then transfers for ever
#include <sched.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kBytes = 1 << 20, kPieces = 64, kSessions = 3 };

static char* source;
static char* dest;
static int* arrived;
static int me, other;

static void begin(void) {
    shmem_init();
    me = shmem_my_pe();
    other = (me + 1) % shmem_n_pes();
    source = shmem_malloc(kBytes);
    dest = shmem_malloc(kBytes);
    arrived = shmem_calloc(1, sizeof *arrived);
    if (source == NULL || dest == NULL || arrived == NULL) shmem_global_exit(2);
}

// Without a barrier: the next program of a PE that is first out of it would start it anew, while
// others still wait there. Each PE looks at its own memory only.
static void wait_until_all_are_here(void) {
    for (int pe = 0; pe < shmem_n_pes(); ++pe) shmem_int_atomic_inc(arrived, pe);
    while (shmem_int_atomic_fetch(arrived, me) < shmem_n_pes()) sched_yield();
}

static void put_pieces(void) {
    const size_t bytes = kBytes / kPieces;
    for (int i = 0; i < kPieces; ++i)
        shmem_putmem_nbi(dest + (size_t)i * bytes, source + (size_t)i * bytes, bytes, other);
}

static void sessions(void) {
    for (int session = 0; session < kSessions; ++session) {
        begin();
        memset(source, me + session + 1, kBytes);
        memset(dest, 0, kBytes);
        shmem_barrier_all();
        put_pieces();
        shmem_barrier_all();
        const int from = (me + shmem_n_pes() - 1) % shmem_n_pes();
        for (size_t i = 0; i < kBytes; ++i) {
            if (dest[i] != (char)(from + session + 1)) shmem_global_exit(3);
        }
        shmem_finalize();
    }
}

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    if (strcmp(argv[1], "sessions") == 0) {
        sessions();
        return 0;
    }
    begin();
    if (strcmp(argv[1], "leave") == 0) {
        memset(source, 'x', kBytes);
        shmem_barrier_all();
        put_pieces();
        wait_until_all_are_here();
        _exit(0);
    }
    for (int round = 0;; ++round) {
        put_pieces();
        shmem_barrier_all();
        if (round == 10 && me == 0) {
            printf("ready\n");
            fflush(stdout);
        }
    }
}
