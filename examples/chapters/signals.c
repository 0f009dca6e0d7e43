// SPDX-License-Identifier: BSD-3-Clause
//
// signals: data and its notification in one call (OpenSHMEM 1.6, 9.8).
//
//     oshcc signals.c -o signals
//     oshrun -n 4 ./signals
//
// Every PE sends a message to every other one. The signal, which arrives after the data, counts
// them, so that a PE knows when all are there without any barrier.

#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Ends the program if something is not as it must be.
static void require(int is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "signals: wrong: %s on PE %d\n", what, shmem_my_pe());
    shmem_global_exit(1);
}

enum { kCount = 50 };

static uint64_t arrived, token;

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), pe_count = shmem_n_pes(), right = (me + 1) % pe_count;
    int* inbox = shmem_malloc((size_t)pe_count * kCount * sizeof *inbox);
    int* message = malloc(kCount * sizeof *message);
    require(inbox != NULL && message != NULL, "memory");
    for (int i = 0; i < kCount; i++) message[i] = me * kCount + i;

    for (int i = 0; i < pe_count; i++) {
        int pe = (me + i) % pe_count;  // Not all to PE 0 first.
        int* room = &inbox[me * kCount];
        if (i % 2 == 0) {
            shmem_int_put_signal(room, message, kCount, &arrived, 1, SHMEM_SIGNAL_ADD, pe);
        } else {
            shmem_int_put_signal_nbi(room, message, kCount, &arrived, 1, SHMEM_SIGNAL_ADD, pe);
        }
    }
    shmem_signal_wait_until(&arrived, SHMEM_CMP_EQ, (uint64_t)pe_count);
    for (int i = 0; i < pe_count * kCount; i++) require(inbox[i] == i, "a message");
    shmem_quiet();  // The nonblocking ones have read the message.
    free(message);

    // Signals without data: a token goes around the ring, and every PE adds 1 to it.
    if (me == 0) shmem_signal_set(&token, 1, right);
    shmem_signal_wait_until(&token, SHMEM_CMP_NE, 0);
    uint64_t value = shmem_signal_fetch(&token);
    if (me != 0) {
        require(value == (uint64_t)me, "the token");
        shmem_signal_add(&token, value + 1, right);
    } else {
        require(value == (uint64_t)pe_count, "the token after its way around");
    }

    shmem_free(inbox);
    if (me == 0) printf("signals: right\n");
    shmem_finalize();
    return 0;
}
