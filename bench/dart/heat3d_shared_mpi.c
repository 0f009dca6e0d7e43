// SPDX-License-Identifier: BSD-3-Clause
//
// The same in plain MPI that knows where its neighbours are (Zhou and Gracia 2017, figure 12): the
// cells of a unit on the same node are loaded from a shared window, those of other units come by
// MPI_Rget from a second window over the same memory, as inside DART-MPI.
#define _GNU_SOURCE
#include "bench/dart/mpi_measure.h"
// It declares what stands above, so it comes last.
#include "bench/dart/heat3d.h"

static MPI_Comm node = MPI_COMM_NULL;
static double** on_node[2];  // each unit's part of a field; NULL: on another node
static MPI_Win shared[2], windows[2];

static void find_node(void) {
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    for (int i = 0; i < 2; ++i) on_node[i] = calloc((size_t)npes, sizeof *on_node[i]);
}

static void find_parts(int field) {
    MPI_Group all, here;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Comm_group(node, &here);
    for (int unit = 0; unit < npes; ++unit) {
        int rank, unit_bytes;
        MPI_Aint bytes;
        MPI_Group_translate_ranks(all, 1, &unit, here, &rank);
        if (rank == MPI_UNDEFINED) continue;
        MPI_Win_shared_query(shared[field], rank, &bytes, &unit_bytes, &on_node[field][unit]);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&here);
}

static double* allocate_field(int field, size_t bytes) {
    double* memory = NULL;
    if (node == MPI_COMM_NULL) find_node();
    MPI_Win_allocate_shared((MPI_Aint)bytes, sizeof(double), MPI_INFO_NULL, node, &memory,
                            &shared[field]);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, shared[field]);
    find_parts(field);
    MPI_Win_create(memory, (MPI_Aint)bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &windows[field]);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, windows[field]);
    return memory;
}

static void free_field(int field) {
    free_window(&windows[field]);
    free_window(&shared[field]);
}

// The barriers around it order it behind the neighbour's stores.
static void get_cells(int field, long to, long from, long cells, int unit) {
    const double* part = on_node[field][unit];
    if (part) {
        memcpy(mine[field] + to, part + from, (size_t)cells * sizeof(double));
        return;
    }
    MPI_Request request;
    MPI_Rget(mine[field] + to, (int)cells, MPI_DOUBLE, unit, from, (int)cells, MPI_DOUBLE,
             windows[field], &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void leave_node(void) {
    for (int i = 0; i < 2; ++i) free(on_node[i]);
    MPI_Comm_free(&node);
}

int main(int argc, char** argv) {
    begin(argc, argv);
    measure_all("dart_heat_weak", "dart_heat_strong");
    leave_node();
    end();
    return 0;
}
