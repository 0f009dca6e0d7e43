// SPDX-License-Identifier: BSD-3-Clause
//
// Threads that call the library against the thread level, the options of a context, or the rule
// that one thread of a PE is in a collective of a team. Calls that another thread must meet wait
// for words that no PE sets: the report ends the job.
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long words[4];
static int me;
static shmem_ctx_t ctx;
static shmem_team_t world_again;

static void wait_for_ever(int word) { shmem_long_wait_until(&words[word], SHMEM_CMP_EQ, 1); }

// PE 0 runs the function in a second thread, and `mine` in the first one.
static void run_both(void* (*other)(void*), void (*mine)(void)) {
    pthread_t thread;
    if (me != 0) return;
    if (pthread_create(&thread, NULL, other, NULL) != 0) abort();
    if (mine != NULL) mine();
    pthread_join(thread, NULL);
}

#define OTHER(NAME, CALL)                                      \
    __attribute__((noinline)) static void NAME(void) { CALL; } \
    static void* other_##NAME(void* unused) {                  \
        NAME();                                                \
        return unused;                                         \
    }
#define CASE(NAME) static void case_##NAME(void)

OTHER(funneled, shmem_long_p(words, 1, 0))
CASE(funneled) { run_both(other_funneled, NULL); }

OTHER(single, shmem_long_p(words, 1, 0))
CASE(single) { run_both(other_single, NULL); }

OTHER(serialized, wait_for_ever(0))
static void wait_for_word_1(void) { wait_for_ever(1); }
CASE(serialized) { run_both(other_serialized, wait_for_word_1); }

OTHER(barrier, shmem_barrier_all())
CASE(barrier) {
    run_both(other_barrier, barrier);
    wait_for_ever(2);
}

OTHER(team_sync, shmem_team_sync(world_again))
static void reduce_in_team(void) { shmem_long_sum_reduce(world_again, words, words + 1, 1); }
CASE(team_sync) {
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &world_again);
    run_both(other_team_sync, reduce_in_team);
    wait_for_ever(2);
}

OTHER(private_context, shmem_ctx_long_p(ctx, words, 1, 0))
CASE(private_context) {
    shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx);
    run_both(other_private_context, NULL);
    if (me != 0) wait_for_ever(2);
}

// Right: threads take turns, queries do not count, each thread has a team or context of its own.
OTHER(turns, shmem_long_p(words, 1, shmem_my_pe()))
CASE(turns) {
    run_both(other_turns, NULL);
    shmem_long_p(words + 1, 2, me);
}

static void* ask(void* unused) {
    if (shmem_my_pe() < 0 || shmem_ptr(words, me) == NULL) abort();
    return unused;
}
CASE(queries) { run_both(ask, NULL); }

static void* sync_of_other_team(void* unused) {
    shmem_team_sync(world_again);
    return unused;
}
CASE(teams) {
    pthread_t thread;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &world_again);
    if (pthread_create(&thread, NULL, sync_of_other_team, NULL) != 0) abort();
    shmem_barrier_all();
    pthread_join(thread, NULL);
    shmem_team_destroy(world_again);
}

static const struct {
    const char* name;
    void (*run)(void);
    int level;
} kCases[] = {
    {"funneled", case_funneled, SHMEM_THREAD_FUNNELED},
    {"single", case_single, SHMEM_THREAD_SINGLE},
    {"serialized", case_serialized, SHMEM_THREAD_SERIALIZED},
    {"barrier", case_barrier, SHMEM_THREAD_MULTIPLE},
    {"team_sync", case_team_sync, SHMEM_THREAD_MULTIPLE},
    {"private_context", case_private_context, SHMEM_THREAD_MULTIPLE},
    {"turns", case_turns, SHMEM_THREAD_SERIALIZED},
    {"queries", case_queries, SHMEM_THREAD_FUNNELED},
    {"teams", case_teams, SHMEM_THREAD_MULTIPLE},
};

int main(int argc, char** argv) {
    for (size_t i = 0; i < sizeof kCases / sizeof kCases[0]; i++) {
        if (argc < 2 || strcmp(argv[1], kCases[i].name) != 0) continue;
        int provided;
        shmem_init_thread(kCases[i].level, &provided);
        me = shmem_my_pe();
        kCases[i].run();
        shmem_finalize();
        return 0;
    }
    fprintf(stderr, "there is no such case\n");
    return 99;
}
