// SPDX-License-Identifier: BSD-3-Clause
//
// What do the epochs of micro/epochs.c take in a whole MPI library? By general active target
// synchronization (MPI_Win_post, _start, _complete, _wait): rank 0 is the origin, ranks 1 to k its
// targets, for k from 1 to all others. Memory: by MPI_Win_create, or by MPI_Win_allocate
// (--allocate), which lets a library share it.
//
//   epoch_immediate   start and complete towards k targets that post and wait, nothing between; of
//                     rank 0
//   put_epoch         a put of some bytes in an epoch, until the target's wait has returned, MB/s
//
// Verified: the target has the bytes that were put.
#include <mpi.h>

#include "bench/reports.h"

enum { kSamples = 301, kBytesMax = 1 << 20 };

static int samples;
static double times[kSamples];

static void report_times(const char* measure, const char* parameter, long value, const char* unit,
                         int lower_is_better) {
    report(measure, parameter, (double)value, unit, lower_is_better, times, samples, 0);
}

static MPI_Group group_of(int first, int count) {
    MPI_Group world, group;
    int range[1][3] = {{first, first + count - 1, 1}};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, range, &group);
    MPI_Group_free(&world);
    return group;
}

static void measure_sync(MPI_Win window, int k) {
    MPI_Group origin = group_of(0, 1), targets = group_of(1, k);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < samples && me <= k; ++i) {
        const double start = now_ns();
        if (me == 0) {
            MPI_Win_start(targets, 0, window);
            MPI_Win_complete(window);
        } else {
            MPI_Win_post(origin, 0, window);
            MPI_Win_wait(window);
        }
        times[i] = now_ns() - start;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    report_times("epoch_immediate", "targets", k, "ns", 1);
    MPI_Group_free(&origin);
    MPI_Group_free(&targets);
}

static void measure_put(MPI_Win window, unsigned char* memory, unsigned char* source, int bytes) {
    MPI_Group origin = group_of(0, 1), target = group_of(1, 1);
    for (int i = 0; i < samples; ++i) {
        for (int k = 0; k < bytes; ++k) source[k] = (unsigned char)(i + k % 251);
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = now_ns();
        if (me == 0) {
            MPI_Win_start(target, 0, window);
            MPI_Put(source, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window);
            MPI_Win_complete(window);
        } else if (me == 1) {
            MPI_Win_post(origin, 0, window);
            MPI_Win_wait(window);
        }
        const double own = me < 2 ? now_ns() - start : 0;
        double taken = 0;
        MPI_Reduce(&own, &taken, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        times[i] = me == 0 ? bytes * 1e3 / taken : 0;
        if (me == 1 && memcmp(memory, source, (size_t)bytes) != 0) {
            fprintf(stderr, "epochs_mpi: %d bytes were not put\n", bytes);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    report_times("put_epoch", "bytes", bytes, "MB/s", 0);
    MPI_Group_free(&origin);
    MPI_Group_free(&target);
}

int main(int argc, char** argv) {
    int allocates = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &npes);
    read_level(argc, argv);
    samples = by_level(5, 101, kSamples);
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--allocate") == 0) allocates = 1;
    }
    unsigned char* source = malloc(kBytesMax);
    unsigned char* memory = allocates ? NULL : malloc(kBytesMax);
    MPI_Win window;
    if (allocates) {
        MPI_Win_allocate(kBytesMax, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    } else {
        MPI_Win_create(memory, kBytesMax, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    }
    for (int k = 1; k < npes; k = k < 4 ? k + 1 : 2 * k) measure_sync(window, k);
    for (int bytes = 8; npes > 1 && bytes <= kBytesMax; bytes *= 8)
        measure_put(window, memory, source, bytes);
    MPI_Win_free(&window);
    if (!allocates) free(memory);
    free(source);
    report_end();
    MPI_Finalize();
    return 0;
}
