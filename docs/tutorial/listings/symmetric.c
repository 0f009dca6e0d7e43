// SPDX-License-Identifier: BSD-3-Clause
//
// Chapter 2: which objects of a program can other PEs reach?
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

static int file_scope;

static void report(const char* what, const void* address) {
    if (shmem_my_pe() != 0) return;
    int other = shmem_n_pes() - 1;
    printf("%-17s %s\n", what, shmem_addr_accessible(address, other) ? "symmetric" : "private");
}

int main(void) {
    shmem_init();
    static int function_scope;
    int automatic;
    int* from_malloc = malloc(sizeof *from_malloc);
    int* from_shmem_malloc = shmem_malloc(sizeof *from_shmem_malloc);

    report("file scope", &file_scope);
    report("static in main", &function_scope);
    report("local variable", &automatic);
    report("malloc", from_malloc);
    report("shmem_malloc", from_shmem_malloc);

    shmem_free(from_shmem_malloc);
    free(from_malloc);
    shmem_finalize();
    return 0;
}
