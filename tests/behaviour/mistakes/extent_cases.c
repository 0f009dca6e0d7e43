// SPDX-License-Identifier: BSD-3-Clause
//
// The mistakes of extents_test.py: extent_cases ROUTINE MISTAKE. A count too large for any memory,
// or for the heap, or no array where there must be one. All PEs make the mistake of a collective;
// that of another routine makes the last PE, while the others wait in a barrier. A mistake that
// goes unnoticed ends with code 0. `extent_cases list` prints the routines.
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The range that the test sets: a heap of 4 MiB, team memory and local memory of 2 MiB each.
enum { kRangeBytes = 8 << 20 };

static long psync[SHMEM_ALLTOALLS_SYNC_SIZE];
static long work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static uint64_t signal_word;
static void* dest;
static void* source;
static size_t count;
static int npes;
static int target;

static const char* routine;
static const char* mistake;
static int is_found;

static int is(const char* name) { return strcmp(mistake, name) == 0; }

// Sets dest, source and count as the mistake says. False: the routine is not the one.
static int chosen(const char* name, const char* kind, size_t element_bytes) {
    if (routine == NULL) printf("%s %s\n", kind, name);
    if (routine == NULL || strcmp(routine, name) != 0) return 0;
    is_found = 1;
    const size_t most = SIZE_MAX / element_bytes;
    const size_t total_most = most / (size_t)npes;
    count = 1;
    if (is("wraps")) count = most < SIZE_MAX ? most + 2 : most;
    if (is("most")) count = most;
    if (is("total_wraps")) count = total_most < SIZE_MAX ? total_most + 2 : most;
    if (is("total_most")) count = total_most;
    if (is("half_heap")) count = kRangeBytes / 2 / element_bytes;
    if (is("heap")) count = kRangeBytes / element_bytes + 1;
    if (is("null_dest")) dest = NULL;
    if (is("null_source")) source = NULL;
    return 1;
}

