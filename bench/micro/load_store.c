// SPDX-License-Identifier: BSD-3-Clause
//
// How fast are loads and stores one behind the other, by mapping of the memory and by the
// instruction that sends stores to memory (Christgau 2017, 4.4.2, figures 4.11 to 4.13)? By PE 0,
// medians; before each sample it loads all the bytes in the same order, as there. Of 16 bytes,
// because with the four of the paper the count of instructions would be the limit.
//
//   MAPPING_store_WAY   MB/s of stores until they are complete. WAY: none, or clwb, clflushopt and
//                       clflush behind each line, or nontemporal stores, if the processor has them
//   MAPPING_load_WAY    MB/s of loads of bytes that were just stored in this way: a way that leaves
//                       no line in a cache shows what loads past the caches would take
//
// MAPPING: private is memory of this process. heap is symmetric memory of the last PE, where
// software keeps it coherent its public copy: in the file that SHMEM_HEAP names. file (--file PATH)
// is a device or file that the system maps, for example the uncached resource2 and the
// write-combining resource2_wc of a PCI device; its bytes are overwritten. Linux gives programs no
// write-through mapping.
//
// Verified: the loads find what was stored.
#define _GNU_SOURCE
#include <fcntl.h>
#include <shmemx.h>
#include <sys/mman.h>

#include "bench/line_ways.h"
#include "bench/measure.h"

enum { kSamplesMax = 501 };

static double stores[kLineWayCount][kSamplesMax], loads[kLineWayCount][kSamplesMax];

static void measure_once(const char* mapping, int way, Block* blocks, size_t bytes, int sample) {
    const size_t count = bytes / sizeof *blocks;
    static uint32_t value;
    const uint32_t expected = ++value * (uint32_t)(bytes / sizeof value);
    load_blocks(blocks, count);
    double start = now_ns();
    kLineWays[way].store(blocks, count, value);
    stores[way][sample] = (double)bytes * 1e3 / (now_ns() - start);
    start = now_ns();
    const uint32_t found = load_blocks(blocks, count);
    loads[way][sample] = (double)bytes * 1e3 / (now_ns() - start);
    if (found == expected) return;
    give_up("%s, %s, %zu bytes: expected the sum %u, found %u", mapping, kLineWays[way].name, bytes,
            expected, found);
}

// The ways by turns.
static void measure_mapping(const char* mapping, Block* blocks, size_t most) {
    char name[64];
    for (size_t bytes = 4096; bytes <= most; bytes *= 4) {
        const size_t affordable = 8 * (size_t)by_level(1, 8, 64) * MIB / bytes;
        int samples = by_level(3, 51, kSamplesMax);
        if ((size_t)samples > affordable) samples = affordable < 3 ? 3 : (int)affordable;
        for (int i = 0; i < samples; ++i) {
            for (int way = 0; way < kLineWayCount; ++way) {
                if (kLineWays[way].is_there()) measure_once(mapping, way, blocks, bytes, i);
            }
        }
        for (int way = 0; way < kLineWayCount; ++way) {
            if (!kLineWays[way].is_there()) continue;
            snprintf(name, sizeof name, "%s_store_%s", mapping, kLineWays[way].name);
            report(name, "bytes", (double)bytes, "MB/s", 0, stores[way], samples, 0);
            snprintf(name, sizeof name, "%s_load_%s", mapping, kLineWays[way].name);
            report(name, "bytes", (double)bytes, "MB/s", 0, loads[way], samples, 0);
        }
    }
}

static void measure_file(const char* path, size_t most) {
    const int file = open(path, O_RDWR | O_SYNC);
    if (file < 0) give_up("--file %s: cannot open it to read and write", path);
    void* memory = mmap(NULL, most, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) give_up("--file %s: cannot map %zu bytes", path, most);
    close(file);
    measure_mapping("file", memory, most);
    munmap(memory, most);
}

static void measure_private(size_t most) {
    Block* memory = aligned_alloc(4096, most);
    if (!memory) give_up("load_store: no memory for %zu bytes", most);
    memset(memory, 0, most);
    measure_mapping("private", memory, most);
    free(memory);
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    const char* path = option_text("--file", NULL);
    size_t most = (size_t)option("--bytes", by_level(64 << 10, 64 << 20, 64 << 20));
    options_end("[--bytes N] [--file PATH]");
    Block* heap = path ? NULL : allocate(4096, most);
    Block* public = heap ? shmemx_public_ptr(heap, npes - 1) : NULL;
    if (me == 0 && path) measure_file(path, most);
    if (me == 0 && !path) measure_private(most);
    if (me == 0 && public) measure_mapping("heap", public, most);
    end();
    return 0;
}
