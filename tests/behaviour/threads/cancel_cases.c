// SPDX-License-Identifier: BSD-3-Clause
//
// A thread of each PE repeats a routine and is cancelled; the arguments name routines, or `all`.
// Afterwards the PE joins the thread, and the routines still work: nothing is locked, and nothing
// that the thread has begun is missing.
#include <pthread.h>
#include <sched.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kThreads = 20, kLongs = 4096, kCallsBefore = 3 };

static long word, never, sums[2], lock;
static uint64_t signal_word;
static long in_static[kLongs];
static long* in_heap;
static long started;  // calls of the thread that is to be cancelled
static long source[kLongs];

static int right(void) { return (shmem_my_pe() + 1) % shmem_n_pes(); }

static void put_and_quiet(void) {
    shmem_long_p(&word, 3, right());
    shmem_quiet();
}
static void p(void) { shmem_long_p(&word, 3, right()); }
static void put(void) { shmem_long_put(in_heap, source, kLongs, right()); }
static void put_nbi(void) { shmem_long_put_nbi(in_heap, source, kLongs, right()); }
static void g(void) { (void)shmem_long_g(&word, right()); }
static void get(void) { shmem_long_get(source, in_static, kLongs, right()); }
static void fetch(void) { (void)shmem_long_atomic_fetch(&word, right()); }
static void add(void) { shmem_long_atomic_add(&sums[0], 1, right()); }
static void fetch_add(void) { (void)shmem_long_atomic_fetch_add(&sums[0], 1, right()); }
static void put_signal(void) {
    shmem_long_put_signal(in_heap, source, kLongs, &signal_word, 1, SHMEM_SIGNAL_ADD, right());
}
static void fence(void) {
    shmem_long_p(&word, 3, right());
    shmem_fence();
}
static void wait_until(void) { shmem_long_wait_until(&never, SHMEM_CMP_NE, 0); }
static void test(void) { (void)shmem_long_test(&never, SHMEM_CMP_NE, 0); }
static void set_lock(void) {
    shmem_set_lock(&lock);
    shmem_clear_lock(&lock);
    pthread_testcancel();
}
static void context(void) {
    shmem_ctx_t ctx;
    if (shmem_ctx_create(0, &ctx) != 0) return;
    shmem_ctx_long_p(ctx, &word, 3, right());
    shmem_ctx_destroy(ctx);
    pthread_testcancel();
}

static const struct {
    const char* name;
    void (*call)(void);
} kCases[] = {{"put_and_quiet", put_and_quiet},
              {"p", p},
              {"put", put},
              {"put_nbi", put_nbi},
              {"g", g},
              {"get", get},
              {"fetch", fetch},
              {"add", add},
              {"fetch_add", fetch_add},
              {"put_signal", put_signal},
              {"fence", fence},
              {"wait_until", wait_until},
              {"test", test},
              {"set_lock", set_lock},
              {"context", context}};

static void* repeat(void* call) {
    for (;;) {
        __atomic_fetch_add(&started, 1, __ATOMIC_SEQ_CST);
        ((void (*)(void))call)();
    }
    return NULL;
}

static void run(void (*call)(void)) {
    // A call that waits for ever is started once.
    const long calls = call == wait_until ? 1 : kCallsBefore;
    for (int i = 0; i < kThreads; ++i) {
        pthread_t thread;
        __atomic_store_n(&started, 0, __ATOMIC_SEQ_CST);
        if (pthread_create(&thread, NULL, repeat, (void*)call) != 0) exit(2);
        // Another number of calls each time, so that it is not always in the same one.
        while (__atomic_load_n(&started, __ATOMIC_SEQ_CST) < calls + (calls > 1 ? i : 0))
            sched_yield();
        pthread_cancel(thread);
        void* result = NULL;
        pthread_join(thread, &result);
        if (result != PTHREAD_CANCELED) exit(3);
    }
}

// Everything that the threads have shared still works.
static void use_all(long round) {
    shmem_barrier_all();
    for (size_t i = 0; i < sizeof kCases / sizeof kCases[0]; ++i) {
        if (kCases[i].call != wait_until) kCases[i].call();
    }
    shmem_long_atomic_add(&sums[1], 1, right());
    shmem_quiet();
    shmem_barrier_all();
    if (sums[1] != round) {
        fprintf(stderr, "pe %d: sum %ld, not %ld\n", shmem_my_pe(), sums[1], round);
        shmem_global_exit(4);
    }
}

int main(int argc, char** argv) {
    int provided = 0;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    in_heap = shmem_malloc(kLongs * sizeof(long));
    long round = 0;
    for (int i = 1; i < argc; ++i) {
        for (size_t n = 0; n < sizeof kCases / sizeof kCases[0]; ++n) {
            if (strcmp(argv[i], "all") != 0 && strcmp(argv[i], kCases[n].name) != 0) continue;
            if (shmem_my_pe() == 0) fprintf(stderr, "cancels %s\n", kCases[n].name);
            run(kCases[n].call);
            use_all(++round);
        }
    }
    if (shmem_my_pe() == 0) printf("%ld routines passed\n", round);
    shmem_finalize();
    return 0;
}
