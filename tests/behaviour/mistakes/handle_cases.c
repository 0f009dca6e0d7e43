// SPDX-License-Identifier: BSD-3-Clause
//
// The mistakes of handles_test.py: handle_cases ROUTINE VALUE. The last PE gives a routine a handle
// that is none; the others wait in a barrier until the job ends. A mistake that goes unnoticed ends
// with code 0. `handle_cases list` prints the routines.
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long words[64];
static uint64_t signal_word;
static long* heap;
static long* heap_dest;
static int pes[1];
static size_t zero;

static shmem_team_t out_team;
static shmem_team_t out_team_2;
static uint64_t counter;
static shmemx_pcntr_t counters;

// Routines that take a context, and what each is called with.
#define CONTEXT_ROUTINES(X)                                                                     \
    X(shmem_ctx_long_put, (ctx, heap, words, 1, 0))                                             \
    X(shmem_ctx_long_get, (ctx, words, heap, 1, 0))                                             \
    X(shmem_ctx_long_put_nbi, (ctx, heap, words, 1, 0))                                         \
    X(shmem_ctx_long_get_nbi, (ctx, words, heap, 1, 0))                                         \
    X(shmem_ctx_put32, (ctx, heap, words, 1, 0))                                                \
    X(shmem_ctx_get128, (ctx, words, heap, 1, 0))                                               \
    X(shmem_ctx_putmem, (ctx, heap, words, 1, 0))                                               \
    X(shmem_ctx_getmem_nbi, (ctx, words, heap, 1, 0))                                           \
    X(shmem_ctx_long_p, (ctx, heap, 1, 0))                                                      \
    X(shmem_ctx_long_g, (ctx, heap, 0))                                                         \
    X(shmem_ctx_long_iput, (ctx, heap, words, 1, 1, 1, 0))                                      \
    X(shmem_ctx_iget64, (ctx, words, heap, 1, 1, 1, 0))                                         \
    X(shmem_ctx_long_ibput, (ctx, heap, words, 1, 1, 1, 1, 0))                                  \
    X(shmem_ctx_ibget32, (ctx, words, heap, 1, 1, 1, 1, 0))                                     \
    X(shmem_ctx_long_atomic_fetch, (ctx, heap, 0))                                              \
    X(shmem_ctx_long_atomic_fetch_nbi, (ctx, words, heap, 0))                                   \
    X(shmem_ctx_long_atomic_set, (ctx, heap, 1, 0))                                             \
    X(shmem_ctx_long_atomic_swap, (ctx, heap, 1, 0))                                            \
    X(shmem_ctx_long_atomic_swap_nbi, (ctx, words, heap, 1, 0))                                 \
    X(shmem_ctx_long_atomic_compare_swap, (ctx, heap, 0, 1, 0))                                 \
    X(shmem_ctx_long_atomic_compare_swap_nbi, (ctx, words, heap, 0, 1, 0))                      \
    X(shmem_ctx_long_atomic_inc, (ctx, heap, 0))                                                \
    X(shmem_ctx_long_atomic_fetch_inc, (ctx, heap, 0))                                          \
    X(shmem_ctx_long_atomic_fetch_inc_nbi, (ctx, words, heap, 0))                               \
    X(shmem_ctx_long_atomic_add, (ctx, heap, 1, 0))                                             \
    X(shmem_ctx_long_atomic_fetch_add, (ctx, heap, 1, 0))                                       \
    X(shmem_ctx_long_atomic_fetch_add_nbi, (ctx, words, heap, 1, 0))                            \
    X(shmem_ctx_ulong_atomic_and, (ctx, (unsigned long*)heap, 1, 0))                            \
    X(shmem_ctx_ulong_atomic_fetch_or, (ctx, (unsigned long*)heap, 1, 0))                       \
    X(shmem_ctx_ulong_atomic_fetch_xor_nbi,                                                     \
      (ctx, (unsigned long*)words, (unsigned long*)heap, 1, 0))                                 \
    X(shmem_ctx_long_put_signal, (ctx, heap, words, 1, &signal_word, 1, SHMEM_SIGNAL_SET, 0))   \
    X(shmem_ctx_putmem_signal_nbi, (ctx, heap, words, 1, &signal_word, 1, SHMEM_SIGNAL_ADD, 0)) \
    X(shmem_ctx_signal_add, (ctx, &signal_word, 1, 0))                                          \
    X(shmem_ctx_signal_set, (ctx, &signal_word, 1, 0))                                          \
    X(shmem_ctx_fence, (ctx))                                                                   \
    X(shmem_ctx_quiet, (ctx))                                                                   \
    X(shmem_ctx_pe_quiet, (ctx, pes, 1))                                                        \
    X(shmem_ctx_destroy, (ctx))                                                                 \
    X(shmem_ctx_get_team, (ctx, &out_team))                                                     \
    X(shmem_ctx_session_start, (ctx, SHMEM_CTX_SESSION_BATCH, NULL, 0))                         \
    X(shmem_ctx_session_stop, (ctx))                                                            \
    X(shmemx_pcntr_get_issued_write, (ctx, &counter))                                           \
    X(shmemx_pcntr_get_all, (ctx, &counters))

