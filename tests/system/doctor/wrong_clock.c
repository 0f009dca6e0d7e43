// SPDX-License-Identifier: BSD-3-Clause
//
// To be loaded before the C library: the clock of host h2 is 30 seconds ahead. (A time namespace
// has no real time of its own.)
#define _GNU_SOURCE
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec* time) {
    const int result = (int)syscall(SYS_clock_gettime, clock, time);
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    if (result == 0 && clock == CLOCK_REALTIME && strcmp(host, "h2") == 0) time->tv_sec += 30;
    return result;
}
