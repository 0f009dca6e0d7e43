// SPDX-License-Identifier: BSD-3-Clause
//
// The same in plain MPI that knows where its neighbours are (Zhou and Gracia 2017, figure 12): the
// cells of a unit on the same node are loaded from a shared window, those of other units come by
// MPI_Rget or MPI_Get from a second window over the same memory, as inside DART-MPI. With --nodes K
// the program takes a host for K nodes; `mpirun --mca btl tcp,self` sends between them.
#define _GNU_SOURCE
#include "bench/dart/mpi_measure.h"
// Uses functions of the header above.
#include "bench/heat3d.h"

static MPI_Comm node;
static double** on_node;  // each unit's part; NULL: on another node
static MPI_Win shared, window;
static double* own;
static int has_started;
static long nodes;  // nodes that a host counts as

static void find_parts(void) {
    MPI_Group all, here;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Comm_group(node, &here);
    on_node = calloc((size_t)npes, sizeof *on_node);
    for (int unit = 0; unit < npes; ++unit) {
        int rank, unit_bytes;
        MPI_Aint bytes;
        MPI_Group_translate_ranks(all, 1, &unit, here, &rank);
        if (rank == MPI_UNDEFINED) continue;
        MPI_Win_shared_query(shared, rank, &bytes, &unit_bytes, &on_node[unit]);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&here);
}

static double* allocate_cells(size_t bytes) {
    MPI_Comm host;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_split(host, (int)(me * nodes / npes), 0, &node);
    MPI_Comm_free(&host);
    MPI_Win_allocate_shared((MPI_Aint)bytes, sizeof(double), MPI_INFO_NULL, node, &own, &shared);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, shared);
    find_parts();
    MPI_Win_create(own, (MPI_Aint)bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    return own;
}

static void free_cells(void) {
    free_window(&window);
    free_window(&shared);
    free(on_node);
    MPI_Comm_free(&node);
}

static int must_travel(int unit) { return on_node[unit] == NULL; }

// The barriers around it order it behind the neighbour's stores.
static void load_cells(double* to, const double* from, long count, int unit) {
    memcpy(to, on_node[unit] + (from - own), (size_t)count * sizeof(double));
}

static void get_cells(double* to, const double* from, long count, int unit) {
    if (!must_travel(unit)) {
        load_cells(to, from, count, unit);
        return;
    }
    MPI_Request request;
    MPI_Rget(to, (int)count, MPI_DOUBLE, unit, from - own, (int)count, MPI_DOUBLE, window,
             &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void start_cells(double* to, const double* from, long count, int unit) {
    if (!must_travel(unit)) {
        load_cells(to, from, count, unit);
        return;
    }
    MPI_Get(to, (int)count, MPI_DOUBLE, unit, from - own, (int)count, MPI_DOUBLE, window);
    has_started = 1;
}

// A flush yields, even where there is nothing to wait for.
static void finish_cells(void) {
    if (has_started) MPI_Win_flush_all(window);
    has_started = 0;
}

int main(int argc, char** argv) {
    begin(argc, argv);
    nodes = option("--nodes", 1);
    measure_all("dart_heat");
    end();
    return 0;
}
