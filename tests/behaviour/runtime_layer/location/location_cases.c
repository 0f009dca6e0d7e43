// SPDX-License-Identifier: BSD-3-Clause
//
// The mistakes of location_errors_test.py, one for each argument, and a PE that binds itself.
#define _GNU_SOURCE
#include <sched.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// To one processor, before initialization.
static void bind_to_last(void) {
    cpu_set_t mask;
    sched_getaffinity(0, sizeof mask, &mask);
    int last = -1;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &mask)) last = cpu;
    }
    CPU_ZERO(&mask);
    CPU_SET(last, &mask);
    sched_setaffinity(0, sizeof mask, &mask);
}

int main(int argc, char** argv) {
    const char* name = argc > 1 ? argv[1] : "";
    shmemx_location_t place;
    if (strcmp(name, "early") == 0) shmemx_pe_location(0, &place);
    if (strcmp(name, "bound") == 0) bind_to_last();
    shmem_init();
    if (strcmp(name, "bad_pe") == 0) shmemx_pe_location(shmem_n_pes(), &place);
    if (strcmp(name, "negative_pe") == 0) shmemx_pe_location(-1, &place);
    if (strcmp(name, "null") == 0) shmemx_pe_location(0, NULL);
    shmemx_pe_location(0, &place);
    if (shmem_my_pe() == 0)
        printf("node %d core %d package %d\n", place.node, place.core, place.package);
    shmem_finalize();
    if (strcmp(name, "late") == 0) shmemx_pe_location(0, &place);
    return 0;
}
