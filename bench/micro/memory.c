// SPDX-License-Identifier: BSD-3-Clause
//
// How much memory does a PE use? From /proc/self/smaps, in KiB, one sample for each PE:
//
//   memory_private_*       pages that no other process has
//   memory_proportional_*  with each shared page divided by the processes that share it: the sum
//                          over the PEs is what the node needs
//   memory_resident_*      all pages that the PE has touched
//
// at three moments: `init` (after shmem_init), `barrier` (after a barrier), `traffic` (after puts,
// gets and atomics with every PE). The symmetric heaps are left out, which are the program's; with
// them: memory_with_heap_*, proportional. x: PEs.
#define _GNU_SOURCE
#include "bench/smaps.h"

enum { kMoments = 3 };

static const char* const kMomentNames[kMoments] = {"init", "barrier", "traffic"};

static struct { struct memory without_heap, with_heap; } moments[kMoments];

static long* traffic;  // symmetric: a word for each PE

// The addresses of all PEs' heaps that are mapped here.
static int heaps(void** addresses) {
    int count = 0;
    for (int pe = 0; pe < npes; ++pe) {
        void* address = shmem_ptr(traffic, pe);
        if (address) addresses[count++] = address;
    }
    if (count == 0) addresses[count++] = traffic;
    return count;
}

static void look(int moment, void* const* excluded, int count) {
    moments[moment].without_heap = memory_in_use(excluded, count);
    moments[moment].with_heap = memory_in_use(NULL, 0);
}

static void exchange(void) {
    for (int i = 0; i < npes; ++i) {
        const int pe = (me + i) % npes;
        shmem_long_p(traffic + me, me + 1, pe);
        shmem_quiet();
        if (shmem_long_g(traffic + me, pe) != me + 1) give_up("memory: a put is lost");
        shmem_long_atomic_add(traffic + npes, 1, pe);
    }
    shmem_barrier_all();
    if (*(volatile long*)(traffic + npes) != npes)
        give_up("memory: expected %d additions, found %ld", npes, traffic[npes]);
    for (int pe = 0; pe < npes; ++pe) {
        if (*(volatile long*)(traffic + pe) == pe + 1) continue;
        give_up("memory: word %d: expected %d, found %ld", pe, pe + 1, traffic[pe]);
    }
}

// All PEs' values, as samples. Collective.
static void report_all(const char* name, int moment, double value) {
    static double* cells;
    char full[64];
    if (!cells) cells = allocate(64, sizeof *cells * (size_t)npes);
    shmem_barrier_all();
    shmem_double_p(cells + me, value / 1024, 0);
    shmem_barrier_all();
    snprintf(full, sizeof full, "memory_%s_%s", name, kMomentNames[moment]);
    report(full, "PEs", npes, "KiB", 1, cells, npes, 0);
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    options_end("");
    traffic = shmem_malloc(sizeof *traffic * (size_t)(npes + 1));
    void** addresses = malloc(sizeof *addresses * (size_t)npes);
    if (!traffic || !addresses) give_up("memory: no memory");
    const int count = heaps(addresses);
    // begin() has made a barrier of its own; `init` is what the library has without traffic.
    look(0, addresses, count);
    memset(traffic, 0, sizeof *traffic * (size_t)(npes + 1));
    shmem_barrier_all();
    look(1, addresses, count);
    shmem_barrier_all();
    exchange();
    look(2, addresses, count);
    for (int i = 0; i < kMoments; ++i) {
        report_all("private", i, moments[i].without_heap.is_private);
        report_all("proportional", i, moments[i].without_heap.proportional);
        report_all("resident", i, moments[i].without_heap.resident);
        report_all("with_heap", i, moments[i].with_heap.proportional);
    }
    end();
    return 0;
}
