// SPDX-License-Identifier: BSD-3-Clause
//
// The same in plain MPI, without DART (Zhou 2016, figure 6.12): MPI_Get, MPI_Put, and
// MPI_Accumulate with MPI_BXOR, each with a flush.
#define _GNU_SOURCE
#include "bench/dart/mpi_measure.h"
// Declares functions of the header above and of this file.
#include "bench/dart/random_access.h"

static MPI_Win table;

static void read_word(uint64_t* to, struct Word from) {
    MPI_Get(to, 1, MPI_UINT64_T, from.unit, (MPI_Aint)from.at, 1, MPI_UINT64_T, table);
    MPI_Win_flush(from.unit, table);
}

static void write_word(struct Word to, const uint64_t* from) {
    MPI_Put(from, 1, MPI_UINT64_T, to.unit, (MPI_Aint)to.at, 1, MPI_UINT64_T, table);
    MPI_Win_flush(to.unit, table);
}

static void start_xor(struct Word to, const uint64_t* from) {
    MPI_Accumulate(from, 1, MPI_UINT64_T, to.unit, (MPI_Aint)to.at, 1, MPI_UINT64_T, MPI_BXOR,
                   table);
}

static void finish_xors(struct Word to) { MPI_Win_flush(to.unit, table); }

static void finish_all_xors(void) { MPI_Win_flush_all(table); }

int main(int argc, char** argv) {
    begin(argc, argv);
    mine = allocate_window(divide_table() * sizeof(uint64_t), sizeof(uint64_t), &table);
    measure_all();
    free_window(&table);
    end();
    return 0;
}
