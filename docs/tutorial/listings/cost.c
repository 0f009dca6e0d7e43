// SPDX-License-Identifier: BSD-3-Clause
//
// Chapter 6: the cost of operations on PE 1 and on the last PE, in microseconds.
#include <shmem.h>
#include <stdio.h>
#include <time.h>

enum { kRepeats = 1000 };

static long word;

static double microseconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static void put(int pe) { shmem_long_p(&word, 1, pe); }
static void put_and_quiet(int pe) { shmem_long_p(&word, 1, pe), shmem_quiet(); }
static void get(int pe) { (void)shmem_long_g(&word, pe); }
static void fetch_add(int pe) { (void)shmem_long_atomic_fetch_add(&word, 1, pe); }

static double time_of(void (*operation)(int), int pe) {
    operation(pe);  // the first one may open a connection
    shmem_quiet();
    double start = microseconds();
    for (int i = 0; i < kRepeats; i++) operation(pe);
    shmem_quiet();
    return (microseconds() - start) / kRepeats;
}

int main(void) {
    shmem_init();
    int last = shmem_n_pes() - 1;
    if (shmem_my_pe() == 0) {
        printf("%-14s %8s %8s\n", "operation", "PE 1", "last PE");
        printf("%-14s %8.3f %8.3f\n", "put", time_of(put, 1), time_of(put, last));
        printf("%-14s %8.3f %8.3f\n", "put and quiet", time_of(put_and_quiet, 1),
               time_of(put_and_quiet, last));
        printf("%-14s %8.3f %8.3f\n", "get", time_of(get, 1), time_of(get, last));
        printf("%-14s %8.3f %8.3f\n", "fetch-and-add", time_of(fetch_add, 1),
               time_of(fetch_add, last));
    }
    shmem_finalize();
    return 0;
}
