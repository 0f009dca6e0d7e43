// SPDX-License-Identifier: BSD-3-Clause
//
// Mutexes after the death of a PE. Breaks when the mutex of a dead holder does not pass to the next
// PE, when not just this one is told, or when a PE hands a mutex to one that is still about to
// join, which then joins a later use of the node: two PEs hold a mutex, or none does.
#include <shmemx.h>
#include <signal.h>
#include <stdio.h>

enum { MUTEXES = 2, VISITS = 20000 };

// Symmetric, on PE 0.
static shmemx_mutex_t mutexes[MUTEXES];
static long counters[MUTEXES];
static uint64_t arrived;
static long told;
// Symmetric, on each PE.
static uint64_t phase;

static int me;

static void check(int is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "PE %d: %s\n", me, what);
    shmem_global_exit(1);
}

// A barrier of the PEs below `pes`.
static void meet(int pes) {
    static uint64_t arrivals = 0;  // so far, as PE 0 counts them
    static uint64_t meetings = 0;
    arrivals += (uint64_t)pes;
    ++meetings;
    shmem_uint64_atomic_inc(&arrived, 0);
    if (me == 0) {
        shmem_uint64_wait_until(&arrived, SHMEM_CMP_GE, arrivals);
        for (int pe = 0; pe < pes; ++pe) shmem_uint64_atomic_inc(&phase, pe);
    }
    shmem_uint64_wait_until(&phase, SHMEM_CMP_GE, meetings);
}

// The last of `pes` PEs dies. RETURNS when: this PE knows it.
static void lose_last_of(int pes) {
    const int deaths = shmemx_failure_count();
    meet(pes);
    if (me == pes - 1) raise(SIGKILL);
    check(shmemx_wait_until_failure(&phase, SHMEM_CMP_EQ, 0, deaths) == 0, "phase is 0");
    check(shmemx_failed_pe(deaths) == pes - 1, "another PE has died");
}

static void visit(int i) {
    shmemx_mutex_lock(&mutexes[i], 0);
    if (shmemx_mutex_inherited(&mutexes[i], 0) != 0) shmem_long_atomic_inc(&told, 0);
    shmem_long_p(&counters[i], shmem_long_g(&counters[i], 0) + 1, 0);
    shmemx_mutex_unlock(&mutexes[i], 0);
}

static void check_count(int i, long expected) {
    shmemx_mutex_lock(&mutexes[i], 0);
    check(shmem_long_g(&counters[i], 0) == expected, "updates under the mutex are lost");
    shmemx_mutex_unlock(&mutexes[i], 0);
}

int main(void) {
    shmem_init();
    me = shmem_my_pe();
    const int npes = shmem_n_pes();
    check(shmemx_survive_failures(NULL) == 1, "the launcher does not keep the others alive");
    // All have asked, so a death counts.
    shmem_barrier_all();

    // Each hand-over to a PE that has not joined yet now looks for a dead one.
    lose_last_of(npes);
    for (int i = 0; i < VISITS; ++i) visit(i % MUTEXES);
    meet(npes - 1);
    for (int i = 0; i < MUTEXES; ++i) check_count(i, (long)(npes - 1) * (VISITS / MUTEXES));
    meet(npes - 1);

    // The last PE dies with both mutexes.
    const int left = npes - 2;
    check(me != 0 || told == 0, "a PE is told of a mutex that no dead one had");
    for (int i = 0; me == left && i < MUTEXES; ++i) shmemx_mutex_lock(&mutexes[i], 0);
    lose_last_of(npes - 1);
    visit(0);
    meet(left);
    check_count(0, (long)(npes - 1) * (VISITS / MUTEXES) + left);
    check(me != 0 || told == 1, "not one PE is told of the mutex of the dead one");
    if (me == 0) {
        check(shmemx_mutex_trylock(&mutexes[1], 0) == 2, "the dead PE has the mutex");
        check(shmemx_mutex_inherited(&mutexes[1], 0) == 1, "trylock tells nothing");
        shmemx_mutex_unlock(&mutexes[1], 0);
        check(shmemx_mutex_trylock(&mutexes[1], 0) == 1, "the mutex is free");
        check(shmemx_mutex_inherited(&mutexes[1], 0) == 0, "the mutex is told twice");
        shmemx_mutex_unlock(&mutexes[1], 0);
    }
    if (me == 0) printf("passed\n");
    shmem_finalize();
    return 0;
}
