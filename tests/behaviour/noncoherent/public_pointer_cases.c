// SPDX-License-Identifier: BSD-3-Clause
//
// The mistakes of public_pointers_errors_test.py, one for each argument, and the jobs of
// public_file_test.py.
#include <shmemx.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
    const char* name = argc > 1 ? argv[1] : "";
    static long word;
    if (strcmp(name, "early") == 0) shmemx_writeback(&word, sizeof word);
    shmem_init();
    char* object = shmem_malloc(64);
    if (strcmp(name, "bad_pe") == 0) shmemx_public_ptr(&word, shmem_n_pes());
    if (strcmp(name, "null") == 0) shmemx_writeback(NULL, 8);
    if (strcmp(name, "null_invalidate") == 0) shmemx_invalidate(NULL, 8);
    if (strcmp(name, "long_range") == 0) shmemx_writeback(object, (size_t)1 << 40);
    if (strcmp(name, "long_public_range") == 0)
        shmemx_invalidate(shmemx_public_ptr(object, 1 - shmem_my_pe()), (size_t)1 << 40);
    shmemx_writeback(NULL, 0);
    shmemx_invalidate(NULL, 0);
    // Memory that is not symmetric: the calls only order.
    char own[8] = {0};
    shmemx_writeback(own, sizeof own);
    shmemx_invalidate(own, sizeof own);
    // For public_file_test.py: holds the file until its standard input has a line.
    if (strcmp(name, "wait") == 0) {
        if (shmem_my_pe() == 0) {
            puts("ready");
            fflush(stdout);
            getchar();
        }
        shmem_barrier_all();
    }
    // For public_file_test.py: touches more memory than its file system has.
    if (strcmp(name, "fill") == 0) {
        const size_t bytes = (size_t)64 << 20;
        memset(shmem_malloc(bytes), 1, bytes);
        shmem_barrier_all();
    }
    // PEs that survive failures end without waiting for each other, also in coarray programs.
    if (strcmp(name, "alone") == 0) shmemx_survive_failures(NULL);
    if (shmem_my_pe() == 0) printf("right\n");
    shmem_finalize();
    return 0;
}
