// SPDX-License-Identifier: BSD-3-Clause
//
// heat1d: a program that uses MPI and OpenSHMEM in the same processes. A rod of hot and cold cells
// is divided among the PEs. Each step sends its edge cells to its neighbours by OpenSHMEM puts with
// a signal, and every 50 steps MPI adds up the heat of all cells, which must not change.
//
//     mpicc heat1d.c -o heat1d $(pkg-config --cflags --libs tessera)
//     mpirun -n 4 ./heat1d            or srun --mpi=pmix -n 4 ./heat1d, oshrun -n 4 ./heat1d
//     mpiexec.mpich -n 4 ./heat1d group      a launcher that does not speak PMIx
//
// Options, in any order: the two libraries may be initialized and finalized in any order.
//     shmem-first    shmem_init before MPI_Init
//     shmem-last     shmem_finalize after MPI_Finalize
//     group          shmemx_init_with on MPI_COMM_WORLD: the launcher need not know OpenSHMEM

#include <math.h>
#include <mpi.h>
#include <shmemx.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kCells = 1000, kSteps = 500, kCheckSteps = 50 };

// Symmetric: the neighbours store into the first and the last cell and count in `arrived`.
static double cells[2][kCells + 2];
static uint64_t arrived[2];  // from the left, from the right

static int allgather(const void* mine, void* all, size_t bytes, void* comm) {
    return MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, *(MPI_Comm*)comm);
}

static void init_shmem(int by_group) {
    if (!by_group) {
        shmem_init();
        return;
    }
    MPI_Comm world = MPI_COMM_WORLD;
    int rank, size;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    shmemx_init_with(allgather, &world, rank, size, SHMEM_THREAD_SINGLE, NULL);
}

static void step(uint64_t number, double* now, double* next) {
    const int left = shmem_my_pe() - 1;
    const int right = shmem_my_pe() + 1;
    const int has_left = left >= 0;
    const int has_right = right < shmem_n_pes();
    if (has_left) {
        shmem_double_put_signal(&now[kCells + 1], &now[1], 1, &arrived[1], number, SHMEM_SIGNAL_SET,
                                left);
    }
    if (has_right) {
        shmem_double_put_signal(&now[0], &now[kCells], 1, &arrived[0], number, SHMEM_SIGNAL_SET,
                                right);
    }
    if (has_left) shmem_signal_wait_until(&arrived[0], SHMEM_CMP_GE, number);
    if (has_right) shmem_signal_wait_until(&arrived[1], SHMEM_CMP_GE, number);
    // No heat leaves at the ends of the rod.
    if (!has_left) now[0] = now[1];
    if (!has_right) now[kCells + 1] = now[kCells];
    for (int i = 1; i <= kCells; ++i)
        next[i] = now[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]);
}

static double heat_of_all(const double* now) {
    double mine = 0;
    double all = 0;
    for (int i = 1; i <= kCells; ++i) mine += now[i];
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static int has(int argc, char** argv, const char* option) {
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], option) == 0) return 1;
    }
    return 0;
}

int main(int argc, char** argv) {
    const int is_group = has(argc, argv, "group");
    const int is_shmem_first = has(argc, argv, "shmem-first");
    if (is_shmem_first) init_shmem(0);
    MPI_Init(&argc, &argv);
    if (!is_shmem_first) init_shmem(is_group);

    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != shmem_my_pe()) {
        fprintf(stderr, "heat1d: rank %d is PE %d\n", rank, shmem_my_pe());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 1; i <= kCells; ++i) cells[0][i] = (rank + i) % 7;
    const double before = heat_of_all(cells[0]);
    shmem_barrier_all();
    for (int i = 0; i < kSteps; ++i) {
        step((uint64_t)i + 1, cells[i % 2], cells[(i + 1) % 2]);
        if (i % kCheckSteps != 0) continue;
        const double now = heat_of_all(cells[(i + 1) % 2]);
        if (fabs(now - before) > 1e-9 * before) {
            fprintf(stderr, "heat1d: step %d: the heat was %.17g and is %.17g\n", i, before, now);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    if (rank == 0) printf("heat1d: %d PEs, heat %g before and after\n", shmem_n_pes(), before);

    const int is_shmem_last = has(argc, argv, "shmem-last");
    if (!is_shmem_last) shmem_finalize();
    MPI_Finalize();
    if (is_shmem_last) shmem_finalize();
    return 0;
}
