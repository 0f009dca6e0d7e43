// SPDX-License-Identifier: BSD-3-Clause
//
// ordering: the order in which puts arrive (OpenSHMEM 1.6, 9.12).
//
//     oshcc ordering.c -o ordering
//     oshrun -n 4 ./ordering
//
// Without these routines nothing orders two operations. shmem_fence keeps the order towards each
// PE; shmem_quiet waits until all have arrived, so it also orders towards different PEs.

#include <shmem.h>
#include <stdio.h>

// Ends the program if something is not as it must be.
static void require(int is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "ordering: wrong: %s on PE %d\n", what, shmem_my_pe());
    shmem_global_exit(1);
}

enum { kCount = 100, kRounds = 20 };

static long data[kCount];
static int data_round, seen_round, relay;

// The data of a round, then its number: the fence keeps the two in this order.
static void send_in_order(int right, int left) {
    for (int round = 1; round <= kRounds; round++) {
        long message[kCount];
        for (int i = 0; i < kCount; i++) message[i] = round * 1000 + i;
        shmem_long_put(data, message, kCount, right);
        shmem_fence();
        shmem_int_atomic_set(&data_round, round, right);

        shmem_int_wait_until(&data_round, SHMEM_CMP_EQ, round);
        for (int i = 0; i < kCount; i++)
            require(data[i] == round * 1000 + i, "data behind its flag");
        shmem_int_atomic_set(&seen_round, round,
                             left);  // The left neighbour may send the next one.
        shmem_int_wait_until(&seen_round, SHMEM_CMP_EQ, round);
    }
}

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), pe_count = shmem_n_pes();
    int right = (me + 1) % pe_count, left = (me + pe_count - 1) % pe_count;
    send_in_order(right, left);
    shmem_barrier_all();

    // PE 0 puts to the last PE, and tells PE 1. A fence would not do: these are two PEs.
    int last = pe_count - 1, told = 1 % pe_count;
    static long value;
    if (me == 0) {
        long number = 42;
        shmem_long_put_nbi(&value, &number, 1, last);
        shmem_quiet();  // The put has arrived, as all PEs see it.
        shmem_int_atomic_set(&relay, 1, told);
    }
    if (me == told) {
        shmem_int_wait_until(&relay, SHMEM_CMP_EQ, 1);
        require(shmem_long_g(&value, last) == 42, "shmem_quiet");
    }
    shmem_barrier_all();

    // shmem_pe_quiet waits for the operations towards some PEs only.
    static int from_left, from_right;
    shmem_int_p(&from_left, me + 1, right);
    shmem_int_p(&from_right, me + 1, left);
    shmem_pe_quiet(&right, 1);
    require(shmem_int_g(&from_left, right) == me + 1, "shmem_pe_quiet");
    shmem_barrier_all();
    require(from_right == right + 1, "what was not waited for");

    if (me == 0) printf("ordering: right\n");
    shmem_finalize();
    return 0;
}
