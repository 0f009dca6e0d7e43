// SPDX-License-Identifier: BSD-3-Clause
//
// The programs of finalize_test.py: shmem_finalize without an init, or no shmem_finalize at all,
// and output that has not been flushed when the job ends. finalize_cases CASE.
#define _GNU_SOURCE
#include <pthread.h>
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// The profiling name, which shmem.h does not declare.
void pshmem_finalize(void);

enum { kRounds = 300, kLargeBytes = 200000 };

static long words[kRounds];
static long count;
static long flag;

static int is_last(void) { return shmem_my_pe() == shmem_n_pes() - 1; }

static void check(int condition, const char* what) {
    if (condition) return;
    fprintf(stderr, "finalize_cases: %s\n", what);
    shmem_global_exit(99);
}

// ---- shmem_finalize without an init ----

static void finalize_before_init(void) {
    shmem_finalize();
    pshmem_finalize();
    shmem_init();
    shmem_barrier_all();
    shmem_finalize();
    printf("done\n");
}

static void finalize_twice(void) {
    shmem_init();
    shmem_barrier_all();
    shmem_finalize();
    pshmem_finalize();
    shmem_finalize();
    printf("done\n");
}

// As a program does that has nothing to do but to print its options.
static void finalize_only(void) {
    printf("done\n");
    shmem_finalize();
}

static void finalize_in_child(void) {
    shmem_init();
    pid_t child = fork();
    if (child == 0) {
        shmem_finalize();
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    check(status == 0, "shmem_finalize in a child of fork() ended the child");
    shmem_finalize();
    printf("done\n");
}

// ---- output before the end of the job ----

static void fail_after_text(void) {
    shmem_init();
    shmem_barrier_all();
    if (!is_last()) shmem_barrier_all();
    printf("last words");
    shmem_long_p(&flag, 1, -1);
}

static void fail_after_large_text(void) {
    static char buffer[kLargeBytes + 1];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    shmem_init();
    shmem_barrier_all();
    if (!is_last()) shmem_barrier_all();
    for (int i = 0; i < kLargeBytes; ++i) putchar('x');
    shmem_long_p(&flag, 1, -1);
}

static void* keep_stdout(void* ready) {
    flockfile(stdout);
    pthread_barrier_wait(ready);
    for (;;) pause();
    return NULL;
}
static void fail_while_stdout_is_locked(void) {
    pthread_barrier_t ready;
    pthread_t thread;
    shmem_init();
    pthread_barrier_init(&ready, NULL, 2);
    check(pthread_create(&thread, NULL, keep_stdout, &ready) == 0, "no thread");
    pthread_barrier_wait(&ready);
    shmem_long_p(&flag, 1, -1);
}

// ---- no shmem_finalize ----

static void no_finalize(void) {
    shmem_init();
    long from = (shmem_my_pe() + 1) % shmem_n_pes();
    shmem_long_put_nbi(words, &from, 1, (int)from);
    shmem_barrier_all();
    printf("pe %d\n", shmem_my_pe());
}

// Runs after main, while the library still works.
static void tell_the_others(void) {
    for (int pe = 0; pe < shmem_n_pes(); ++pe) shmem_long_p(&flag, 1, pe);
    shmem_quiet();
}

// PE 0 leaves at once, and the others have work to do in its memory.
static void no_finalize_and_others_are_busy(void) {
    shmem_init();
    for (int i = 0; i < kRounds; ++i) words[i] = shmem_my_pe() + i;
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        atexit(tell_the_others);
        return;
    }
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    for (int i = 0; i < kRounds; ++i) {
        check(shmem_long_g(&words[i], 0) == i, "PE 0 has other words");
        shmem_long_atomic_inc(&count, 0);
    }
    check(shmem_long_atomic_fetch(&count, 0) >= kRounds, "PE 0 does not count");
}

// The last PE leaves, and the others wait for it.
static void leave_others_in_barrier(void) {
    shmem_init();
    shmem_barrier_all();
    if (!is_last()) shmem_barrier_all();
}
static void leave_others_in_finalize(void) {
    shmem_init();
    shmem_barrier_all();
    if (!is_last()) shmem_finalize();
}
static void leave_others_in_broadcast(void) {
    shmem_init();
    shmem_barrier_all();
    if (!is_last())
        shmem_long_broadcast(SHMEM_TEAM_WORLD, words, words, kRounds, shmem_n_pes() - 1);
}
static void leave_others_in_team(void) {
    shmem_team_t team;
    shmem_init();
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &team);
    shmem_barrier_all();
    if (!is_last()) shmem_long_sum_reduce(team, words, words, 1);
}
static void leave_others_in_wait(void) {
    shmem_init();
    shmem_barrier_all();
    if (!is_last()) shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
}

static void leave_without_handlers(void) {
    shmem_init();
    shmem_barrier_all();
    _exit(0);
}

static void* exit_here(void* unused) {
    (void)unused;
    exit(0);
}
static void leave_from_a_thread(void) {
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    shmem_barrier_all();
    pthread_t thread;
    if (is_last()) check(pthread_create(&thread, NULL, exit_here, NULL) == 0, "no thread");
    shmem_barrier_all();
    if (is_last()) pause();
    shmem_barrier_all();
}

static void exit_now(int number) {
    (void)number;
    exit(0);
}
// PE 0 interrupts the last PE in the middle of a call.
static void leave_from_a_handler(void) {
    static long pid;
    shmem_init();
    signal(SIGUSR2, exit_now);
    if (is_last()) shmem_long_p(&pid, getpid(), 0);
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
        kill((pid_t)pid, SIGUSR2);
    }
    if (is_last()) {
        shmem_long_p(&flag, 1, 0);
        for (;;) shmem_long_atomic_inc(&count, 0);
    }
    shmem_barrier_all();
}

int main(int argc, char** argv) {
    const char* name = argc > 1 ? argv[1] : "";
    static const struct {
        const char* name;
        void (*run)(void);
    } kCases[] = {{"finalize_before_init", finalize_before_init},
                  {"finalize_twice", finalize_twice},
                  {"finalize_only", finalize_only},
                  {"finalize_in_child", finalize_in_child},
                  {"fail_after_text", fail_after_text},
                  {"fail_after_large_text", fail_after_large_text},
                  {"fail_while_stdout_is_locked", fail_while_stdout_is_locked},
                  {"no_finalize", no_finalize},
                  {"others_are_busy", no_finalize_and_others_are_busy},
                  {"barrier", leave_others_in_barrier},
                  {"finalize", leave_others_in_finalize},
                  {"broadcast", leave_others_in_broadcast},
                  {"team", leave_others_in_team},
                  {"wait", leave_others_in_wait},
                  {"no_handlers", leave_without_handlers},
                  {"thread", leave_from_a_thread},
                  {"handler", leave_from_a_handler}};
    for (size_t i = 0; i < sizeof kCases / sizeof *kCases; ++i) {
        if (strcmp(kCases[i].name, name) != 0) continue;
        kCases[i].run();
        return 0;
    }
    fprintf(stderr, "finalize_cases: there is no case %s\n", name);
    return 99;
}
