// SPDX-License-Identifier: BSD-3-Clause
//
// Chapter 4: heat in a rod. Neighbours exchange the ends of their parts by put-with-signal.
// heat STEPS prints the temperatures after so many steps: the data of heat.svg.
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kCells = 48 };  // of the whole rod, a multiple of the number of PEs

// [0] of the left and [1] of the right neighbour; [0] of even and [1] of odd steps.
static double halo[2][2];
static uint64_t arrived[2][2];

static void send(double value, int side, int step, int pe) {
    int place = step % 2;
    shmem_double_put_signal(&halo[side][place], &value, 1, &arrived[side][place],
                            (uint64_t)step + 1, SHMEM_SIGNAL_SET, pe);
}

static double receive(int side, int step) {
    int place = step % 2;
    shmem_signal_wait_until(&arrived[side][place], SHMEM_CMP_EQ, (uint64_t)step + 1);
    return halo[side][place];
}

int main(int argc, char** argv) {
    shmem_init();
    int step_count = argc > 1 ? atoi(argv[1]) : 400;
    int me = shmem_my_pe(), pe_count = shmem_n_pes(), count = kCells / pe_count;
    static double heat[kCells + 2], next[kCells + 2];  // cells 1 to count are this PE's
    for (int i = 1; i <= count; i++) heat[i] = me * count + i <= kCells / 4 ? 100 : 0;

    for (int step = 0; step < step_count; step++) {
        if (me > 0) send(heat[1], 1, step, me - 1);
        if (me < pe_count - 1) send(heat[count], 0, step, me + 1);
        heat[0] = me > 0 ? receive(0, step) : heat[1];
        heat[count + 1] = me < pe_count - 1 ? receive(1, step) : heat[count];
        for (int i = 1; i <= count; i++)
            next[i] = heat[i] + 0.4 * (heat[i - 1] - 2 * heat[i] + heat[i + 1]);
        for (int i = 1; i <= count; i++) heat[i] = next[i];
    }
    shmem_barrier_all();
    for (int cell = 0; me == 0 && cell < kCells; cell++)
        printf("%d %.3f\n", cell, shmem_double_g(&heat[1 + cell % count], cell / count));
    shmem_finalize();
    return 0;
}
