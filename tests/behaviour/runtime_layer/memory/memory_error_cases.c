// SPDX-License-Identifier: BSD-3-Clause
//
// Mistakes with local memory and global pointers, one for each name; memory_errors_test.py knows
// what the library must say. PE 1 makes them.
#include <shmemx.h>
#include <stdio.h>
#include <string.h>

static long word;
static char* block;
static char* heap;

static void free_twice(void) {
    shmemx_local_free(block);
    shmemx_local_free(block);
}
static void free_middle(void) { shmemx_local_free(block + 16); }
static void free_unaligned(void) { shmemx_local_free(block + 1); }
static void free_heap(void) { shmemx_local_free(heap); }
static void free_static(void) { shmemx_local_free(&word); }
static void free_stack(void) {
    char here[16] = "";
    shmemx_local_free(here);
}
static void free_never_allocated(void) { shmemx_local_free(block + (1 << 20)); }
static void free_of_peer(void) { shmemx_local_free(shmemx_gptr_ptr(shmemx_gptr_of(block, 0))); }
static void realloc_freed(void) {
    shmemx_local_free(block);
    shmemx_local_realloc(block, 100);
}
static void realloc_heap(void) { shmemx_local_realloc(heap, 100); }
static void heap_free_local(void) { shmem_free(block); }
static void of_stack(void) {
    char here[16] = "";
    shmemx_gptr_of(here, 0);
}
static void of_bad_pe(void) { shmemx_gptr_of(heap, 77); }
static void of_negative_pe(void) { shmemx_gptr_of(heap, -1); }
static void pe_of_nonsense(void) { shmemx_gptr_pe((shmemx_gptr_t)-1); }
static void addr_of_nonsense(void) { shmemx_gptr_addr((shmemx_gptr_t)1); }
static void addr_outside(void) {
    shmemx_gptr_addr(shmemx_gptr_add(shmemx_gptr_of(heap, 0), (ptrdiff_t)1 << 40));
}
static void ptr_of_nonsense(void) { shmemx_gptr_ptr((shmemx_gptr_t)12345); }
static void add_null(void) { shmemx_gptr_add(SHMEMX_GPTR_NULL, 8); }
static void add_too_much(void) { shmemx_gptr_add(shmemx_gptr_of(heap, 0), (ptrdiff_t)1 << 50); }
static void add_below(void) { shmemx_gptr_add(shmemx_gptr_of(heap, 0), -((ptrdiff_t)1 << 45)); }
static void diff_of_pes(void) {
    shmemx_gptr_diff(shmemx_gptr_of(heap, 0), shmemx_gptr_of(heap, 1));
}
static void diff_of_kinds(void) {
    shmemx_gptr_diff(shmemx_gptr_of(heap, 0), shmemx_gptr_of(&word, 0));
}
static void diff_null(void) { shmemx_gptr_diff(shmemx_gptr_of(heap, 0), SHMEMX_GPTR_NULL); }

static const struct {
    const char* name;
    void (*make)(void);
} cases[] = {
#define CASE(NAME) {#NAME, NAME},
    CASE(free_twice) CASE(free_middle) CASE(free_unaligned) CASE(free_heap) CASE(free_static)
        CASE(free_stack) CASE(free_never_allocated) CASE(free_of_peer) CASE(realloc_freed)
            CASE(realloc_heap) CASE(heap_free_local) CASE(of_stack) CASE(of_bad_pe)
                CASE(of_negative_pe) CASE(pe_of_nonsense) CASE(addr_of_nonsense) CASE(addr_outside)
                    CASE(ptr_of_nonsense) CASE(add_null) CASE(add_too_much) CASE(add_below)
                        CASE(diff_of_pes) CASE(diff_of_kinds) CASE(diff_null)};

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
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        if (strcmp(argv[1], cases[i].name) == 0 && shmem_my_pe() == 1) cases[i].make();
    }
    shmem_barrier_all();
    shmem_finalize();
    if (strcmp(argv[1], "late_malloc") == 0) shmemx_local_malloc(8);
    if (strcmp(argv[1], "late_free") == 0) shmemx_local_free(block);
    return 0;
}