// The same for teams.
#define TEAM_ROUTINES(X)                                                        \
    X(shmem_team_my_pe, (team))                                                 \
    X(shmem_team_n_pes, (team))                                                 \
    X(shmem_team_get_config, (team, 0, NULL))                                   \
    X(shmem_team_translate_pe, (team, 0, SHMEM_TEAM_WORLD))                     \
    X(shmem_team_split_strided, (team, 0, 1, 1, NULL, 0, &out_team))            \
    X(shmem_team_split_2d, (team, 1, NULL, 0, &out_team, NULL, 0, &out_team_2)) \
    X(shmem_team_create_ctx, (team, 0, &out_ctx))                               \
    X(shmem_team_destroy, (team))                                               \
    X(shmem_team_ptr, (team, heap, 0))                                          \
    X(shmemx_team_split_color, (team, 0, 0, NULL, 0, &out_team))                \
    X(shmemx_team_create, (team, pes, 1, NULL, 0, &out_team))                   \
    X(shmemx_team_malloc, (team, 8))                                            \
    X(shmemx_team_align, (team, 64, 8))                                         \
    X(shmemx_team_calloc, (team, 1, 8))                                         \
    X(shmemx_team_free, (team, heap))                                           \
    X(shmem_team_sync, (team))                                                  \
    X(shmem_long_broadcast, (team, heap_dest, heap, 1, 0))                      \
    X(shmem_long_collect, (team, heap_dest, heap, 1))                           \
    X(shmem_long_fcollect, (team, heap_dest, heap, 1))                          \
    X(shmem_long_alltoall, (team, heap_dest, heap, 1))                          \
    X(shmem_long_alltoalls, (team, heap_dest, heap, 1, 1, 1))                   \
    X(shmem_broadcastmem, (team, heap_dest, heap, zero, 0))                     \
    X(shmem_collectmem, (team, heap_dest, heap, 1))                             \
    X(shmem_fcollectmem, (team, heap_dest, heap, zero))                         \
    X(shmem_alltoallmem, (team, heap_dest, heap, zero))                         \
    X(shmem_alltoallsmem, (team, heap_dest, heap, 1, 1, zero))                  \
    X(shmem_long_sum_reduce, (team, heap_dest, heap, 1))                        \
    X(shmem_long_max_reduce, (team, heap_dest, heap, zero))                     \
    X(shmem_uint_and_reduce, (team, (unsigned*)heap_dest, (unsigned*)heap, 1))  \
    X(shmem_long_sum_inscan, (team, heap_dest, heap, 1))                        \
    X(shmem_long_sum_exscan, (team, heap_dest, heap, zero))

static shmem_ctx_t out_ctx;

#define DEFINE(NAME, ARGUMENTS) \
    static void context_##NAME(shmem_ctx_t ctx) { (void)NAME ARGUMENTS; }
CONTEXT_ROUTINES(DEFINE)
#undef DEFINE
#define DEFINE(NAME, ARGUMENTS) \
    static void team_##NAME(shmem_team_t team) { (void)NAME ARGUMENTS; }
