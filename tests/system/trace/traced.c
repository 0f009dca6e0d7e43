// SPDX-License-Identifier: BSD-3-Clause
//
// Programs whose calls are known, for trace_test.py. The first argument is the case:
//   ring      each PE puts 1000 ints to the next one and gets 10 from the one before, ROUNDS times
//   words     each PE puts, gets and changes words of the next one, ROUNDS times, and looks at them
//   locks     all PEs add under a lock, a mutex and a lock for readers and writers, ROUNDS times;
//             then PE 0 has the lock for some time, and the others wait
//   flags     PE 0 ends waits of the last PE by p, put, signal and atomics, one after the other
//   late      PE SLOW comes late to each of 20 barriers
//   heap      allocations of known sizes
//   crash     PE 1 aborts after ten barriers
//   leave     all PEs return from main without shmem_finalize
//   many      more barriers and puts than a trace of 64 records holds
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int me, npes;
static int ring[1000], local[1000];
static long counter;

static void run_ring(int rounds) {
    int next = (me + 1) % npes, before = (me + npes - 1) % npes;
    long* sums = shmem_malloc(2 * sizeof(long));
    sums[0] = me;
    for (int i = 0; i < rounds; i++) {
        shmem_int_put(ring, local, 1000, next);
        shmem_int_get(local, ring, 10, before);
        shmem_long_atomic_add(&counter, 1, next);
        shmem_long_p(&sums[1], i, next);
        shmem_barrier_all();
    }
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sums[1], &sums[0], 1);
    shmem_free(sums);
}

struct words {
    char c;
    short s;
    int i;
    float f;
    double d;
    long l;
    long double x;
    long counter, swapped, flag;
    unsigned bits;
};
static char large[70000], landing[70000];

static void expect(int is_right, const char* what, int round) {
    if (is_right) return;
    fprintf(stderr, "PE %d: %s is wrong in round %d\n", me, what, round);
    shmem_global_exit(3);
}

// Only PE me changes the words of the next PE, but for `flag`.
static void change_words(struct words* words, int round, int next) {
    shmem_char_p(&words->c, (char)round, next);
    shmem_short_p(&words->s, (short)round, next);
    shmem_int_p(&words->i, -round, next);
    shmem_float_p(&words->f, (float)round, next);
    shmem_double_p(&words->d, round / 4.0, next);
    shmem_long_p(&words->l, round * 3L, next);
    shmem_longdouble_p(&words->x, round / 8.0L, next);
    shmem_long_atomic_add(&words->counter, 2, next);
    shmem_long_atomic_inc(&words->counter, next);
    shmem_uint_atomic_set(&words->bits, 0xf0U, next);
    shmem_uint_atomic_or(&words->bits, 0x0fU, next);
    shmem_uint_atomic_and(&words->bits, 0x3cU, next);
    shmem_uint_atomic_xor(&words->bits, (unsigned)round, next);
    if (round % 100 == 0) shmem_putmem(landing, large, sizeof large, next);
    shmem_quiet();
}

static void look_at_words(struct words* words, int round, int next) {
    expect(shmem_char_g(&words->c, next) == (char)round, "char", round);
    expect(shmem_short_g(&words->s, next) == (short)round, "short", round);
    expect(shmem_int_g(&words->i, next) == -round, "int", round);
    expect(shmem_float_g(&words->f, next) == (float)round, "float", round);
    expect(shmem_double_g(&words->d, next) == round / 4.0, "double", round);
    expect(shmem_long_g(&words->l, next) == round * 3L, "long", round);
    expect(shmem_longdouble_g(&words->x, next) == round / 8.0L, "long double", round);
    expect(shmem_long_atomic_fetch_add(&words->counter, 1, next) == round * 5L + 3, "add", round);
    expect(shmem_long_atomic_fetch_inc(&words->counter, next) == round * 5L + 4, "inc", round);
    expect(shmem_long_atomic_fetch(&words->counter, next) == round * 5L + 5, "fetch", round);
    expect(shmem_uint_atomic_fetch(&words->bits, next) == (0x3cU ^ (unsigned)round), "bits", round);
    expect(shmem_long_atomic_swap(&words->swapped, -1, next) == round, "swap", round);
    expect(shmem_long_atomic_compare_swap(&words->swapped, 7, 8, next) == -1, "no swap", round);
    expect(shmem_long_atomic_compare_swap(&words->swapped, -1, round + 1, next) == -1,
           "compare_swap", round);
}

static void run_words(int rounds) {
    const int next = (me + 1) % npes;
    struct words* words = shmem_calloc(1, sizeof *words);
    for (int i = 0; i < rounds; i++) {
        change_words(words, i, next);
        look_at_words(words, i, next);
    }
    // PEs that wait may sleep: a p must wake them.
    for (int i = 1; i <= rounds / 20; i++) {
        if (me == 0) shmem_long_p(&words->flag, i, next);
        shmem_long_wait_until(&words->flag, SHMEM_CMP_GE, i);
        if (me != 0) shmem_long_p(&words->flag, i, next);
    }
    shmem_barrier_all();
    shmem_free(words);
}

