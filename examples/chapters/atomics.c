// SPDX-License-Identifier: BSD-3-Clause
//
// atomics: updates that cannot be torn apart (OpenSHMEM 1.6, 9.7).
//
//     oshcc atomics.c -o atomics
//     oshrun -n 4 ./atomics
//
// The PEs share a bag of tasks: a free PE takes the next number from a counter on PE 0. No task is
// lost or done twice, although no PE waits for another one.

#include <shmem.h>
#include <stdio.h>

// Ends the program if something is not as it must be.
static void require(int is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "atomics: wrong: %s on PE %d\n", what, shmem_my_pe());
    shmem_global_exit(1);
}

enum { kTasks = 1000 };

static int next_task, tasks_done, done_by[kTasks];
static long largest;
static unsigned int present;
static double price;

// The maximum has no routine of its own: try until no other PE's update came in between.
static void raise_to(long* dest, long value, int pe) {
    long seen = shmem_long_atomic_fetch(dest, pe);
    while (seen < value) {
        long found = shmem_long_atomic_compare_swap(dest, seen, value, pe);
        if (found == seen) break;
        seen = found;
    }
}

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), pe_count = shmem_n_pes();

    for (;;) {
        int task = shmem_int_atomic_fetch_inc(&next_task, 0);
        if (task >= kTasks) break;
        int before = shmem_int_atomic_swap(&done_by[task], me + 1, 0);
        require(before == 0, "a task is done twice");
        shmem_int_atomic_inc(&tasks_done, 0);
    }
    raise_to(&largest, 7 * me, 0);
    if (me < 32) shmem_uint_atomic_or(&present, 1u << me, 0);
    if (me == pe_count - 1) shmem_double_atomic_set(&price, 1.5, 0);
    shmem_barrier_all();

    if (me == 0) {
        require(tasks_done == kTasks && next_task == kTasks + pe_count, "the number of tasks");
        for (int i = 0; i < kTasks; i++) require(done_by[i] > 0, "a task is not done");
        require(largest == 7 * (pe_count - 1), "the largest number");
        require(present == (pe_count < 32 ? (1u << pe_count) - 1 : ~0u), "the bits");
        require(price == 1.5, "shmem_double_atomic_set");
    }
    shmem_barrier_all();

    // Nonblocking: the old value is there after shmem_quiet.
    long old = -1;
    shmem_atomic_fetch_add_nbi(&old, &largest, 1, 0);
    shmem_quiet();
    require(old >= 7 * (pe_count - 1) && old < 7 * (pe_count - 1) + pe_count, "the old value");

    shmem_barrier_all();
    if (me == 0) printf("atomics: right, %d tasks\n", kTasks);
    shmem_finalize();
    return 0;
}
