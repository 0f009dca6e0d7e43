// SPDX-License-Identifier: BSD-3-Clause
//
// memory: symmetric memory that comes and goes (OpenSHMEM 1.6, 9.3).
//
//     oshcc memory.c -o memory
//     oshrun -n 4 ./memory
//
// All PEs call these routines in the same order with the same arguments. A block lies at the same
// place of every symmetric heap, so a PE names another PE's memory by its own address.

#include <shmem.h>
#include <stdint.h>
#include <stdio.h>

// Ends the program if something is not as it must be.
static void require(int is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "memory: wrong: %s on PE %d\n", what, shmem_my_pe());
    shmem_global_exit(1);
}

enum { kCount = 1000 };

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), pe_count = shmem_n_pes(), right = (me + 1) % pe_count;
    int left = (me + pe_count - 1) % pe_count;

    long* numbers = shmem_malloc(kCount * sizeof *numbers);
    require(numbers != NULL, "shmem_malloc");
    for (int i = 0; i < kCount; i++) shmem_long_p(&numbers[i], me * kCount + i, right);
    shmem_barrier_all();
    for (int i = 0; i < kCount; i++)
        require(numbers[i] == left * kCount + i, "shmem_malloc's memory");

    // A larger block keeps its contents.
    numbers = shmem_realloc(numbers, 2 * kCount * sizeof *numbers);
    require(numbers != NULL, "shmem_realloc");
    for (int i = 0; i < kCount; i++)
        require(numbers[i] == left * kCount + i, "shmem_realloc's memory");

    char* zeros = shmem_calloc(kCount, 3);
    require(zeros != NULL, "shmem_calloc");
    for (int i = 0; i < 3 * kCount; i++) require(zeros[i] == 0, "shmem_calloc's memory");

    double* aligned = shmem_align(4096, 16);
    require(aligned != NULL && (uintptr_t)aligned % 4096 == 0, "shmem_align");

    // A hint may make it faster, and changes nothing else.
    int* counter = shmem_malloc_with_hints(sizeof *counter, SHMEM_MALLOC_ATOMICS_REMOTE);
    require(counter != NULL, "shmem_malloc_with_hints");
    *counter = 0;
    shmem_barrier_all();
    for (int pe = 0; pe < pe_count; pe++) shmem_int_atomic_add(counter, me, pe);
    shmem_barrier_all();
    require(*counter == pe_count * (pe_count - 1) / 2, "shmem_malloc_with_hints's memory");

    require(shmem_malloc(0) == NULL, "an allocation of nothing");
    shmem_free(NULL);
    shmem_free(counter);
    shmem_free(aligned);
    shmem_free(zeros);
    shmem_free(numbers);
    if (me == 0) printf("memory: right\n");
    shmem_finalize();
    return 0;
}
