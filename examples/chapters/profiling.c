// SPDX-License-Identifier: BSD-3-Clause
//
// profiling: watching calls from within the program (OpenSHMEM 1.6, 10).
//
//     oshcc profiling.c -o profiling
//     oshrun -n 4 ./profiling
//
// Every routine has a second name that begins with p. A program, or a library in front of it, may
// define the first name itself, do anything in it and call the second one. ../profiler is a whole
// tool.

#include <pshmem.h>
#include <shmem.h>
#include <stdio.h>

// Ends the program if something is not as it must be.
static void require(int is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "profiling: wrong: %s on PE %d\n", what, shmem_my_pe());
    shmem_global_exit(1);
}

static int is_counting = 1, barriers, put_calls;
static size_t bytes_put;

// These two take the place of the library's routines in this program.
void shmem_barrier_all(void) {
    if (is_counting) barriers++;
    pshmem_barrier_all();
}

void shmem_int_put(int* dest, const int* source, size_t nelems, int pe) {
    if (is_counting) {
        put_calls++;
        bytes_put += nelems * sizeof *dest;
    }
    pshmem_int_put(dest, source, nelems, pe);
}

// The library's own does nothing; it is there for tools like this one.
void shmem_pcontrol(int level, ...) { is_counting = level > 0; }

int main(void) {
    static int dest[15], source[10];
    shmem_init();
    int me = shmem_my_pe(), right = (me + 1) % shmem_n_pes();
    for (int i = 0; i < 10; i++) source[i] = i;

    shmem_int_put(dest, source, 10, right);
    shmem_put(dest + 10, source, 5, right);  // Type-generic, and the same routine.
    shmem_barrier_all();
    for (int i = 0; i < 10; i++) require(dest[i] == i, "the put itself");

    shmem_pcontrol(0);  // The following calls are not counted.
    shmem_int_put(dest + 10, source, 5, right);
    shmem_barrier_all();
    shmem_pcontrol(1);
    shmem_barrier_all();

    require(put_calls == 2 && bytes_put == 15 * sizeof(int) && barriers == 2, "the numbers");
    if (me == 0) printf("profiling: right, %d puts of %zu bytes\n", put_calls, bytes_put);
    shmem_finalize();
    return 0;
}
