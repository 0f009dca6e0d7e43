// SPDX-License-Identifier: BSD-3-Clause
//
// What do collective allocations of the symmetric heap take, by size? Nanoseconds on PE 0:
//
//   allocation_malloc, allocation_free     shmem_malloc and shmem_free of one block
//   allocation_calloc                      shmem_calloc, which also writes the block
//   allocation_align                       shmem_align to 4096 bytes
//   allocation_many                        malloc and free of one block beside 100 others, with
//                                          100 holes between them
//   allocation_team_split                  both halves of the world's team made, and given back
//
// Each of the first five contains a barrier by definition: the limit is a barrier's time, for
// calloc with memset's on the same bytes. Verified: alignment, calloc's zeros, that all PEs have
// the block at the same place (a word put into the next PE's block arrives), and that blocks do not
// overlap.
#define _GNU_SOURCE
#include "bench/team_split.h"

enum { kSamplesMax = 64, kBlocks = 100 };

enum kind { MALLOC, CALLOC, ALIGN };

static long sequence;

static void* allocate_block(enum kind kind, size_t bytes) {
    void* block = kind == MALLOC   ? shmem_malloc(bytes)
                  : kind == CALLOC ? shmem_calloc(bytes / 8, 8)
                                   : shmem_align(4096, bytes);
    if (!block) give_up("allocation: no block of %zu bytes", bytes);
    return block;
}

static void check_block(enum kind kind, void* block, size_t bytes) {
    long* words = block;
    const size_t count = bytes / sizeof(long);
    if ((uintptr_t)block % (kind == ALIGN ? 4096 : sizeof(long)) != 0)
        give_up("allocation: %p is not aligned", block);
    for (size_t i = 0; kind == CALLOC && i < count; ++i) {
        if (words[i] == 0) continue;
        give_up("allocation: calloc of %zu bytes: word %zu: expected 0, found %ld", bytes, i,
                words[i]);
    }
    memset(block, 0xa5, bytes);  // the next calloc has something to clear
    ++sequence;
    shmem_barrier_all();
    shmem_long_p(words + count - 1, sequence * 1000 + me, (me + 1) % npes);
    shmem_barrier_all();
    const long expected = sequence * 1000 + (me + npes - 1) % npes;
    if (*(volatile long*)(words + count - 1) == expected) return;
    give_up("allocation: block of %zu bytes: expected %ld from the neighbour, found %ld", bytes,
            expected, words[count - 1]);
}

static double time_of_barrier(void) {
    shmem_barrier_all();
    double start = now_ns();
    shmem_barrier_all();
    return now_ns() - start;
}

// `free_name` may be NULL.
static void measure(const char* name, const char* free_name, enum kind kind, size_t bytes) {
    static double allocate_ns[kSamplesMax], free_ns[kSamplesMax], limit_ns[kSamplesMax];
    const int samples = by_level(3, 15, 61);
    for (int i = -1; i < samples; ++i) {  // one to warm up
        const int at = i < 0 ? 0 : i;
        limit_ns[at] = time_of_barrier();
        shmem_barrier_all();
        double start = now_ns();
        void* block = allocate_block(kind, bytes);
        allocate_ns[at] = now_ns() - start;
        if (i < 2) check_block(kind, block, bytes);
        if (kind == CALLOC) {
            start = now_ns();
            memset(block, 0, bytes);
            __asm__ volatile("" ::: "memory");
            limit_ns[at] += now_ns() - start;
        }
        shmem_barrier_all();
        start = now_ns();
        shmem_free(block);
        free_ns[at] = now_ns() - start;
    }
    const double limit = median(limit_ns, samples);
    report(name, "bytes", (double)bytes, "ns", 1, allocate_ns, samples, limit);
    if (free_name) report(free_name, "bytes", (double)bytes, "ns", 1, free_ns, samples, limit);
}

static size_t size_of(int i) { return 64 * (1 + (size_t)i * 7 % 13); }

static void measure_many(void) {
    static double ours_ns[kSamplesMax];
    const int samples = by_level(3, 15, 61);
    char* blocks[2 * kBlocks];
    for (int i = 0; i < 2 * kBlocks; ++i) {
        blocks[i] = allocate_block(MALLOC, size_of(i));
        memset(blocks[i], i, size_of(i));
    }
    for (int i = 1; i < 2 * kBlocks; i += 2) shmem_free(blocks[i]);
    for (int i = 0; i < samples; ++i) {
        shmem_barrier_all();
        double start = now_ns();
        char* block = allocate_block(MALLOC, size_of(i));
        memset(block, 0x5a, 1);
        shmem_free(block);
        ours_ns[i] = now_ns() - start;
    }
    for (int i = 0; i < 2 * kBlocks; i += 2) {
        for (size_t at = 0; at < size_of(i); ++at) {
            if (blocks[i][at] == (char)i) continue;
            give_up("allocation: block %d: byte %zu: expected %d, found %d", i, at, (char)i,
                    blocks[i][at]);
        }
        shmem_free(blocks[i]);
    }
    report("allocation_many", "blocks", kBlocks, "ns", 1, ours_ns, samples, 0);
}

static void measure_splits(void) {
    static double ours_ns[kSamplesMax];
    const int samples = by_level(3, 15, 61);
    for (int i = -1; i < samples; ++i) {
        shmem_barrier_all();
        double start = now_ns();
        split_halves();
        ours_ns[i < 0 ? 0 : i] = now_ns() - start;
    }
    report("allocation_team_split", "PEs", npes, "ns", 1, ours_ns, samples, 0);
}

int main(int argc, char** argv) {
    static const size_t kSizes[] = {8, 1024, 65536, 4 * MIB, 64 * MIB};
    begin(argc, argv, SHMEM_THREAD_SINGLE);
    options_end("");
    for (size_t i = 0; i < sizeof kSizes / sizeof *kSizes; ++i) {
        const size_t bytes = kSizes[i];
        if (level == TINY && bytes > 65536) continue;
        if (bytes * (size_t)npes > 512 * MIB) continue;  // the node's memory
        measure("allocation_malloc", "allocation_free", MALLOC, bytes);
        measure("allocation_align", NULL, ALIGN, bytes);
        if (bytes <= 4 * MIB) measure("allocation_calloc", NULL, CALLOC, bytes);
    }
    measure_many();
    if (kHasTeams) measure_splits();
    end();
    return 0;
}
