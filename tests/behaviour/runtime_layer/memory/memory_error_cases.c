// SPDX-License-Identifier: BSD-3-Clause
//
// Mistakes with local memory and global pointers, one for each name; memory_errors_test.py knows
// what the library must say. PE 1 makes them.
#include <shmemx.h>
#include <stdio.h>
#include <string.h>

#include "support/named_cases.h"

static long word;
static char* block;
static char* heap;

CASE(free_twice) {
    shmemx_local_free(block);
    shmemx_local_free(block);
}
CASE(free_middle) { shmemx_local_free(block + 16); }
CASE(free_unaligned) { shmemx_local_free(block + 1); }
CASE(free_heap) { shmemx_local_free(heap); }
CASE(free_static) { shmemx_local_free(&word); }
CASE(free_stack) {
    char here[16] = "";
    shmemx_local_free(here);
}
CASE(free_never_allocated) { shmemx_local_free(block + (1 << 20)); }
CASE(free_of_peer) { shmemx_local_free(shmemx_gptr_ptr(shmemx_gptr_of(block, 0))); }
CASE(realloc_freed) {
    shmemx_local_free(block);
    shmemx_local_realloc(block, 100);
}
CASE(realloc_heap) { shmemx_local_realloc(heap, 100); }
CASE(heap_free_local) { shmem_free(block); }
CASE(of_stack) {
    char here[16] = "";
    shmemx_gptr_of(here, 0);
}
CASE(of_bad_pe) { shmemx_gptr_of(heap, 77); }
CASE(of_negative_pe) { shmemx_gptr_of(heap, -1); }
CASE(pe_of_nonsense) { shmemx_gptr_pe((shmemx_gptr_t)-1); }
CASE(addr_of_nonsense) { shmemx_gptr_addr((shmemx_gptr_t)1); }
CASE(addr_outside) {
    shmemx_gptr_addr(shmemx_gptr_add(shmemx_gptr_of(heap, 0), (ptrdiff_t)1 << 40));
}
CASE(ptr_of_nonsense) { shmemx_gptr_ptr((shmemx_gptr_t)12345); }
CASE(add_null) { shmemx_gptr_add(SHMEMX_GPTR_NULL, 8); }
CASE(add_too_much) { shmemx_gptr_add(shmemx_gptr_of(heap, 0), (ptrdiff_t)1 << 50); }
CASE(add_below) { shmemx_gptr_add(shmemx_gptr_of(heap, 0), -((ptrdiff_t)1 << 45)); }
CASE(diff_of_pes) { shmemx_gptr_diff(shmemx_gptr_of(heap, 0), shmemx_gptr_of(heap, 1)); }
CASE(diff_of_kinds) { shmemx_gptr_diff(shmemx_gptr_of(heap, 0), shmemx_gptr_of(&word, 0)); }
CASE(diff_null) { shmemx_gptr_diff(shmemx_gptr_of(heap, 0), SHMEMX_GPTR_NULL); }

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    if (strcmp(argv[1], "early_malloc") == 0) shmemx_local_malloc(8);
    if (strcmp(argv[1], "early_of") == 0) shmemx_gptr_of(&word, 0);
    shmem_init();
    heap = shmem_malloc(100);
    block = shmemx_local_malloc(64);
    if (strcmp(argv[1], "leak") == 0) {
        shmem_free(heap);
        shmem_finalize();
        return 0;
    }
    if (shmem_my_pe() == 1) run_case(argv[1]);
    shmem_barrier_all();
    shmem_finalize();
    if (strcmp(argv[1], "late_malloc") == 0) shmemx_local_malloc(8);
    if (strcmp(argv[1], "late_free") == 0) shmemx_local_free(block);
    return 0;
}
