// SPDX-License-Identifier: BSD-3-Clause
//
// rma: putting to and getting from the memory of another PE (OpenSHMEM 1.6, 9.6).
//
//     oshcc rma.c -o rma
//     oshrun -n 4 ./rma
//
// The other PE takes no part in it. A put returns when its source may be reused, and has arrived
// after the next shmem_quiet or barrier; a get returns with the data. Nonblocking routines return
// at once.

#include <shmem.h>
#include <stdio.h>

// Ends the program if something is not as it must be.
static void require(int is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "rma: wrong: %s on PE %d\n", what, shmem_my_pe());
    shmem_global_exit(1);
}

enum { kCount = 100 };

static int box[kCount];
static double values[kCount], fetched[kCount];

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), pe_count = shmem_n_pes();
    int right = (me + 1) % pe_count, left = (me + pe_count - 1) % pe_count;

    // Local data may be anywhere, also on the stack.
    int message[kCount];
    for (int i = 0; i < kCount; i++) message[i] = me * kCount + i;
    shmem_int_put(box, message, kCount, right);
    message[0] = -1;  // The put has read it.
    shmem_barrier_all();
    for (int i = 0; i < kCount; i++) require(box[i] == left * kCount + i, "shmem_int_put");

    // By type, by size, by bytes. In C11 one name does for all types.
    for (int i = 0; i < kCount; i++) values[i] = me + i / 1000.0;
    shmem_barrier_all();
    shmem_get(fetched, values, kCount / 2, right);
    shmem_get64(&fetched[50], &values[50], 25, right);
    shmem_getmem(&fetched[75], &values[75], 25 * sizeof(double), right);
    for (int i = 0; i < kCount; i++) require(fetched[i] == right + i / 1000.0, "shmem_get");

    // Single values.
    static long single;
    shmem_long_p(&single, me + 1, right);
    shmem_barrier_all();
    require(single == left + 1, "shmem_long_p");
    require(shmem_long_g(&single, right) == me + 1, "shmem_long_g");
    shmem_barrier_all();

    // Two transfers at the same time, complete after shmem_quiet. Nothing orders them before it.
    static int sent[kCount], received[kCount];
    shmem_int_put_nbi(sent, box, kCount, right);
    shmem_int_get_nbi(received, box, kCount, right);
    shmem_quiet();
    for (int i = 0; i < kCount; i++) require(received[i] == me * kCount + i, "shmem_int_get_nbi");
    shmem_barrier_all();
    int left_of_left = (left + pe_count - 1) % pe_count;
    for (int i = 0; i < kCount; i++)
        require(sent[i] == left_of_left * kCount + i, "shmem_int_put_nbi");

    if (me == 0) printf("rma: right\n");
    shmem_finalize();
    return 0;
}
