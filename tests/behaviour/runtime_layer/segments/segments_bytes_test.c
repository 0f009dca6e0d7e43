// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a registered segment takes private memory that grows with the members of its team:
// the bytes that malloc has given out are compared before and after. Prints them for a segment.
// Breaks also when more than one PE of a node keeps the segment's table, in pages that it shares.
//
//   segments_bytes_test [SEGMENTS]      that live at the same time
#include <malloc.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBytesMax = 1536, kUsual = 64 };

static size_t allocated(void) {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

// Bytes of this PE's mappings that other processes share. A view of another PE's pages has
// kViewBytes, and does not count.
static size_t shared(void) {
    static const size_t kViewBytes = (size_t)1 << 30;
    FILE* maps = fopen("/proc/self/maps", "re");
    char line[4096];
    size_t sum = 0;
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        size_t begin = 0, end = 0;
        char flags[5] = "";
        if (sscanf(line, "%zx-%zx %4s", &begin, &end, flags) != 3 || flags[3] != 's') continue;
        if (end - begin < kViewBytes) sum += end - begin;
    }
    if (maps != NULL) fclose(maps);
    return sum;
}

int main(int argc, char** argv) {
    shmem_init();
    const int me = shmem_my_pe(), npes = shmem_n_pes();
    const long count = argc > 1 ? atol(argv[1]) : kUsual;
    shmemx_segment_t* segments = malloc((size_t)count * sizeof *segments);
    long* values = calloc((size_t)count, sizeof *values);
    size_t before = 0, shared_before = 0;
    const double start = shmemx_wtime();
    for (long i = 0; i < count; ++i) {
        if (i == 1) {  // The first one makes tables of the library.
            before = allocated();
            shared_before = shared();
        }
        if (shmemx_register(SHMEM_TEAM_WORLD, &values[i], sizeof *values, &segments[i]) != 0) {
            fprintf(stderr, "PE %d: no segment\n", me);
            shmem_global_exit(1);
        }
    }
    const double seconds = shmemx_wtime() - start;
    const long bytes = ((long)allocated() - (long)before) / (count - 1);
    if (shmem_team_my_pe(SHMEMX_TEAM_NODE) != 0 && shared() != shared_before) {
        fprintf(stderr, "PE %d: shares %zu bytes more than before, for tables of another PE\n", me,
                shared() - shared_before);
        shmem_global_exit(1);
    }
    for (long i = 0; i < count; ++i) {
        const int pe = (int)((me + 1 + i) % npes);
        shmem_long_atomic_add(shmemx_gptr_addr(shmemx_segment_gptr(segments[i], pe)), i, pe);
    }
    shmem_barrier_all();
    for (long i = 0; i < count; ++i) {
        if (values[i] == i) continue;
        fprintf(stderr, "PE %d: segment %ld has %ld\n", me, i, values[i]);
        shmem_global_exit(1);
    }
    if (me == 0) {
        printf("%d members, %ld segments: %ld private bytes, %.1f us for each\n", npes, count,
               bytes, seconds / (double)count * 1e6);
    }
    if (bytes > kBytesMax) {
        fprintf(stderr, "PE %d: a segment of %d members takes %ld private bytes, more than %d\n",
                me, npes, bytes, kBytesMax);
        shmem_global_exit(1);
    }
    for (long i = 0; i < count; ++i) shmemx_deregister(segments[i]);
    free(segments);
    free(values);
    shmem_finalize();
    return 0;
}
