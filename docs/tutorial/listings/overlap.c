// SPDX-License-Identifier: BSD-3-Clause
//
// Chapter 3: the time of 64 puts that are completed one by one, and of 64 that are completed
// together. The output is the data of puts.svg.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kPuts = 64, kRounds = 5, kBytesMax = 1 << 16 };

static double microseconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

// The shortest time of a put among several rounds.
static double time_put(char* dest, const char* source, size_t bytes, int pe, int is_together) {
    double best = 1e30;
    for (int round = 0; round < kRounds; round++) {
        double start = microseconds();
        for (int i = 0; i < kPuts; i++) {
            shmem_putmem_nbi(dest, source, bytes, pe);
            if (!is_together) shmem_quiet();
        }
        shmem_quiet();
        double time = (microseconds() - start) / kPuts;
        if (time < best) best = time;
    }
    return best;
}

int main(void) {
    shmem_init();
    int last = shmem_n_pes() - 1;
    char* dest = shmem_malloc(kBytesMax);
    char* source = calloc(kBytesMax, 1);
    if (shmem_my_pe() == 0) {
        printf("%8s %12s %12s\n", "bytes", "one_by_one", "together");
        for (size_t bytes = 8; bytes <= kBytesMax; bytes *= 8) {
            printf("%8zu %12.2f %12.2f\n", bytes, time_put(dest, source, bytes, last, 0),
                   time_put(dest, source, bytes, last, 1));
        }
    }
    free(source);
    shmem_free(dest);
    shmem_finalize();
    return 0;
}
