// SPDX-License-Identifier: BSD-3-Clause
//
// The programs of leave_test.py: processes that leave by exit() at a place where the library still
// lives. leave_cases CASE. Always on several nodes, so that transfers go through the fabric.
#include <pthread.h>
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kWords = 8192, kRounds = 3, kExitCode = 7 };

static long* words;
static long copy[kWords];
static long arrived;

// Every PE writes to the next one, long and short, and reads back what it wrote.
static void check_round(long round) {
    int me = shmem_my_pe();
    int npes = shmem_n_pes();
    int next = (me + 1) % npes;
    for (int i = 0; i < kWords; ++i) copy[i] = round * 1000 + me + i;
    shmem_long_put(words, copy, kWords, next);
    shmem_long_atomic_add(&arrived, 1, next);
    shmem_barrier_all();
    int before = (me + npes - 1) % npes;
    for (int i = 0; i < kWords; ++i) {
        if (words[i] != round * 1000 + before + i) shmem_global_exit(90);
    }
    if (arrived != round + 1) shmem_global_exit(91);
    memset(copy, 0, sizeof copy);
    shmem_long_get(copy, words, kWords, next);
    for (int i = 0; i < kWords; ++i) {
        if (copy[i] != round * 1000 + me + i) shmem_global_exit(92);
    }
    shmem_barrier_all();
}

static void fork_a_child_that_exits(int code) {
    pid_t child = fork();
    if (child == 0) exit(code);
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != code)
        shmem_global_exit(93);
}

// Children exit before the first contact with another node, and after it.
static void fork_and_exit(void) {
    for (long round = 0; round < kRounds; ++round) {
        fork_a_child_that_exits(round == 1 ? 0 : kExitCode);
        check_round(round);
    }
    printf("pe %d intact\n", shmem_my_pe());
}

static void* exit_here(void* unused) {
    (void)unused;
    exit(kExitCode);
}

// The last PE leaves while its main thread transfers; the others wait for it.
static void transfer_for_ever(void) {
    for (;;) {
        shmem_long_put(words, copy, kWords, 0);
        shmem_long_atomic_inc(&arrived, 0);
        shmem_quiet();
    }
}

static int is_last(void) { return shmem_my_pe() == shmem_n_pes() - 1; }

static void exit_from_a_thread(void) {
    if (!is_last()) shmem_long_wait_until(words, SHMEM_CMP_EQ, -1);
    pthread_t thread;
    if (pthread_create(&thread, NULL, exit_here, NULL) != 0) abort();
    transfer_for_ever();
}

static void leave_now(int number) {
    (void)number;
    exit(kExitCode);
}

static void* interrupt(void* main_thread) {
    pthread_kill(*(pthread_t*)main_thread, SIGUSR1);
    return NULL;
}

static void exit_from_a_handler(void) {
    if (!is_last()) shmem_long_wait_until(words, SHMEM_CMP_EQ, -1);
    signal(SIGUSR1, leave_now);
    static pthread_t self;
    self = pthread_self();
    pthread_t thread;
    if (pthread_create(&thread, NULL, interrupt, &self) != 0) abort();
    transfer_for_ever();
}

int main(int argc, char** argv) {
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    words = shmem_calloc(kWords, sizeof *words);
    if (words == NULL || argc != 2) return 99;
    if (strcmp(argv[1], "fork") == 0) fork_and_exit();
    if (strcmp(argv[1], "thread") == 0) exit_from_a_thread();
    if (strcmp(argv[1], "handler") == 0) exit_from_a_handler();
    shmem_finalize();
    return 0;
}
