// SPDX-License-Identifier: BSD-3-Clause
//
// The programs of exit_test.py: ways in which a job can end other than by shmem_finalize on all
// PEs. exit_cases CASE [CODE]. PE numbers come from the launcher where the library is not
// initialized.
#include <mpp/shmem.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long words[64];
static int code;

// The number that oshrun gives to PEs for other libraries; usable before shmem_init.
static int early_pe(void) {
    const char* rank = getenv("PMIX_RANK");
    return rank == NULL ? 0 : atoi(rank);
}

static int is_last(void) { return shmem_my_pe() == shmem_n_pes() - 1; }

// All other PEs are in calls that would never end.
static void never_ending(void) {
    volatile long count = 0;
    switch (shmem_my_pe() % 4) {
        case 0: shmem_long_wait_until(words, SHMEM_CMP_EQ, -1); break;
        case 1:
            for (;;) ++count;
        case 2:
            for (;;) pause();
        default: shmem_barrier_all();
    }
}

static void exit_while_others_are_busy(void) {
    shmem_init();
    shmem_barrier_all();
    if (is_last()) shmem_global_exit(code);
    never_ending();
}

static void exit_of_a_lock_holder(void) {
    static long lock;
    shmem_init();
    if (is_last()) shmem_set_lock(&lock);
    shmem_barrier_all();
    if (is_last()) shmem_global_exit(code);
    shmem_set_lock(&lock);
}

// The others wait in shmem_init for the last one.
static void exit_before_init(void) {
    if (early_pe() == 0) shmem_global_exit(code);
    shmem_init();
}

static void exit_after_finalize(void) {
    shmem_init();
    int last = is_last();
    shmem_finalize();
    if (last) shmem_global_exit(code);
    for (;;) pause();
}

static void exit_between_inits(void) {
    shmem_init();
    int last = is_last();
    shmem_finalize();
    if (last) shmem_global_exit(code);
    shmem_init();
}

// Each with a code of its own, 10 to 10 + n - 1.
static void exit_of_all(void) {
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    shmem_global_exit(10 + me);
}

static void* exit_from_here(void* unused) {
    (void)unused;
    shmem_global_exit(code);
    return NULL;
}
static void exit_from_a_thread(void) {
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    shmem_barrier_all();
    pthread_t thread;
    if (is_last() && pthread_create(&thread, NULL, exit_from_here, NULL) != 0) abort();
    shmem_long_wait_until(words, SHMEM_CMP_EQ, -1);
}

// Text without a newline, which only a flush brings out; and the handlers of the program.
static void say_goodbye(void) { fprintf(stderr, "handler\n"); }
static void exit_flushes(void) {
    shmem_init();
    shmem_barrier_all();
    if (!is_last()) shmem_barrier_all();
    atexit(say_goodbye);
    printf("last words");
    shmem_global_exit(code);
}

// No finalize: the end of main does it (deprecated interface).
static void start_pes_without_end(void) {
    start_pes(0);
    int right = (_my_pe() + 1) % _num_pes();
    shmem_long_p(words, 7, right);
    shmem_barrier_all();
    printf("pe %d got %ld\n", _my_pe(), words[0]);
}
static int skewed_start(void) {
    start_pes(0);
    // PE 0 waits for what the others do on their way out of main.
    if (_my_pe() != 0) shmem_long_inc(words, 0);
    if (_my_pe() == 0) shmem_long_wait_until(words, SHMEM_CMP_EQ, _num_pes() - 1);
    return 0;
}
static void start_pes_and_finalize(void) {
    start_pes(0);
    shmem_barrier_all();
    shmem_finalize();
}
static void start_pes_twice(void) {
    start_pes(0);
    start_pes(99);
    shmem_init();
    shmem_finalize();
    printf("pe %d\n", shmem_my_pe());
}
static void start_pes_global_exit(void) {
    start_pes(0);
    if (is_last()) shmem_global_exit(code);
    shmem_barrier_all();
    shmem_barrier_all();
}
static void start_pes_exit_code(void) {
    start_pes(0);
    exit(_my_pe() == 0 ? code : 0);
}

// Different codes after a proper end.
static void codes_after_finalize(void) {
    shmem_init();
    int me = shmem_my_pe();
    shmem_finalize();
    exit(me == 1 ? code : 0);
}

// The other program of a job with two: its PEs and addresses are accessible or not.
static void other_program(void) {
    shmem_init();
    shmem_barrier_all();
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        printf("%d: pe %d is %d, static %d\n", shmem_my_pe(), pe, shmem_pe_accessible(pe),
               shmem_addr_accessible(words, pe));
    }
    fflush(stdout);
    shmem_barrier_all();
    shmem_finalize();
}

int main(int argc, char** argv) {
    const char* name = argc > 1 ? argv[1] : "";
    code = argc > 2 ? atoi(argv[2]) : 0;
    static const struct {
        const char* name;
        void (*run)(void);
    } kCases[] = {{"busy", exit_while_others_are_busy},
                  {"lock", exit_of_a_lock_holder},
                  {"before", exit_before_init},
                  {"after", exit_after_finalize},
                  {"between", exit_between_inits},
                  {"all", exit_of_all},
                  {"thread", exit_from_a_thread},
                  {"flush", exit_flushes},
                  {"start_pes", start_pes_without_end},
                  {"start_pes_finalize", start_pes_and_finalize},
                  {"start_pes_twice", start_pes_twice},
                  {"start_pes_global_exit", start_pes_global_exit},
                  {"start_pes_code", start_pes_exit_code},
                  {"codes", codes_after_finalize},
                  {"programs", other_program}};
    if (strcmp(name, "skewed") == 0) return skewed_start();
    for (size_t i = 0; i < sizeof kCases / sizeof *kCases; ++i) {
        if (strcmp(kCases[i].name, name) != 0) continue;
        kCases[i].run();
        return 0;
    }
    fprintf(stderr, "exit_cases: there is no case %s\n", name);
    return 99;
}