// Computes for about so long. No clock of the test depends on how exact that is.
static void compute_ms(long ms) {
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < ms);
}

static long lock;
static struct locked {
    shmemx_mutex_t mutex;
    shmemx_rwlock_t rwlock;
    long sums[3];
    long coming;
} locked;

static void add_at_next(int which, int next) {
    shmem_long_p(&locked.sums[which], shmem_long_g(&locked.sums[which], next) + 1, next);
    shmem_quiet();
}

static void run_locks(int rounds) {
    const int next = (me + 1) % npes;
    for (int i = 0; i < rounds; i++) {
        shmem_set_lock(&lock);
        add_at_next(0, 0);
        shmem_clear_lock(&lock);
        shmemx_mutex_lock(&locked.mutex, next);
        add_at_next(1, next);
        shmemx_mutex_unlock(&locked.mutex, next);
        shmemx_rwlock_read_lock(&locked.rwlock, next);
        shmemx_rwlock_read_unlock(&locked.rwlock, next);
        shmemx_rwlock_write_lock(&locked.rwlock, next);
        add_at_next(2, next);
        shmemx_rwlock_write_unlock(&locked.rwlock, next);
    }
    shmem_barrier_all();
    expect(locked.sums[0] == (me == 0 ? (long)rounds * npes : 0), "sum under the lock", rounds);
    expect(locked.sums[1] == rounds, "sum under the mutex", rounds);
    expect(locked.sums[2] == rounds, "sum under the rwlock", rounds);
    if (me == 0) shmem_set_lock(&lock);
    shmem_barrier_all();
    if (me == 0) {
        shmem_long_wait_until(&locked.coming, SHMEM_CMP_EQ, npes - 1);
        compute_ms(100);
    } else {
        shmem_long_atomic_inc(&locked.coming, 0);
        shmem_quiet();
        shmem_set_lock(&lock);
    }
    shmem_clear_lock(&lock);
    shmem_barrier_all();
}

static long flag, seen, last_of_eight[8];
static uint64_t signal_word;

// The last PE says that it has seen what came; PE 0 goes on when that PE waits again.
static void say_seen(int count) { shmem_long_p(&seen, count, 0); }

static void let_wait(int count) {
    const struct timespec pause = {.tv_sec = 0, .tv_nsec = 50000000};
    shmem_long_wait_until(&seen, SHMEM_CMP_GE, count);
    nanosleep(&pause, NULL);
}

static void await_flags(void) {
    for (int i = 1; i <= 4; i++) {
        say_seen(i);
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, i);
    }
    say_seen(5);
    shmem_signal_wait_until(&signal_word, SHMEM_CMP_GE, 5);
    say_seen(6);
    shmem_long_wait_until_any(last_of_eight, 8, NULL, SHMEM_CMP_NE, 0);
}

static void run_flags(void) {
    const int last = npes - 1;
    const long value = 4;
    if (me == last) await_flags();
    if (me != 0) return;
    let_wait(1);
    shmem_long_p(&flag, 1, last);
    let_wait(2);
    shmem_long_atomic_inc(&flag, last);
    let_wait(3);
    shmem_long_atomic_set(&flag, 3, last);
    let_wait(4);
    shmem_long_put(&flag, &value, 1, last);
    let_wait(5);
    shmem_int_put_signal(ring, local, 10, &signal_word, 5, SHMEM_SIGNAL_SET, last);
    let_wait(6);
    shmem_long_p(&last_of_eight[7], 1, last);
}

static void run_late(int slow) {
    for (int i = 0; i < 20; i++) {
        if (me == slow) compute_ms(10);
        shmem_barrier_all();
    }
}

static void run_heap(void) {
    void* first = shmem_malloc(1000);
    void* second = shmem_calloc(10, 50);
    second = shmem_realloc(second, 2000);
    shmem_free(first);
    shmem_free(second);
}

static void run_many(int count) {
    for (int i = 0; i < count; i++) {
        shmem_int_put(ring, local, 1000, (me + 1) % npes);
        shmem_barrier_all();
    }
}

int main(int argc, char** argv) {
    const char* name = argc > 1 ? argv[1] : "";
    int number = argc > 2 ? atoi(argv[2]) : 0;
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    if (strcmp(name, "ring") == 0) run_ring(number);
    if (strcmp(name, "words") == 0) run_words(number);
    if (strcmp(name, "locks") == 0) run_locks(number);
    if (strcmp(name, "flags") == 0) run_flags();
    if (strcmp(name, "late") == 0) run_late(number);
    if (strcmp(name, "heap") == 0) run_heap();
    if (strcmp(name, "many") == 0) run_many(number);
    if (strcmp(name, "leave") == 0) {
        shmem_barrier_all();
        return 0;
    }
    if (strcmp(name, "crash") == 0) {
        for (int i = 0; i < 10; i++) shmem_barrier_all();
        if (me == 1) abort();
        shmem_barrier_all();
    }
    shmem_finalize();
    return 0;
}
