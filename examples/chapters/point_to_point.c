// SPDX-License-Identifier: BSD-3-Clause
//
// point_to_point: waiting for a change of the own memory (OpenSHMEM 1.6, 9.11).
//
//     oshcc point_to_point.c -o point_to_point
//     oshrun -n 4 ./point_to_point
//
// PE 0 hands out work: it waits until some of the others have results, takes these, and goes on.
// A flag is written by an atomic, behind its data; a PE that has seen the flag may read the data.

#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

// Ends the program if something is not as it must be.
static void require(int is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "point_to_point: wrong: %s on PE %d\n", what, shmem_my_pe());
    shmem_global_exit(1);
}

enum { kRounds = 5 };

static int go;

// In each round PE 0 takes one result of every other PE, as they come. RETURNS their sum.
static int take_results(int* flags, const int* results, int pe_count) {
    size_t count = (size_t)pe_count, *indices = malloc(count * sizeof *indices);
    int* is_out = malloc(count * sizeof *is_out);
    require(indices != NULL && is_out != NULL, "memory");
    int sum = 0;
    for (int round = 1; round <= kRounds; round++) {
        for (int pe = 0; pe < pe_count; pe++) is_out[pe] = pe == 0;
        for (size_t missing = count - 1; missing > 0;) {
            size_t found =
                shmem_int_wait_until_some(flags, count, indices, is_out, SHMEM_CMP_EQ, round);
            for (size_t i = 0; i < found; i++) {
                sum += results[indices[i]];
                is_out[indices[i]] = 1;  // Leave it out until the next round.
            }
            missing -= found;
        }
        require(shmem_int_test_all(flags + 1, count - 1, NULL, SHMEM_CMP_EQ, round), "test_all");
        for (int pe = 1; pe < pe_count; pe++) shmem_int_atomic_set(&go, round, pe);
    }
    free(is_out);
    free(indices);
    return sum;
}

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), pe_count = shmem_n_pes();
    int* flags = shmem_calloc((size_t)pe_count, sizeof *flags);
    int* results = shmem_calloc((size_t)pe_count, sizeof *results);
    require(flags != NULL && results != NULL, "symmetric memory");

    if (me == 0) {
        int sum = take_results(flags, results, pe_count);
        int pairs = pe_count * (pe_count - 1) / 2;
        require(sum == pairs * kRounds * (kRounds + 1) / 2, "the sum of all results");
    } else {
        for (int round = 1; round <= kRounds; round++) {
            shmem_int_p(&results[me], me * round, 0);
            shmem_fence();  // The result comes before its flag.
            shmem_int_atomic_set(&flags[me], round, 0);
            shmem_int_wait_until(&go, SHMEM_CMP_EQ, round);
        }
        require(shmem_int_test(&go, SHMEM_CMP_NE, kRounds) == 0, "shmem_int_test");
    }

    shmem_barrier_all();
    shmem_free(results);
    shmem_free(flags);
    if (me == 0) printf("point_to_point: right\n");
    shmem_finalize();
    return 0;
}
