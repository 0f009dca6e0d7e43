// SPDX-License-Identifier: BSD-3-Clause
//
// The updates of gups.c by threads on one array: the limit of GUPS on one node, without SHMEM.
// Table, sequence and verification are those of gups.c; each thread makes the updates of one PE. It
// prints the same measures: gups_atomic, by the processor's atomics, and gups_get_put, by loads and
// stores. gups_atomic_huge: in huge pages, where the kernel gives them to private memory; symmetric
// heaps have them only where the kernel gives them to shared memory too (osh_info reports it).
// --threads N, --log-words N, --tiny, --quick.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/gups_random.h"
#include "bench/reports.h"

enum { kSamplesMax = 32 };

static int samples, log_words;
static uint64_t words;
static uint64_t* table;
static pthread_barrier_t meeting;
static double gups[kSamplesMax];  // written by thread 0
static uint64_t wrong;

static uint64_t by_atomic(uint64_t random, long updates) {
    for (long i = 0; i < updates; ++i) {
        random = next_random(random);
        __atomic_fetch_xor(table + (random & (words - 1)), random, __ATOMIC_RELAXED);
    }
    return random;
}

static uint64_t by_plain(uint64_t random, long updates) {
    for (long i = 0; i < updates; ++i) {
        random = next_random(random);
        table[random & (words - 1)] ^= random;
    }
    return random;
}

static uint64_t (*update)(uint64_t random, long updates);  // by_atomic or by_plain

static void pin(long thread) {
    cpu_set_t one;
    if (sysconf(_SC_NPROCESSORS_ONLN) < npes) return;
    CPU_ZERO(&one);
    CPU_SET((int)thread, &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}

// Each thread fills and checks the block that a PE would own.
static uint64_t first_word(long thread) { return words * (uint64_t)thread / (uint64_t)npes; }

static void* work(void* argument) {
    const long thread = (long)argument;
    const long updates = (long)(4 * words / (uint64_t)npes / (uint64_t)samples) + 1;
    const uint64_t start = random_at((uint64_t)(thread * samples * updates));
    uint64_t random = start;
    pin(thread);
    for (uint64_t i = first_word(thread); i < first_word(thread + 1); ++i) table[i] = i;
    for (int i = 0; i < samples; ++i) {
        pthread_barrier_wait(&meeting);
        double start_ns = now_ns();
        random = update(random, updates);
        pthread_barrier_wait(&meeting);
        if (thread == 0) gups[i] = (double)updates * npes / (now_ns() - start_ns);
    }
    by_atomic(start, samples * updates);
    pthread_barrier_wait(&meeting);
    for (uint64_t i = first_word(thread); i < first_word(thread + 1); ++i) {
        if (table[i] != i) __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static uint64_t* make_table(int advice) {
    const size_t bytes = words * sizeof *table + ((size_t)2 << 20);
    void* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("gups_threads: mmap");
        exit(1);
    }
    madvise(memory, bytes, advice);
    return memory;
}

static void measure(const char* name, double share_allowed) {
    pthread_t* others = malloc(sizeof *others * (size_t)npes);
    wrong = 0;
    for (long i = 0; i < npes; ++i) {
        if (pthread_create(others + i, NULL, work, (void*)i) != 0) {
            fprintf(stderr, "gups_threads: no thread %ld\n", i);
            exit(1);
        }
    }
    for (int i = 0; i < npes; ++i) pthread_join(others[i], NULL);
    free(others);
    if ((double)wrong > share_allowed * (double)words) {
        fprintf(stderr, "gups_threads: %s: %llu wrong words\n", name, (unsigned long long)wrong);
        exit(1);
    }
    report(name, "words", (double)words, "GUPS", 0, gups, samples, 0);
}

int main(int argc, char** argv) {
    npes = 2;
    read_level(argc, argv);
    samples = by_level(2, 8, 16);
    log_words = by_level(18, 22, 24);
    for (int i = 1; i < argc; ++i) {
        const char* next = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--threads") == 0) npes = atoi(next);
        if (strcmp(argv[i], "--log-words") == 0) log_words = atoi(next);
    }
    if (npes < 1 || log_words < 10 || log_words > 34) {
        fprintf(stderr, "usage: gups_threads [--tiny|--quick] [--threads N] [--log-words N]\n");
        return 2;
    }
    words = UINT64_C(1) << log_words;
    pthread_barrier_init(&meeting, NULL, (unsigned)npes);
    table = make_table(MADV_NOHUGEPAGE);
    update = by_plain;
    measure("gups_get_put", 0.01);
    update = by_atomic;
    measure("gups_atomic", 0);
    table = make_table(MADV_HUGEPAGE);
    measure("gups_atomic_huge", 0);
    report_end();
    return 0;
}
