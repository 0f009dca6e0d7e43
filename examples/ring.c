// SPDX-License-Identifier: BSD-3-Clause
//
// ring: a message travels around all PEs, and every PE adds something to it.
//
//     oshcc ring.c -o ring
//     oshrun -n 4 ./ring [ROUNDS]
//
// It shows put-with-signal: one call that stores data in another PE's memory and then, when the
// data is there, changes a signal word beside it. The receiver waits for the signal and may use the
// data at once. No other PE has to wait: there is not one barrier in the loop.

#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct message {
    uint64_t hops;  // how many PEs have handled the message
    uint64_t sum;   // the sum of their numbers
};

int main(int argc, char** argv) {
    // Static variables are symmetric: the left neighbour may store into these.
    static struct message inbox;
    static uint64_t rounds_arrived;

    shmem_init();
    int me = shmem_my_pe();
    int pe_count = shmem_n_pes();
    int right = (me + 1) % pe_count;
    long round_count = argc > 1 ? atol(argv[1]) : 1000;

    for (long round = 1; round <= round_count; round++) {
        struct message message = {0, 0};
        // PE 0 starts each round with the message of the last one; the others wait for it first.
        if (me != 0) shmem_signal_wait_until(&rounds_arrived, SHMEM_CMP_GE, (uint64_t)round);
        if (me != 0 || round > 1) message = inbox;
        message.hops++;
        message.sum += (uint64_t)me;
        shmem_putmem_signal(&inbox, &message, sizeof message, &rounds_arrived, 1, SHMEM_SIGNAL_ADD,
                            right);
        // The round ends when the message is back at PE 0.
        if (me == 0) shmem_signal_wait_until(&rounds_arrived, SHMEM_CMP_GE, (uint64_t)round);
    }

    int is_right = 1;
    if (me == 0 && round_count > 0) {
        uint64_t n = (uint64_t)pe_count, rounds = (uint64_t)round_count;
        is_right = inbox.hops == rounds * n && inbox.sum == rounds * (n * (n - 1) / 2);
        printf("%lu hops around %d PEs, sum of the PE numbers %lu: %s\n", (unsigned long)inbox.hops,
               pe_count, (unsigned long)inbox.sum, is_right ? "right" : "WRONG");
    }
    shmem_finalize();
    return is_right ? 0 : 1;
}
