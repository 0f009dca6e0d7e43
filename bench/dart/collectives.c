// SPDX-License-Identifier: BSD-3-Clause
//
// What does a collective of DART, or of shmemx, cost from private memory, more than the routine of
// OpenSHMEM that does the same work on symmetric memory? The three take turns; `limit` is the
// routine of OpenSHMEM. All units measure; unit 0 prints its medians.
#define _GNU_SOURCE
#include <shmemx.h>

#include "bench/dart/dart_measure.h"

static char *source, *dest;                  // symmetric
static char *private_source, *private_dest;  // private memory of this unit
static size_t bytes;                         // size of a vector, or of a block

#define DOUBLES (bytes / sizeof(double))
#define SUM SHMEMX_TYPE_DOUBLE, SHMEMX_OP_SUM

static void shmem_bcast(void) { shmem_broadcastmem(SHMEM_TEAM_WORLD, dest, source, bytes, 0); }
static void shmemx_bcast(void) {
    shmemx_broadcast(SHMEM_TEAM_WORLD, private_dest, private_dest, bytes, 1, 0);
}
static void bcast(void) {
    NEED(dart_bcast(private_dest, bytes, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
}
static void shmem_allgather(void) { shmem_fcollectmem(SHMEM_TEAM_WORLD, dest, source, bytes); }
static void x_allgather(void) {
    shmemx_allgather(SHMEM_TEAM_WORLD, private_dest, private_source, bytes, 1);
}
static void allgather(void) {
    NEED(dart_allgather(private_source, private_dest, bytes, DART_TYPE_BYTE, DART_TEAM_ALL));
}
static void shmem_all_to_all(void) { shmem_alltoallmem(SHMEM_TEAM_WORLD, dest, source, bytes); }
static void x_alltoall(void) {
    shmemx_alltoall(SHMEM_TEAM_WORLD, private_dest, private_source, bytes, 1);
}
static void alltoall(void) {
    NEED(dart_alltoall(private_source, private_dest, bytes, DART_TYPE_BYTE, DART_TEAM_ALL));
}
static void shmem_reduce_sum(void) {
    shmem_double_sum_reduce(SHMEM_TEAM_WORLD, (double*)dest, (const double*)source, DOUBLES);
}
static void x_allreduce(void) {
    shmemx_allreduce(SHMEM_TEAM_WORLD, private_dest, private_source, DOUBLES, SUM);
}
static void allreduce(void) {
    NEED(dart_allreduce(private_source, private_dest, DOUBLES, DART_TYPE_DOUBLE, DART_OP_SUM,
                        DART_TEAM_ALL));
}
static void x_reduce(void) {
    shmemx_reduce(SHMEM_TEAM_WORLD, private_dest, private_source, DOUBLES, SUM, 0);
}
static void reduce(void) {
    NEED(dart_reduce(private_source, private_dest, DOUBLES, DART_TYPE_DOUBLE, DART_OP_SUM,
                     DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
}

typedef void (*Way)(void);

struct Row {
    const char* name;  // for shmemx and DART
    Way limit, shmemx, dart;
    int has_blocks;  // for each unit
};
static const struct Row rows[] = {
    {"allreduce", shmem_reduce_sum, x_allreduce, allreduce, 0},
    {"reduce", shmem_reduce_sum, x_reduce, reduce, 0},
    {"bcast", shmem_bcast, shmemx_bcast, bcast, 0},
    {"allgather", shmem_allgather, x_allgather, allgather, 1},
    {"alltoall", shmem_all_to_all, x_alltoall, alltoall, 1},
};

static double time_of(Way way, int calls) {
    meet();
    const double start = now_ns();
    for (int i = 0; i < calls; ++i) way();
    return (now_ns() - start) / calls;
}

static void measure(const struct Row* row) {
    double times[3][kSamplesMax];
    const Way ways[3] = {row->limit, row->shmemx, row->dart};
    const int samples = by_level(3, 9, 15);
    const int calls = by_level(2, 1, 2) * (bytes <= 4096 ? 40 : bytes <= 65536 ? 10 : 2);
    for (int way = 0; way < 3; ++way) time_of(ways[way], 2);
    for (int i = 0; i < samples; ++i) {
        for (int way = 0; way < 3; ++way) times[way][i] = time_of(ways[way], calls);
    }
    qsort(times[0], (size_t)samples, sizeof(double), by_value);
    char name[64];
    for (int way = 1; way < 3; ++way) {
        snprintf(name, sizeof name, "%s_%s", way == 1 ? "shmemx" : "dart", row->name);
        report(name, "bytes", (double)bytes, "ns", 1, times[way], samples, times[0][samples / 2]);
    }
}

static size_t filled(char** array, size_t room, int is_symmetric) {
    *array = is_symmetric ? shmem_malloc(room) : aligned_alloc(64, room);
    if (*array == NULL) give_up("no memory; SHMEM_SYMMETRIC_SIZE?");
    memset(*array, 0, room);
    return room;
}

int main(int argc, char** argv) {
    begin(argc, argv);
    const size_t most = (size_t)by_level(4096, 1 << 19, 1 << 22);
    const size_t room = most * (size_t)(npes > 4 ? npes / 2 : 2);  // for blocks a half of most
    filled(&source, room, 1);
    filled(&dest, room, 1);
    filled(&private_source, room, 0);
    filled(&private_dest, room, 0);
    const char* only = argc > 1 && argv[argc - 1][0] != '-' ? argv[argc - 1] : "";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        if (strstr(rows[i].name, only) != rows[i].name) continue;
        for (bytes = 8; bytes <= most; bytes *= 8) {
            if (rows[i].has_blocks && bytes * (size_t)npes > room) break;
            measure(&rows[i]);
        }
    }
    free(private_source);
    free(private_dest);
    end();
    return 0;
}
