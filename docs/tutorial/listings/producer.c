// SPDX-License-Identifier: BSD-3-Clause
//
// Chapter 3: data and then a flag. The fence keeps them in this order.
#include <shmem.h>
#include <stdio.h>

enum { kCount = 1000 };

static long data[kCount];
static int flag;

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), last = shmem_n_pes() - 1;
    if (me == 0) {
        long numbers[kCount];
        for (int i = 0; i < kCount; i++) numbers[i] = i;
        shmem_long_put(data, numbers, kCount, last);
        shmem_fence();  // what follows arrives after the data
        shmem_int_atomic_set(&flag, 1, last);
    }
    if (me == last) {
        shmem_int_wait_until(&flag, SHMEM_CMP_EQ, 1);
        long sum = 0;
        for (int i = 0; i < kCount; i++) sum += data[i];
        printf("PE %d: the sum is %ld\n", me, sum);
    }
    shmem_finalize();
    return 0;
}
