/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs that hang, one for each kind of mistake: hang_probe KIND, with four PEs. The comment
 * HERE and a word mark the lines that a report must name. */
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t never_set[4];
static long first_lock;
static long second_lock;

static void work_for_ever(void) {
    for (;;) pause(); /* HERE work */
}

static void missed_barrier(int me) {
    for (int i = 0; i < 16; ++i) shmem_barrier_all();
    if (me == 2) work_for_ever(); /* HERE missed */
    shmem_barrier_all();          /* HERE barrier */
}

static void wrong_root(int me) {
    static long source[8];
    static long dest[8];
    for (int i = 0; i < 4; ++i) shmem_sync_all();
    shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, 8, me == 2 ? 3 : 0); /* HERE root */
    shmem_barrier_all();                                                      /* HERE behind */
    shmem_barrier_all();
    shmem_barrier_all();
}

static void lock_cycle(int me) {
    if (me == 0) shmem_set_lock(&first_lock);
    if (me == 1) shmem_set_lock(&second_lock);
    shmem_barrier_all();
    if (me == 0) shmem_set_lock(&second_lock); /* HERE second */
    if (me == 1) shmem_set_lock(&first_lock);  /* HERE first */
    shmem_barrier_all();
}

static void no_signal(int me) {
    if (me == 1) shmem_signal_wait_until(&never_set[2], SHMEM_CMP_GE, 7); /* HERE signal */
    shmem_barrier_all();
}

static void other_team(int me) {
    shmem_team_t upper;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 2, 1, 2, NULL, 0, &upper);
    if (me == 3) shmem_team_sync(upper); /* HERE team */
    shmem_barrier_all();                 /* HERE world */
}

static void active_set(int me) {
    static long psync[SHMEM_BARRIER_SYNC_SIZE];
    for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; ++i) psync[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    if (me == 1) work_for_ever();
    if (me == 0) shmem_barrier(0, 0, 2, psync); /* HERE set */
}

static void mutex(int me) {
    static shmemx_mutex_t guard;
    if (me == 1) shmemx_mutex_lock(&guard, 3);
    shmem_barrier_all();
    if (me == 1) work_for_ever();
    if (me == 2) shmemx_mutex_lock(&guard, 3); /* HERE mutex */
    shmem_barrier_all();
}

static void rwlock(int me) {
    static shmemx_rwlock_t guard;
    if (me == 1 || me == 3) shmemx_rwlock_read_lock(&guard, 0);
    shmem_barrier_all();
    if (me == 2) shmemx_rwlock_write_lock(&guard, 0); /* HERE writer */
    shmem_barrier_all();
}

static void any_of(int me) {
    int status[4] = {0, 1, 0, 0};
    uint64_t values[4] = {1, 2, 3, 4};
    if (me == 0) shmem_uint64_wait_until_any_vector(never_set, 4, status, SHMEM_CMP_EQ, values);
    if (me == 1) shmem_uint64_wait_until_all(never_set, 2, NULL, SHMEM_CMP_NE, 0);
    shmem_barrier_all();
}

static void many_teams(int me) {
    shmem_team_t teams[20];
    for (int i = 0; i < 20; ++i) {
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 4, NULL, 0, &teams[i]);
        shmem_team_sync(teams[i]);
    }
    if (me == 2) work_for_ever();
    shmem_team_sync(teams[7]);
}

static void exited(int me) {
    if (me == 1) exit(0); /* HERE exit */
    shmem_barrier_all();
}

static void left(int me) { /* without exit handlers */
    if (me == 1) _exit(0);
    shmem_barrier_all();
}

int main(int argc, char** argv) {
    const char* kind = argc > 1 ? argv[1] : "";
    if (strcmp(kind, "init") == 0 && argc > 2 && getenv(argv[2]) != NULL &&
        strcmp(getenv(argv[2]), "3") == 0) {
        work_for_ever(); /* HERE before */
    }
    shmem_init(); /* HERE init */
    const int me = shmem_my_pe();
    if (strcmp(kind, "missed_barrier") == 0) missed_barrier(me);
    if (strcmp(kind, "wrong_root") == 0) wrong_root(me);
    if (strcmp(kind, "lock_cycle") == 0) lock_cycle(me);
    if (strcmp(kind, "no_signal") == 0) no_signal(me);
    if (strcmp(kind, "other_team") == 0) other_team(me);
    if (strcmp(kind, "active_set") == 0) active_set(me);
    if (strcmp(kind, "mutex") == 0) mutex(me);
    if (strcmp(kind, "rwlock") == 0) rwlock(me);
    if (strcmp(kind, "any_of") == 0) any_of(me);
    if (strcmp(kind, "many_teams") == 0) many_teams(me);
    if (strcmp(kind, "exited") == 0) exited(me);
    if (strcmp(kind, "left") == 0) left(me);
    if (strcmp(kind, "returned") == 0 && me == 1) return 0;
    if (strcmp(kind, "returned") == 0) shmem_barrier_all();
    printf("PE %d got through\n", me);
    shmem_finalize();
    return 0;
}
