/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stops.py preloads this library. SIGUSR2 has a handler here, so that each arrival interrupts a
 * system call, and moves the clock of the day by up to a day. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_long jump_seconds;

static void jump(int number) {
    (void)number;
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    jump_seconds = now.tv_nsec % (2 * 86400) - 86400;
}

__attribute__((constructor)) static void listen_for_jumps(void) {
    struct sigaction action = {.sa_handler = jump}; /* without SA_RESTART */
    sigaction(SIGUSR2, &action, NULL);
}

int clock_gettime(clockid_t clock, struct timespec* time) {
    const int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += jump_seconds;
    return result;
}
