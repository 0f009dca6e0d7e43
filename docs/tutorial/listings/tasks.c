// SPDX-License-Identifier: BSD-3-Clause
//
// Chapter 4: PEs take tasks from a common bag. An atomic counter on PE 0 is the bag.
#include <shmem.h>
#include <stdio.h>

enum { kTasks = 1000 };

static int next_task;
static long total;

int main(void) {
    shmem_init();
    long my_sum = 0;
    for (;;) {
        int task = shmem_int_atomic_fetch_inc(&next_task, 0);  // a task that no other PE gets
        if (task >= kTasks) break;
        my_sum += task;  // the work
    }
    shmem_long_atomic_add(&total, my_sum, 0);
    shmem_barrier_all();
    if (shmem_my_pe() == 0) printf("%d tasks, sum %ld\n", kTasks, total);
    shmem_finalize();
    return 0;
}
