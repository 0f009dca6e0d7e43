// SPDX-License-Identifier: BSD-3-Clause
//
// Wrong programs for check_test.py: each case is a function that makes one mistake. The first
// argument of the program names it.
#pragma once

#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct wrong_case {
    const char* name;
    void (*run)(void);
};

// Not inlined, so that reports name the case.
#define CASE(NAME) __attribute__((noinline)) static void NAME(void)

static int me, npes;

static inline int run_case(const struct wrong_case* cases, size_t count, int argc, char** argv) {
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    for (size_t i = 0; i < count; i++) {
        if (argc < 2 || strcmp(argv[1], cases[i].name) != 0) continue;
        cases[i].run();
        shmem_finalize();
        return 0;
    }
    fprintf(stderr, "there is no such case\n");
    return 99;
}
