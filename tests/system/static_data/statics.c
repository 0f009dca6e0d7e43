// SPDX-License-Identifier: BSD-3-Clause
//
// An OpenSHMEM program as users write it, all of whose remote variables are static. Built by
// end_to_end_test.sh in many ways. If this breaks, `static int x` is not symmetric.
//   statics [shared | fabric | one]     what shmem_ptr should say about other PEs' variables:
//                                       an address, NULL, or either (one PE's are not shared)
#include <shmem.h>
#include <stdio.h>
#include <string.h>

#define UPDATES 2000
#define WORDS 10000

static int pe, npes, next, previous;

static int in_bss;
static int in_data = 7;
static long words[WORDS];
static double table[WORDS] = {1.5, 2.5, 3.5};
static char untouched[1 << 20];
static long counter;
static int counter32 = 100;
static uint64_t bits;
static long lock;
static long locked_count;
static uint64_t signal_word;
static int awaited;

#define CHECK(condition)                                                                        \
    do {                                                                                        \
        if (!(condition)) {                                                                     \
            fprintf(stderr, "%s:%d: pe %d of %d: not true: %s\n", __FILE__, __LINE__, pe, npes, \
                    #condition);                                                                \
            shmem_global_exit(1);                                                               \
        }                                                                                       \
    } while (0)

static void check_single_elements(void) {
    CHECK(in_bss == 0 && in_data == 7);
    shmem_barrier_all();
    shmem_int_p(&in_bss, 10 + pe, next);
    shmem_int_p(&in_data, 20 + pe, next);
    shmem_barrier_all();
    CHECK(in_bss == 10 + previous && in_data == 20 + previous);
    for (int i = 0; i < npes; ++i) {
        CHECK(shmem_int_g(&in_bss, i) == 10 + (i + npes - 1) % npes);
        CHECK(shmem_double_g(&table[2], i) == 3.5);
    }
    shmem_barrier_all();
}

static void check_blocks(void) {
    static long source[WORDS];
    static long received[WORDS];
    long* heap = shmem_malloc(sizeof words);
    CHECK(heap != NULL);
    for (int i = 0; i < WORDS; ++i) source[i] = 1000000L * pe + i;
    shmem_long_put(words, source, WORDS, next);     // static to static
    shmem_long_put_nbi(heap, source, WORDS, next);  // static to heap
    shmem_barrier_all();
    for (int i = 0; i < WORDS; ++i) CHECK(words[i] == 1000000L * previous + i);
    CHECK(memcmp(heap, words, sizeof words) == 0);
    shmem_long_get(received, words, WORDS, next);
    for (int i = 0; i < WORDS; ++i) CHECK(received[i] == 1000000L * pe + i);
    shmem_long_iget(received, source, 2, 3, 100, next);
    for (int i = 0; i < 100; ++i) CHECK(received[2 * i] == 1000000L * next + 3 * i);
    shmem_putmem(untouched + 500000, "written by the neighbour", 25, next);
    shmem_barrier_all();
    CHECK(strcmp(untouched + 500000, "written by the neighbour") == 0);
    CHECK(untouched[499999] == 0 && untouched[500025] == 0);
    shmem_free(heap);
}

static void check_atomics(void) {
    for (int i = 0; i < UPDATES; ++i) {
        shmem_long_atomic_inc(&counter, 0);
        shmem_int_atomic_fetch_add(&counter32, 2, i % npes);
    }
    shmem_uint64_atomic_or(&bits, UINT64_C(1) << pe, 0);
    shmem_barrier_all();
    CHECK(shmem_long_atomic_fetch(&counter, 0) == (long)UPDATES * npes);
    int sum = 0;
    for (int i = 0; i < npes; ++i) sum += shmem_int_atomic_fetch(&counter32, i) - 100;
    CHECK(sum == 2 * UPDATES * npes);
    CHECK(shmem_uint64_g(&bits, 0) == (UINT64_C(1) << npes) - 1);
    shmem_barrier_all();
    CHECK(shmem_int_atomic_swap(&counter32, pe, next) >= 100);
    shmem_barrier_all();
    CHECK(shmem_int_atomic_compare_swap(&counter32, previous, -5, pe) == previous);
    CHECK(counter32 == -5);
    shmem_barrier_all();
}

static void check_synchronization(void) {
    for (int i = 0; i < 50; ++i) {
        shmem_set_lock(&lock);
        shmem_long_p(&locked_count, shmem_long_g(&locked_count, 0) + 1, 0);
        shmem_quiet();
        shmem_clear_lock(&lock);
    }
    shmem_barrier_all();
    CHECK(shmem_long_g(&locked_count, 0) == 50L * npes);
    shmem_int_p(&awaited, 1, next);
    shmem_int_wait_until(&awaited, SHMEM_CMP_EQ, 1);
    shmem_long_put_signal(words, words + 100, 50, &signal_word, 9, SHMEM_SIGNAL_SET, next);
    CHECK(shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 9) == 9);
    CHECK(words[0] == 1000000L * ((previous + npes - 1) % npes) + 100);
    shmem_barrier_all();
}

static void check_pointers(const char* expected) {
    CHECK(shmem_ptr(&in_bss, pe) == &in_bss);
    for (int i = 0; i < npes; ++i) {
        CHECK(shmem_addr_accessible(&in_bss, i));
        if (i == pe || strcmp(expected, "one") == 0) continue;
        CHECK((shmem_ptr(&in_bss, i) != NULL) == (strcmp(expected, "shared") == 0));
    }
    int* remote = shmem_ptr(&in_bss, next);
    shmem_barrier_all();
    if (remote != NULL) *remote = 70 + pe;
    shmem_barrier_all();
    if (remote != NULL && strcmp(expected, "one") != 0) CHECK(in_bss == 70 + previous);
}

int main(int argc, char** argv) {
    shmem_init();
    pe = shmem_my_pe();
    npes = shmem_n_pes();
    next = (pe + 1) % npes;
    previous = (pe + npes - 1) % npes;
    check_single_elements();
    check_blocks();
    check_atomics();
    check_synchronization();
    check_pointers(argc > 1 ? argv[1] : "shared");
    shmem_finalize();
    return 0;
}
