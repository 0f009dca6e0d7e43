// SPDX-License-Identifier: BSD-3-Clause
//
// How far is each PE from PE 0? Figures 6.8 and 6.9 of Zhou 2016: the latency of blocking puts
// (with quiet) and gets from PE 0 to each other PE, of 8 B and of 1 MiB. Steps show where nodes
// (or sockets) begin. A single PE measures itself. The limit is memcpy where shmem_ptr gives the
// PE's memory. Each transfer is verified; the other PEs wait in a barrier.
#define _GNU_SOURCE
#include "bench/measure.h"
#include "bench/pairs.h"

enum { kSamplesMax = 64 };

static char *remote, *local, *mapped;  // symmetric; private; the target's `remote`, or NULL
static int target;

static void put(long repeats, size_t bytes) {
    for (long i = 0; i < repeats; ++i) {
        shmem_putmem(remote, local, bytes, target);
        shmem_quiet();
    }
}
static void get(long repeats, size_t bytes) {
    for (long i = 0; i < repeats; ++i) shmem_getmem(local, remote, bytes, target);
}
static void put_limit(long repeats, size_t bytes) {
    for (long i = 0; i < repeats; ++i) {
        memcpy(mapped, local, bytes);
        __asm__ volatile("" ::: "memory");  // each copy counts
    }
}
static void get_limit(long repeats, size_t bytes) {
    for (long i = 0; i < repeats; ++i) {
        memcpy(local, mapped, bytes);
        __asm__ volatile("" ::: "memory");
    }
}

struct row {
    const char* name;
    Body ours, limit;
    int is_put;
    size_t bytes;
};
static const struct row kRows[] = {{"distance_put_8", put, put_limit, 1, 8},
                                   {"distance_get_8", get, get_limit, 0, 8},
                                   {"distance_put_1MiB", put, put_limit, 1, MIB},
                                   {"distance_get_1MiB", get, get_limit, 0, MIB}};

static uint64_t pattern(int pe, size_t index, size_t bytes) {
    return ((uint64_t)(pe + 1) << 40) + index * 0x10001 + bytes;
}

static void verify(const struct row* row) {
    uint64_t* filled = (void*)(row->is_put ? local : remote);
    const uint64_t* moved = (void*)(row->is_put ? remote : local);
    const int source = row->is_put ? 0 : target;
    for (size_t i = 0; i < row->bytes / 8; ++i) filled[i] = pattern(me, i, row->bytes);
    memset(row->is_put ? remote : local, 0xff, row->bytes);
    shmem_barrier_all();
    if (me == 0) row->ours(1, row->bytes);
    shmem_barrier_all();
    for (size_t i = 0; me == (row->is_put ? target : 0) && i < row->bytes / 8; ++i) {
        if (moved[i] == pattern(source, i, row->bytes)) continue;
        give_up("%s, PE 0 and %d: word %zu: expected %llx, found %llx", row->name, target, i,
                (unsigned long long)pattern(source, i, row->bytes), (unsigned long long)moved[i]);
    }
    shmem_barrier_all();
}

static void measure(const struct row* row) {
    static double ours_ns[kSamplesMax], limit_ns[kSamplesMax];
    const int samples = by_level(2, 7, 31);
    verify(row);
    double limit = alone_by_turns(row->ours, mapped ? row->limit : NULL, row->bytes,
                                  by_level(10, 500, 2000) * 1e3, samples, ours_ns, limit_ns);
    report(row->name, "PE", target, "ns", 1, ours_ns, samples, limit);
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    options_end("");
    remote = allocate(4096, MIB);
    local = (char*)aligned_alloc(4096, MIB + 4096) + 2048;  // see bench/apps/automaton.c
    for (target = npes < 2 ? 0 : 1; target < npes; ++target) {
        mapped = shmem_ptr(remote, target);
        for (size_t i = 0; i < sizeof kRows / sizeof *kRows; ++i) measure(&kRows[i]);
    }
    end();
    return 0;
}
