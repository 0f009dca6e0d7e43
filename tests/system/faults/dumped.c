// SPDX-License-Identifier: BSD-3-Clause
//
// Checks what a core file of a PE would have, by the flags of its mappings: its own memory as far
// as it is used, and nothing of other PEs. If this breaks, the dump of one PE fills the memory of
// the node with pages of all heaps. With the argument "abort" PE 0 dumps core, for
// core_file_test.py.
#include <shmem.h>
#include <shmemx.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { kBlockBytes = 1 << 20 };
static const uint64_t kBytesMax = UINT64_C(64) << 20;

static char statics[kBlockBytes] = {1};

typedef struct {
    uintptr_t begin, end;
    int is_dumped;
} Mapping;

static Mapping mappings[10000];
static int mapping_count;

// Private memory that was never touched is in no core file, so it does not count.
static void read_mappings(void) {
    FILE* file = fopen("/proc/self/smaps", "r");
    char line[512];
    Mapping mapping = {0, 0, 0};
    char flags[5] = "";
    mapping_count = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        uintptr_t begin, end;
        char access[5];
        if (sscanf(line, "%lx-%lx %4s", &begin, &end, access) == 3) {
            mapping = (Mapping){begin, end, 0};
            memcpy(flags, access, sizeof flags);
        } else if (strncmp(line, "VmFlags:", 8) == 0 && flags[3] == 's') {
            mapping.is_dumped = strstr(line, " dd") == NULL && flags[0] == 'r';
            mappings[mapping_count++] = mapping;
        }
    }
    fclose(file);
}

static int is_dumped(const void* address) {
    for (int i = 0; i < mapping_count; ++i) {
        if (mappings[i].begin <= (uintptr_t)address && (uintptr_t)address < mappings[i].end)
            return mappings[i].is_dumped;
    }
    return -1;
}

static void expect(int seen, int wanted, const char* what) {
    if (seen == wanted) return;
    fprintf(stderr, "pe %d: %s: dumped %d, expected %d\n", shmem_my_pe(), what, seen, wanted);
    shmem_global_exit(1);
}

static void expect_block(const char* block, size_t bytes, const char* what) {
    expect(is_dumped(block), 1, what);
    expect(is_dumped(block + bytes - 1), 1, what);
}

int main(int argc, char** argv) {
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes();
    char* block = shmem_malloc(kBlockBytes);
    memset(block, 1, kBlockBytes);
    char* next = shmem_malloc(100);  // a little behind
    char* zeros = shmem_calloc(3, kBlockBytes);
    char* grown = shmem_realloc(shmem_malloc(10), 5 * kBlockBytes);
    char* team = shmemx_team_malloc(SHMEM_TEAM_WORLD, kBlockBytes);
    char* local = shmemx_local_malloc(kBlockBytes);
    char* small_local = shmemx_local_malloc(24);
    read_mappings();
    expect_block(block, kBlockBytes, "the symmetric heap");
    expect_block(next, 100, "a small block");
    expect_block(zeros, 3 * kBlockBytes, "shmem_calloc");
    expect_block(grown, 5 * kBlockBytes, "shmem_realloc");
    expect_block(team, kBlockBytes, "team memory");
    expect_block(local, kBlockBytes, "local memory");
    expect_block(small_local, 24, "a small block of local memory");
    if (npes > 1) expect_block(statics, kBlockBytes, "static data");
    expect(is_dumped(grown + kBytesMax), 0, "memory that was never allocated");
    for (int pe = 0; pe < npes; ++pe) {
        const void* theirs = shmem_ptr(block, pe);
        const void* their_statics = shmem_ptr(statics, pe);
        if (pe == me || theirs == NULL) continue;
        expect(is_dumped(theirs), 0, "the heap of another PE");
        if (their_statics != NULL) expect(is_dumped(their_statics), 0, "statics of another PE");
    }
    uint64_t bytes = 0;
    for (int i = 0; i < mapping_count; ++i) {
        if (mappings[i].is_dumped) bytes += mappings[i].end - mappings[i].begin;
    }
    if (bytes > kBytesMax) {
        fprintf(stderr, "pe %d: a core file would have %lu bytes\n", me, (unsigned long)bytes);
        shmem_global_exit(1);
    }
    shmem_barrier_all();
    if (argc > 1 && strcmp(argv[1], "abort") == 0 && me == 0) {
        struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
        setrlimit(RLIMIT_CORE, &limit);
        abort();
    }
    if (me == 0) printf("%lu bytes\n", (unsigned long)bytes);
    shmem_finalize();
    return 0;
}
