// SPDX-License-Identifier: BSD-3-Clause
//
// The part of windows.f90 that uses windows (shmemx/windows.h). PE i is image i + 1.
#include <shmemx.h>
#include <stdio.h>

static shmemx_window_t window;

void open_window(long* words, int count);
void exchange(long* words, long value);
void close_window(void);

void open_window(long* words, int count) {
    if (shmemx_window_create(SHMEM_TEAM_WORLD, words, (size_t)count * sizeof *words, &window) != 0)
        fprintf(stderr, "no window\n");
}

// An epoch in which each PE puts to the first word of the next one.
void exchange(long* words, long value) {
    const int npes = shmem_n_pes();
    const int target = (shmem_my_pe() + 1) % npes;
    const int origin = (shmem_my_pe() + npes - 1) % npes;
    shmemx_epoch_t exposure;
    shmemx_epoch_t access;
    shmemx_window_post(window, &origin, 1, 0, &exposure);
    shmemx_window_start(window, &target, 1, 0, &access);
    shmemx_epoch_put(access, words, &value, sizeof value, target);
    shmemx_epoch_complete(&access);
    shmemx_epoch_wait(&exposure);
}

void close_window(void) { shmemx_window_destroy(&window); }
