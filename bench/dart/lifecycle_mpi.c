// SPDX-License-Identifier: BSD-3-Clause
//
// The rows of team memory in plain MPI, without DART (Zhou 2016, figures 5.7 and 5.8):
// MPI_Win_allocate, and MPI_Win_create for memory of malloc.
#define _GNU_SOURCE
#include "bench/dart/mpi_measure.h"
// Declares functions of the header above and of this file.
#include "bench/dart/lifecycle_sizes.h"

static MPI_Win window;

static char* allocated(void) { return allocate_window(bytes, 1, &window); }

static void register_bytes(void) {
    MPI_Win_create(registered, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
}

static void team_memory(void) {
    allocated();
    free_window(&window);
}
static void team_register(void) {
    register_bytes();
    free_window(&window);
}

static void check_neighbour(char* mine) {
    const int neighbour = (me + 1) % npes;
    char last = -1;
    mine[bytes - 1] = (char)me;
    meet();
    MPI_Get(&last, 1, MPI_CHAR, neighbour, (MPI_Aint)bytes - 1, 1, MPI_CHAR, window);
    MPI_Win_flush(neighbour, window);
    if (last != (char)neighbour) give_up("the neighbour's memory is wrong");
    meet();
    free_window(&window);
}

static void check_memory(void) { check_neighbour(allocated()); }

static void check_register(void) {
    register_bytes();
    check_neighbour(registered);
}

int main(int argc, char** argv) {
    begin(argc, argv);
    measure_sizes();
    end();
    return 0;
}