TEAM_ROUTINES(DEFINE)
#undef DEFINE
// The second team of shmem_team_translate_pe.
static void team_second(shmem_team_t team) { shmem_team_translate_pe(SHMEM_TEAM_WORLD, 0, team); }

static const struct {
    const char* name;
    void (*with_context)(shmem_ctx_t ctx);
    void (*with_team)(shmem_team_t team);
} kRoutines[] = {
#define ROW(NAME, ARGUMENTS) {#NAME, context_##NAME, NULL},
    CONTEXT_ROUTINES(ROW)
#undef ROW
#define ROW(NAME, ARGUMENTS) {#NAME, NULL, team_##NAME},
        TEAM_ROUTINES(ROW)
#undef ROW
            {"second", NULL, team_second},
};
enum { kCount = sizeof kRoutines / sizeof *kRoutines };

static shmem_ctx_t new_context(void) {
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    if (shmem_ctx_create(0, &ctx) != 0) exit(98);
    return ctx;
}

static shmem_team_t new_team(void) {
    shmem_team_t team = SHMEM_TEAM_INVALID;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &team);
    if (team == SHMEM_TEAM_INVALID) exit(98);
    return team;
}

// Collective over the world: the value of that name, as the bits of a handle.
static uintptr_t invent(const char* value, int for_team) {
    static char here;
    const shmem_ctx_t ctx = new_context();
    const shmem_team_t team = new_team();
    const uintptr_t live = for_team ? (uintptr_t)team : (uintptr_t)ctx;
    if (strcmp(value, "other_kind") == 0) return for_team ? (uintptr_t)ctx : (uintptr_t)team;
    if (strcmp(value, "minus_one") == 0) return UINTPTR_MAX;
    if (strcmp(value, "four") == 0) return 4;
    if (strcmp(value, "odd") == 0) return 0x12345671;
    if (strcmp(value, "static") == 0) return (uintptr_t)&here;
    if (strcmp(value, "heap") == 0) return (uintptr_t)heap;
    if (strcmp(value, "malloc") == 0) return (uintptr_t)calloc(1, 4096);
    if (strcmp(value, "unmapped") == 0) return (uintptr_t)1 << 46;
    if (strcmp(value, "next") == 0) return live + 1;
    if (strcmp(value, "previous") == 0) return live - 1;
    if (strcmp(value, "flipped") == 0) return live ^ (uintptr_t)1 << 40;
    shmem_ctx_destroy(ctx);
    shmem_team_destroy(team);
    if (strcmp(value, "destroyed") == 0) return live;
    if (strcmp(value, "reused") == 0) {
        new_context();
        new_team();
        return live;
    }
    if (strcmp(value, "finalized") == 0) {
        const uintptr_t old = for_team ? (uintptr_t)new_team() : (uintptr_t)new_context();
        shmem_finalize();
        shmem_init();
        heap = shmem_calloc(1024, sizeof(long));
        heap_dest = heap + 512;
        new_context();
        new_team();
        return old;
    }
    fprintf(stderr, "handle_cases: there is no value %s\n", value);
    exit(99);
}

int main(int argc, char** argv) {
    if (argc < 3) {
        for (int i = 0; i < kCount; ++i)
            printf("%s %s\n", kRoutines[i].with_team != NULL ? "team" : "ctx", kRoutines[i].name);
        return 0;
    }
    int at = 0;
    while (at < kCount && strcmp(kRoutines[at].name, argv[1]) != 0) ++at;
    if (at == kCount) return 99;
    shmem_init();
    heap = shmem_calloc(1024, sizeof(long));
    heap_dest = heap + 512;
    const int for_team = kRoutines[at].with_team != NULL;
    const uintptr_t value = invent(argv[2], for_team);
    if (shmem_my_pe() == shmem_n_pes() - 1) {
        if (for_team) {
            kRoutines[at].with_team((shmem_team_t)value);
        } else {
            kRoutines[at].with_context((shmem_ctx_t)value);
        }
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
