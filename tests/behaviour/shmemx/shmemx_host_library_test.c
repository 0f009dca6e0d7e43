// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a library that loads this one with dlopen() does not find a name that it needs, or
// cannot work through what it finds. The program is not linked with the library and includes none
// of its headers: all it knows are names, and the types that go with them.
// Usage: shmemx_host_library_test libsma.so host_library_symbols.txt
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void* library;
static int failures;

static void* find(const char* name) {
    void* symbol = dlsym(library, name);
    if (symbol == NULL) {
        fprintf(stderr, "missing: %s (%s)\n", name, dlerror());
        ++failures;
    }
    return symbol;
}

// All names of the list. RETURNS how many were looked for.
static int find_all(const char* list) {
    FILE* file = fopen(list, "r");
    if (file == NULL) {
        perror(list);
        exit(2);
    }
    int count = 0;
    char line[256];
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#' || line[0] == '\0') continue;
        find(line);
        ++count;
    }
    fclose(file);
    return count;
}

static void check(int is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "wrong: %s\n", what);
    ++failures;
}

// POSIX lets an object pointer become a function pointer; ISO C does so through memory.
#define FUNCTION(RESULT, VARIABLE, NAME, ...)        \
    RESULT (*VARIABLE)(__VA_ARGS__) = NULL;          \
    {                                                \
        void* address = find(NAME);                  \
        memcpy(&VARIABLE, &address, sizeof address); \
    }

typedef void* Team;

// As such a library starts, communicates and ends.
static void work(void) {
    FUNCTION(int, preinit_thread, "shmemx_heap_preinit_thread", int, int*)
    FUNCTION(void, create, "shmemx_heap_create", void*, size_t, int, int)
    FUNCTION(void, postinit, "shmemx_heap_postinit", void)
    FUNCTION(int, my_pe, "shmem_my_pe", void)
    FUNCTION(int, n_pes, "shmem_n_pes", void)
    FUNCTION(void*, calloc_symmetric, "shmem_calloc", size_t, size_t)
    FUNCTION(void, put, "shmem_uint8_put", uint8_t*, const uint8_t*, size_t, int)
    FUNCTION(void, ibput, "shmemx_uint64_ibput", uint64_t*, const uint64_t*, ptrdiff_t, ptrdiff_t,
             size_t, size_t, int)
    FUNCTION(uint64_t, fetch_add, "shmem_uint64_atomic_fetch_add", uint64_t*, uint64_t, int)
    FUNCTION(void, barrier_all, "shmem_barrier_all", void)
    FUNCTION(int, sum, "shmem_int64_sum_reduce", Team, int64_t*, const int64_t*, size_t)
    FUNCTION(int, team_n_pes, "shmem_team_n_pes", Team)
    FUNCTION(int, team_my_pe, "shmem_team_my_pe", Team)
    FUNCTION(void, finalize, "shmem_finalize", void)
    if (failures != 0) return;
    // Objects of type shmem_team_t, read once.
    const Team world = *(Team*)find("SHMEM_TEAM_WORLD");
    const Team shared = *(Team*)find("SHMEM_TEAM_SHARED");
    const Team node = *(Team*)find("SHMEMX_TEAM_NODE");

    int provided = -1;
    check(preinit_thread(3, &provided) == 0 && provided == 3, "shmemx_heap_preinit_thread");
    const int me = my_pe();
    const int npes = n_pes();
    const int right = (me + 1) % npes;
    const int left = (me + npes - 1) % npes;
    // Memory of a GPU (Level Zero); the library only has to take it.
    create((void*)((uintptr_t)1 << 45), 1 << 20, 0, 0);
    postinit();
    check(team_n_pes(world) == npes && team_my_pe(world) == me, "SHMEM_TEAM_WORLD");
    check(team_n_pes(shared) == npes && team_my_pe(shared) == me, "SHMEM_TEAM_SHARED");
    check(team_n_pes(node) == npes && team_my_pe(node) == me, "SHMEMX_TEAM_NODE");
    check(world != shared && shared != node && node != world, "three different teams");

    uint8_t* bytes = calloc_symmetric(64, 8);
    uint64_t* words = (uint64_t*)bytes + 8;
    const uint8_t sent[3] = {(uint8_t)me, 1, 2};
    put(bytes, sent, 3, right);
    const uint64_t values[] = {100, 101, 102};
    ibput(words, values, 2, 2, 1, 2, right);
    fetch_add(words + 10, (uint64_t)me + 1, 0);
    barrier_all();
    check(bytes[0] == left && bytes[1] == 1 && bytes[2] == 2, "shmem_uint8_put");
    check(words[0] == 100 && words[1] == 0 && words[2] == 102, "shmemx_uint64_ibput");
    const uint64_t total = (uint64_t)npes * ((uint64_t)npes + 1) / 2;
    check(me != 0 || words[10] == total, "shmem_uint64_atomic_fetch_add");
    int64_t* numbers = (int64_t*)words + 20;
    const Team teams[] = {world, shared, node};
    for (int i = 0; i < 3; ++i) {
        numbers[0] = me + 1;
        numbers[1] = 0;
        check(sum(teams[i], numbers + 1, numbers, 1) == 0 && numbers[1] == (int64_t)total,
              "shmem_int64_sum_reduce");
        barrier_all();
    }
    finalize();
}

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    const int count = find_all(argv[2]);
    if (count != 365 + 24) {
        fprintf(stderr, "%d names in the list, not 365 and 24\n", count);
        ++failures;
    }
    work();
    return failures != 0;
}
