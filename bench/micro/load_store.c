// SPDX-License-Identifier: BSD-3-Clause
//
// How fast are loads and stores of four bytes one behind the other, by mapping of the memory and by
// the instruction that sends stores to memory (Christgau 2017, 4.4.2, figures 4.11 to 4.13)? By
// PE 0, medians; before each sample it loads all the bytes in the same order, as there.
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

static double rates_of_store[kSamplesMax], rates_of_load[kSamplesMax];

static void measure(const char* mapping, const struct LineWay* way, uint32_t* words, size_t bytes,
                    int samples) {
    const size_t count = bytes / sizeof *words;
    static uint32_t first;
    char name[64];
    for (int i = 0; i < samples; ++i) {
        ++first;
        const uint32_t last = (uint32_t)count - 1;
        const uint32_t expected = (uint32_t)(count * first + (uint64_t)count * last / 2);
        load_words(words, count);
        double start = now_ns();
        way->store(words, count, first);
        rates_of_store[i] = (double)bytes * 1e3 / (now_ns() - start);
        start = now_ns();
        const uint32_t found = load_words(words, count);
        rates_of_load[i] = (double)bytes * 1e3 / (now_ns() - start);
        if (found != expected) {
            give_up("%s, %s, %zu bytes: expected the sum %u, found %u", mapping, way->name, bytes,
                    expected, found);
        }
    }
    snprintf(name, sizeof name, "%s_store_%s", mapping, way->name);
    report(name, "bytes", (double)bytes, "MB/s", 0, rates_of_store, samples, 0);
    snprintf(name, sizeof name, "%s_load_%s", mapping, way->name);
    report(name, "bytes", (double)bytes, "MB/s", 0, rates_of_load, samples, 0);
}

static void measure_mapping(const char* mapping, uint32_t* words, size_t most) {
    for (size_t bytes = 4096; bytes <= most; bytes *= 4) {
        const size_t affordable = 8 * (size_t)by_level(1, 8, 64) * MIB / bytes;
        int samples = by_level(3, 51, kSamplesMax);
        if ((size_t)samples > affordable) samples = affordable < 3 ? 3 : (int)affordable;
        for (const struct LineWay* way = kLineWays; way < kLineWays + kLineWayCount; ++way) {
            if (way->is_there()) measure(mapping, way, words, bytes, samples);
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
    uint32_t* memory = aligned_alloc(4096, most);
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
    uint32_t* heap = path ? NULL : allocate(4096, most);
    uint32_t* public = heap ? shmemx_public_ptr(heap, npes - 1) : NULL;
    if (me == 0 && path) measure_file(path, most);
    if (me == 0 && !path) measure_private(most);
    if (me == 0 && public) measure_mapping("heap", public, most);
    end();
    return 0;
}
