// SPDX-License-Identifier: BSD-3-Clause
//
// How many operations do 1, 2 and 4 threads of one PE make together? SHMEM_THREAD_MULTIPLE: each
// thread of PE 0 makes operations of 8 bytes on a word of its own on the last PE, by a context of
// its own (private: only its thread may use it; serialized: one thread at a time) or by the default
// context, which all share.
//
//   threads_{put,get,add}_{private,serialized,default}   million operations/s; x: threads
//
// The limit is the same loop of the same threads on mapped memory: a store, a load, an atomic add.
// Verified: the last value of each word, each value read, and the sums.
#define _GNU_SOURCE
#include <pthread.h>

#include "bench/measure.h"

enum { kThreadsMax = 4, kLineLongs = 16, kSamplesMax = 32 };
enum kind { PRIVATE, SERIALIZED, DEFAULT, LIMIT, KINDS };
enum operation { PUT, GET, ADD, OPERATIONS };

static const char* const kKindNames[] = {"private", "serialized", "default"};
static const char* const kOperationNames[] = {"put", "get", "add"};

static long* words;         // symmetric: one a line for each thread and operation
static long* mapped_words;  // the target's, mapped here, or NULL
static int target;

// The data that the threads of one measurement share.
static struct {
    enum kind kind;
    enum operation operation;
    long repeats;
    int threads, samples;
    pthread_barrier_t meeting;
    double rates[kSamplesMax];  // written by thread 0
} plan;

static void run_limit(enum operation operation, long repeats, long* word) {
    volatile long* plain = word;
    for (long i = 1; i <= repeats; ++i) {
        if (operation == PUT) {
            *plain = i;
        } else if (operation == GET) {
            if (*plain != -1) give_up("threads: a load found %ld", *plain);
        } else {
            __atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
        }
    }
}

static void run_context(enum operation operation, long repeats, long* word, shmem_ctx_t context) {
    for (long i = 1; i <= repeats; ++i) {
        if (operation == PUT) {
            shmem_ctx_long_p(context, word, i, target);
        } else if (operation == GET) {
            long value = shmem_ctx_long_g(context, word, target);
            if (value != -1) give_up("threads: expected -1 from g, found %ld", value);
        } else {
            shmem_ctx_long_atomic_add(context, word, 1, target);
        }
    }
    shmem_ctx_quiet(context);
}

static void* thread_main(void* argument) {
    const int thread = (int)(long)argument;
    const int at = (plan.operation * kThreadsMax + thread) * kLineLongs;
    shmem_ctx_t context = SHMEM_CTX_DEFAULT;
    if (plan.kind == PRIVATE || plan.kind == SERIALIZED) {
        long flags = plan.kind == PRIVATE ? SHMEM_CTX_PRIVATE : SHMEM_CTX_SERIALIZED;
        if (shmem_ctx_create(flags, &context) != 0) give_up("threads: no context");
    }
    for (int sample = -1; sample < plan.samples; ++sample) {  // one to warm up
        pthread_barrier_wait(&plan.meeting);
        double start = now_ns();
        if (plan.kind == LIMIT) {
            run_limit(plan.operation, plan.repeats, mapped_words + at);
        } else {
            run_context(plan.operation, plan.repeats, words + at, context);
        }
        pthread_barrier_wait(&plan.meeting);
        if (thread != 0) continue;
        plan.rates[sample < 0 ? 0 : sample] =
            (double)plan.repeats * plan.threads * 1e3 / (now_ns() - start);
    }
    if (context != SHMEM_CTX_DEFAULT) shmem_ctx_destroy(context);
    return NULL;
}

// Runs plan with its threads; the rates are in plan then.
static void run_plan(enum kind kind) {
    pthread_t threads[kThreadsMax];
    plan.kind = kind;
    pthread_barrier_init(&plan.meeting, NULL, (unsigned)plan.threads);
    for (long i = 1; i < plan.threads; ++i) {
        if (pthread_create(threads + i, NULL, thread_main, (void*)i) != 0)
            give_up("threads: no thread %ld", i);
    }
    thread_main((void*)0);
    for (int i = 1; i < plan.threads; ++i) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&plan.meeting);
}

// PE 0: the words of the target before and after, by blocking operations of one thread.
static void set_words(long value) {
    for (int i = 0; i < plan.threads; ++i)
        shmem_long_p(words + (plan.operation * kThreadsMax + i) * kLineLongs, value, target);
    shmem_quiet();
}

static void check_words(void) {
    const long expected = plan.operation == PUT   ? plan.repeats
                          : plan.operation == GET ? -1
                                                  : plan.repeats * (plan.samples + 1);
    for (int i = 0; i < plan.threads; ++i) {
        long found = shmem_long_g(words + (plan.operation * kThreadsMax + i) * kLineLongs, target);
        if (found == expected) continue;
        give_up("threads: %s, %s: word of thread %d of %d: expected %ld, found %ld",
                kOperationNames[plan.operation], kKindNames[plan.kind], i, plan.threads, expected,
                found);
    }
}

// So that one thread takes several time slices: threads may share cores.
static long choose_repeats(enum operation operation) {
    const long tried = 1000;
    long* word = words + operation * kThreadsMax * kLineLongs;
    set_words(operation == GET ? -1 : 0);
    double start = now_ns();
    run_context(operation, tried, word, SHMEM_CTX_DEFAULT);
    return (long)(by_level(20, 6000, 20000) * 1e3 * (double)tried / (now_ns() - start)) + 1;
}

static void measure(enum kind kind, enum operation operation, int threads) {
    char name[64];
    double limit = 0;
    plan.operation = operation;
    plan.threads = threads;
    plan.samples = by_level(2, 5, 21);
    plan.repeats = choose_repeats(operation);
    if (mapped_words) {
        set_words(operation == GET ? -1 : 0);
        run_plan(LIMIT);
        limit = median(plan.rates, plan.samples);
    }
    set_words(operation == GET ? -1 : 0);
    run_plan(kind);
    check_words();
    snprintf(name, sizeof name, "threads_%s_%s", kOperationNames[operation], kKindNames[kind]);
    report(name, "threads", threads, "Mops/s", 0, plan.rates, plan.samples, limit);
}

// The default context last: some libraries do not survive it.
static void measure_all(void) {
    for (int kind = PRIVATE; kind <= DEFAULT; ++kind) {
        for (int threads = 1; threads <= kThreadsMax; threads *= 2) {
            for (int operation = 0; operation < OPERATIONS; ++operation)
                measure((enum kind)kind, (enum operation)operation, threads);
        }
    }
}

int main(int argc, char** argv) {
    begin(argc, argv, SHMEM_THREAD_MULTIPLE);
    options_end("");
    // A launcher binds a PE to one core; its threads need them all.
    cpu_set_t all;
    memset(&all, 0xff, sizeof all);
    sched_setaffinity(0, sizeof all, &all);
    if (thread_level != SHMEM_THREAD_MULTIPLE) {
        if (me == 0) fprintf(stderr, "threads: the library has no SHMEM_THREAD_MULTIPLE\n");
        end();
        return 0;
    }
    target = npes - 1;
    words = allocate(64, sizeof(long) * kLineLongs * kThreadsMax * OPERATIONS);
    mapped_words = shmem_ptr(words, target);
    if (me == 0) measure_all();
    end();
    return 0;
}
