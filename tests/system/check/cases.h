// SPDX-License-Identifier: BSD-3-Clause
//
// Wrong programs for check_test.py: each case is a function that makes one mistake. The first
// argument of the program names it.
#pragma once

#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

// So written because load_test.py compiles the programs as a user does.
#include "../../support/named_cases.h"

static int me, npes;

int main(int argc, char** argv) {
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    if (argc < 2 || !run_case(argv[1])) {
        fprintf(stderr, "there is no such case\n");
        return 99;
    }
    shmem_finalize();
    return 0;
}
