// SPDX-License-Identifier: BSD-3-Clause
//
// How much of a transfer's time is left to the program between a put or get with a handle and its
// wait (overlap_samples.h; Zhou 2016, figures 7.11 to 7.15)? Unit 0 measures towards the last one,
// which waits in a barrier; both ends are verified.
//
//   dart_overlap_put_overhead, dart_overlap_get_overhead   nanoseconds that are not
//   dart_overlap_put_share, dart_overlap_get_share         their percentage
//
// The own side is private memory, or with --symmetric memory of dart_memalloc.
#define _GNU_SOURCE
#include "bench/dart/dart_measure.h"
// Uses now_ns().
#include "bench/overlap_samples.h"

static dart_gptr_t remote;
static char *mine, *local;
static dart_handle_t handle;

static void put(size_t bytes) {
    dart_put_handle(remote, local, bytes, DART_TYPE_BYTE, DART_TYPE_BYTE, &handle);
}
static void get(size_t bytes) {
    dart_get_handle(local, remote, bytes, DART_TYPE_BYTE, DART_TYPE_BYTE, &handle);
}
static void finish(void) { dart_wait(&handle); }

static void measure(const char* name, void (*start)(size_t bytes), size_t bytes) {
    const struct OverlapOperation operation = {start, finish};
    static double overhead[kSamplesMax], share[kSamplesMax];
    char measure_name[64];
    const int samples = by_level(2, 9, 31), is_put = start == put;
    memset(mine, 0, bytes);
    overlap_fill(is_put ? local : mine, bytes, me + 1);
    if (!is_put) memset(local, 0, bytes);
    meet();
    if (me == 0) {
        const long repeats = overlap_repeats(&operation, bytes, by_level(10, 200, 500) * 1e3);
        for (int i = -1; i < samples; ++i) {  // one to warm up
            const struct OverlapSample sample = overlap_sample(&operation, bytes, repeats);
            overhead[i < 0 ? 0 : i] = sample.overhead_ns;
            share[i < 0 ? 0 : i] = sample.share;
        }
    }
    meet();
    if (is_put && me == npes - 1 && overlap_wrong(mine, bytes, 1) < bytes) give_up("wrong put");
    if (!is_put && me == 0 && overlap_wrong(local, bytes, npes) < bytes) give_up("wrong get");
    meet();
    snprintf(measure_name, sizeof measure_name, "dart_overlap_%s_overhead", name);
    report(measure_name, "bytes", (double)bytes, "ns", 1, overhead, samples, 0);
    snprintf(measure_name, sizeof measure_name, "dart_overlap_%s_share", name);
    report(measure_name, "bytes", (double)bytes, "percent", 1, share, samples, 0);
}

int main(int argc, char** argv) {
    begin(argc, argv);
    const size_t bytes_max = level == TINY ? 65536 : (size_t)4 << 20;
    remote = allocate(bytes_max);
    mine = own_part(remote);
    NEED(dart_gptr_setunit(&remote, DART_TEAM_UNIT_ID(npes - 1)));
    const size_t room = bytes_max + 4096;
    dart_gptr_t symmetric = DART_GPTR_NULL;
    char* memory = NULL;
    if (has_option("--symmetric")) {
        NEED(dart_memalloc(room, DART_TYPE_BYTE, &symmetric));
        void* address = NULL;
        NEED(dart_gptr_getaddr(symmetric, &address));
        local = (char*)address;
    } else {
        memory = aligned_alloc(4096, room);
        local = memory;
    }
    local += 2048;  // see bench/apps/automaton.c
    for (size_t bytes = 4096; bytes <= bytes_max; bytes *= 4) {
        measure("put", put, bytes);
        measure("get", get, bytes);
    }
    free(memory);
    if (!DART_GPTR_ISNULL(symmetric)) NEED(dart_memfree(symmetric));
    NEED(dart_team_memfree(remote));
    end();
    return 0;
}