#define MOVES(NAME, T, BYTES)                                                       \
    if (chosen("shmem_" #NAME "_broadcast", "moves", BYTES))                        \
        shmem_##NAME##_broadcast(SHMEM_TEAM_WORLD, (T*)dest, (T*)source, count, 0); \
    if (chosen("shmem_" #NAME "_collect", "moves", BYTES))                          \
        shmem_##NAME##_collect(SHMEM_TEAM_WORLD, (T*)dest, (T*)source, count);      \
    if (chosen("shmem_" #NAME "_fcollect", "moves", BYTES))                         \
        shmem_##NAME##_fcollect(SHMEM_TEAM_WORLD, (T*)dest, (T*)source, count);     \
    if (chosen("shmem_" #NAME "_alltoall", "moves", BYTES))                         \
        shmem_##NAME##_alltoall(SHMEM_TEAM_WORLD, (T*)dest, (T*)source, count);     \
    if (chosen("shmem_" #NAME "_alltoalls", "moves", BYTES))                        \
        shmem_##NAME##_alltoalls(SHMEM_TEAM_WORLD, (T*)dest, (T*)source, 1, 2, count);

static void typed_moves(void) {
    MOVES(char, char, 1)
    MOVES(int, int, 4)
    MOVES(long, long, 8)
    MOVES(longdouble, long double, sizeof(long double))
    if (chosen("shmem_broadcastmem", "moves", 1))
        shmem_broadcastmem(SHMEM_TEAM_WORLD, dest, source, count, 0);
    if (chosen("shmem_collectmem", "moves", 1))
        shmem_collectmem(SHMEM_TEAM_WORLD, dest, source, count);
    if (chosen("shmem_fcollectmem", "moves", 1))
        shmem_fcollectmem(SHMEM_TEAM_WORLD, dest, source, count);
    if (chosen("shmem_alltoallmem", "moves", 1))
        shmem_alltoallmem(SHMEM_TEAM_WORLD, dest, source, count);
    if (chosen("shmem_alltoallsmem", "moves", 1))
        shmem_alltoallsmem(SHMEM_TEAM_WORLD, dest, source, 2, 1, count);
}

#define SIZED_MOVES(BITS)                                                 \
    if (chosen("shmem_broadcast" #BITS, "moves", BITS / 8))               \
        shmem_broadcast##BITS(dest, source, count, 0, 0, 0, npes, psync); \
    if (chosen("shmem_collect" #BITS, "moves", BITS / 8))                 \
        shmem_collect##BITS(dest, source, count, 0, 0, npes, psync);      \
    if (chosen("shmem_fcollect" #BITS, "moves", BITS / 8))                \
        shmem_fcollect##BITS(dest, source, count, 0, 0, npes, psync);     \
    if (chosen("shmem_alltoall" #BITS, "moves", BITS / 8))                \
        shmem_alltoall##BITS(dest, source, count, 0, 0, npes, psync);     \
    if (chosen("shmem_alltoalls" #BITS, "moves", BITS / 8))               \
        shmem_alltoalls##BITS(dest, source, 2, 3, count, 0, 0, npes, psync);

static void sized_moves(void) {
    SIZED_MOVES(32)
    SIZED_MOVES(64)
}

#define REDUCE(NAME, T, OP)                                                \
    if (chosen("shmem_" #NAME "_" #OP "_reduce", "reductions", sizeof(T))) \
        shmem_##NAME##_##OP##_reduce(SHMEM_TEAM_WORLD, dest, source, count);

static void reductions(void) {
    REDUCE(ulong, unsigned long, and)
    REDUCE(uint32, uint32_t, or)
    REDUCE(uchar, unsigned char, xor)
    REDUCE(int, int, max)
    REDUCE(double, double, min)
    REDUCE(long, long, sum)
    REDUCE(complexd, double _Complex, prod)
    if (chosen("shmem_long_sum_inscan", "reductions", 8))
        shmem_long_sum_inscan(SHMEM_TEAM_WORLD, dest, source, count);
    if (chosen("shmem_int_sum_exscan", "reductions", 4))
        shmem_int_sum_exscan(SHMEM_TEAM_WORLD, dest, source, count);
}

// Counts are int, so that they can be too large for the heap only.
#define TO_ALL(NAME, T, OP)                                            \
    if (chosen("shmem_" #NAME "_" #OP "_to_all", "to_all", sizeof(T))) \
        shmem_##NAME##_##OP##_to_all(dest, source, (int)count, 0, 0, npes, (T*)(void*)work, psync);

static void to_all(void) {
    TO_ALL(short, short, and)
    TO_ALL(int, int, or)
    TO_ALL(long, long, xor)
    TO_ALL(float, float, max)
    TO_ALL(longlong, long long, min)
    TO_ALL(double, double, sum)
    TO_ALL(complexf, float _Complex, prod)
}

// Puts and gets: one PE makes the mistake. A NULL fetch counts as NULL dest.
#define PUT(NAME, BYTES, ...) \
    if (chosen(#NAME, "put", BYTES)) NAME(__VA_ARGS__);
#define GET(NAME, BYTES, ...) \
    if (chosen(#NAME, "get", BYTES)) NAME(__VA_ARGS__);
#define CTX SHMEM_CTX_DEFAULT

static void contiguous(void) {
    PUT(shmem_long_put, 8, dest, source, count, target)
    PUT(shmem_ctx_int_put, 4, CTX, dest, source, count, target)
    PUT(shmem_put8, 1, dest, source, count, target)
    PUT(shmem_putmem, 1, dest, source, count, target)
    PUT(shmem_double_put_nbi, 8, dest, source, count, target)
    PUT(shmem_ctx_put128_nbi, 16, CTX, dest, source, count, target)
    PUT(shmem_putmem_nbi, 1, dest, source, count, target)
    GET(shmem_long_get, 8, dest, source, count, target)
    GET(shmem_ctx_int_get, 4, CTX, dest, source, count, target)
    GET(shmem_get16, 2, dest, source, count, target)
    GET(shmem_getmem, 1, dest, source, count, target)
    GET(shmem_float_get_nbi, 4, dest, source, count, target)
    GET(shmem_ctx_getmem_nbi, 1, CTX, dest, source, count, target)
}

static void strided(void) {
    PUT(shmem_long_iput, 8, dest, source, 1, 1, count, target)
    PUT(shmem_ctx_iput32, 4, CTX, dest, source, 1, 1, count, target)
    PUT(shmem_int_ibput, 4, dest, source, 1, 1, 1, count, target)
    PUT(shmem_ctx_ibput64, 8, CTX, dest, source, 1, 1, 1, count, target)
    GET(shmem_long_iget, 8, dest, source, 1, 1, count, target)
    GET(shmem_ctx_iget128, 16, CTX, dest, source, 1, 1, count, target)
    GET(shmem_short_ibget, 2, dest, source, 1, 1, 1, count, target)
    GET(shmem_ibget8, 1, dest, source, 1, 1, 1, count, target)
    PUT(shmem_long_put_signal, 8, dest, source, count, &signal_word, 1, SHMEM_SIGNAL_SET, target)
    PUT(shmem_ctx_put32_signal, 4, CTX, dest, source, count, &signal_word, 1, SHMEM_SIGNAL_SET,
        target)
    PUT(shmem_putmem_signal_nbi, 1, dest, source, count, &signal_word, 1, SHMEM_SIGNAL_ADD, target)
}

#define FETCH(NAME, ...) \
    if (chosen(#NAME, "fetch", 8)) NAME(__VA_ARGS__);
static void fetches(void) {
    FETCH(shmem_long_atomic_fetch_nbi, dest, source, target)
    FETCH(shmem_ctx_ulong_atomic_swap_nbi, CTX, dest, source, 1, target)
    FETCH(shmem_size_atomic_compare_swap_nbi, dest, source, 0, 1, target)
    FETCH(shmem_ctx_long_atomic_fetch_inc_nbi, CTX, dest, source, target)
    FETCH(shmem_uint64_atomic_fetch_add_nbi, dest, source, 1, target)
    FETCH(shmem_ctx_uint64_atomic_fetch_xor_nbi, CTX, dest, source, 1, target)
}

int main(int argc, char** argv) {
    routine = argc > 2 ? argv[1] : NULL;
    mistake = argc > 2 ? argv[2] : "";
    if (routine != NULL) {
        shmem_init();
        npes = shmem_n_pes();
        target = (shmem_my_pe() + 1) % npes;
        dest = shmem_calloc(1024, 1);
        source = shmem_calloc(1024, 1);
    }
    typed_moves();
    sized_moves();
    reductions();
    to_all();
    if (routine == NULL || (!is_found && shmem_my_pe() == npes - 1)) {
        contiguous();
        strided();
        fetches();
    }
    if (routine == NULL) return 0;
    shmem_barrier_all();
    if (!is_found && shmem_my_pe() == npes - 1) return 99;
    shmem_finalize();
    return 0;
}
