// SPDX-License-Identifier: BSD-3-Clause
//
// The rows of collectives.c by MPI_Allreduce, MPI_Bcast, MPI_Allgather, MPI_Alltoall and
// MPI_Barrier on MPI_COMM_WORLD.
#include <mpi.h>

#include "bench/collectives_rows.h"

static void meet(void) { MPI_Barrier(MPI_COMM_WORLD); }

static long agree(long value) {
    MPI_Bcast(&value, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    return value;
}

static void give_up(const char* why) {
    fprintf(stderr, "collectives_mpi: wrong result of %s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void call(enum row row, size_t count, int root) {
    const MPI_Comm all = MPI_COMM_WORLD;
    const int n = (int)count;
    switch (row) {
        case REDUCE: MPI_Allreduce(source, dest, n, MPI_DOUBLE, MPI_SUM, all); break;
        // One buffer: the root sends from where the others receive.
        case BROADCAST: MPI_Bcast(me == root ? source : dest, n, MPI_DOUBLE, root, all); break;
        case FCOLLECT: MPI_Allgather(source, n, MPI_DOUBLE, dest, n, MPI_DOUBLE, all); break;
        case ALLTOALL: MPI_Alltoall(source, n, MPI_DOUBLE, dest, n, MPI_DOUBLE, all); break;
        default: MPI_Barrier(all);
    }
}

int main(int argc, char** argv) {
    read_level(argc, argv);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &npes);
    source = aligned_alloc(4096, array_bytes);
    dest = aligned_alloc(4096, array_bytes);
    if (!source || !dest) give_up("aligned_alloc");
    measure_all();
    MPI_Finalize();
    return 0;
}
