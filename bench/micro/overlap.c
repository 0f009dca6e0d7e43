// SPDX-License-Identifier: BSD-3-Clause
//
// How much of a transfer's time is left to the program while put_nbi or get_nbi is under way
// (overlap_samples.h)?
//
//   overlap_put_overhead, overlap_get_overhead   nanoseconds that are not
//   overlap_put_share, overlap_get_share         their percentage
//   overlap_put_req_overhead, overlap_put_req_share   the same of a put with a request (shmemx.h)
//
// From 4 KiB on: the processor's own overlap hides shorter transfers. PE 0
// measures towards the last PE, which waits in a barrier; both ends are verified. On one node a
// library without helpers copies with the caller's core: its share is 100. With one PE, which
// transfers to itself, a helper has the next core (docs/run/progress.md).
#define _GNU_SOURCE
#include "bench/measure.h"
// Uses now_ns().
#include "bench/newer.h"
#include "bench/overlap_samples.h"

enum { kSamplesMax = 32 };

static char *remote, *local;
static int target;

static void put(size_t bytes) { shmem_putmem_nbi(remote, local, bytes, target); }
static void get(size_t bytes) { shmem_getmem_nbi(local, remote, bytes, target); }

static void put_req(size_t bytes) { put_with_request(remote, local, bytes, target); }

static void check(const char* what, const char* memory, size_t bytes, int seed) {
    const size_t at = overlap_wrong(memory, bytes, seed);
    if (at == bytes) return;
    give_up("overlap: %s of %zu bytes: byte %zu: expected %d, found %d", what, bytes, at,
            overlap_byte(at, seed), memory[at]);
}

static void measure(const char* name, void (*start)(size_t bytes), void (*finish)(void),
                    size_t bytes) {
    const struct OverlapOperation operation = {start, finish};
    static double overhead[kSamplesMax], share[kSamplesMax];
    char measure_name[64];
    const int samples = by_level(2, 9, 31), is_put = start != get;
    memset(remote, 0, bytes);
    if (is_put) {
        overlap_fill(local, bytes, me + 1);
    } else {
        overlap_fill(remote, bytes, me + 1);
        memset(local, 0, bytes);
    }
    shmem_barrier_all();
    if (me == 0) {
        const long repeats = overlap_repeats(&operation, bytes, by_level(10, 200, 500) * 1e3);
        for (int i = -1; i < samples; ++i) {  // one to warm up
            struct OverlapSample sample = overlap_sample(&operation, bytes, repeats);
            overhead[i < 0 ? 0 : i] = sample.overhead_ns;
            share[i < 0 ? 0 : i] = sample.share;
        }
    }
    shmem_barrier_all();
    if (is_put && me == target) check("put_nbi", remote, bytes, 1);
    if (!is_put && me == 0) check("get_nbi", local, bytes, target + 1);
    shmem_barrier_all();
    snprintf(measure_name, sizeof measure_name, "overlap_%s_overhead", name);
    report(measure_name, "bytes", (double)bytes, "ns", 1, overhead, samples, 0);
    snprintf(measure_name, sizeof measure_name, "overlap_%s_share", name);
    report(measure_name, "bytes", (double)bytes, "percent", 1, share, samples, 0);
}

int main(int argc, char** argv) {
    static const size_t kSizes[] = {4096, 16384, 65536, 1 << 18, 1 << 20, 4 << 20};
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    options_end("");
    const size_t bytes_max = level == TINY ? 65536 : 4 * MIB;
    target = npes - 1;
    remote = allocate(4096, bytes_max);
    local = (char*)aligned_alloc(4096, bytes_max + 4096) + 2048;  // see bench/apps/automaton.c
    for (size_t i = 0; i < sizeof kSizes / sizeof *kSizes; ++i) {
        if (kSizes[i] > bytes_max) continue;
        measure("put", put, shmem_quiet, kSizes[i]);
        measure("get", get, shmem_quiet, kSizes[i]);
        if (has_requests()) measure("put_req", put_req, await_request, kSizes[i]);
    }
    end();
    return 0;
}
