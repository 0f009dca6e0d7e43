// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a type-generic name of C11 calls the routine of another type, or of the wrong family,
// or forgets its context. Each is called for each basic type, without and with a context, towards
// the next PE; the values show what was called. generics_cxx_test.cpp does the same in C++.
#include <pshmem.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(CONDITION)                                                                           \
    do {                                                                                           \
        if (!(CONDITION)) {                                                                        \
            fprintf(stderr, "[pe %d] %s:%d: %s\n", shmem_my_pe(), __FILE__, __LINE__, #CONDITION); \
            shmem_global_exit(1);                                                                  \
        }                                                                                          \
    } while (0)

static int right;

// Runs `CALL(ARGUMENTS)` with CTX before them, which is empty or SHMEM_CTX_DEFAULT and a comma.
#define NO_CTX
#define DEFAULT_CTX SHMEM_CTX_DEFAULT,

// The elements behind those that a routine may touch stay -1.
#define RMA(NAME, T, CTX)                                                                   \
    do {                                                                                    \
        static T dest[8];                                                                   \
        static uint64_t signal;                                                             \
        T source[8] = {11, 12, 13, 14, 15, 16, 17, 18};                                     \
        T got[8] = {0};                                                                     \
        for (int i = 0; i < 8; ++i) dest[i] = 100;                                          \
        signal = 0;                                                                         \
        shmem_barrier_all();                                                                \
        shmem_put(CTX dest, source, 2, right);                                              \
        shmem_p(CTX& dest[2], (T)21, right);                                                \
        shmem_iput(CTX& dest[3], source, 2, 3, 2, right);                                   \
        shmem_ibput(CTX& dest[6], source, 1, 1, 1, 1, right);                               \
        shmem_put_nbi(CTX& dest[4], &source[7], 1, right);                                  \
        shmem_barrier_all();                                                                \
        CHECK(dest[0] == (T)11 && dest[1] == (T)12 && dest[2] == (T)21);                    \
        CHECK(dest[3] == (T)11 && dest[5] == (T)14 && dest[6] == (T)11);                    \
        CHECK(dest[4] == (T)18 && dest[7] == (T)100);                                       \
        shmem_get(CTX got, dest, 3, right);                                                 \
        CHECK(got[0] == (T)11 && got[2] == (T)21 && got[3] == (T)0);                        \
        CHECK(shmem_g(CTX& dest[4], right) == (T)18);                                       \
        CHECK(shmem_g(CTX(const T*) & dest[4], right) == (T)18);                            \
        shmem_iget(CTX got, dest, 1, 2, 3, right);                                          \
        CHECK(got[0] == (T)11 && got[1] == (T)21 && got[2] == (T)18);                       \
        shmem_ibget(CTX got, dest, 3, 4, 2, 2, right);                                      \
        CHECK(got[1] == (T)12 && got[3] == (T)18 && got[4] == (T)14 && got[5] == (T)0);     \
        shmem_get_nbi(CTX& got[7], &dest[1], 1, right);                                     \
        shmem_quiet();                                                                      \
        CHECK(got[7] == (T)12 && got[6] == (T)0);                                           \
        shmem_barrier_all();                                                                \
        shmem_put_signal(CTX dest, &source[5], 1, &signal, 4, SHMEM_SIGNAL_SET, right);     \
        shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 4);                                  \
        CHECK(dest[0] == (T)16 && dest[1] == (T)12);                                        \
        shmem_barrier_all();                                                                \
        shmem_put_signal_nbi(CTX dest, &source[6], 1, &signal, 5, SHMEM_SIGNAL_ADD, right); \
        shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 9);                                  \
        CHECK(dest[0] == (T)17 && dest[1] == (T)12);                                        \
        shmem_barrier_all();                                                                \
    } while (0);

// Words: 0 for the operation, 1 must not change. Each PE works on the PE at its right alone.
#define EXTENDED(NAME, T, CTX)                                        \
    do {                                                              \
        static T word[2];                                             \
        T fetched = 0;                                                \
        word[0] = word[1] = (T)3;                                     \
        shmem_barrier_all();                                          \
        CHECK(shmem_atomic_fetch(CTX word, right) == (T)3);           \
        CHECK(shmem_atomic_fetch(CTX(const T*) word, right) == (T)3); \
        shmem_atomic_set(CTX word, (T)4, right);                      \
        shmem_quiet();                                                \
        CHECK(shmem_atomic_swap(CTX word, (T)5, right) == (T)4);      \
        shmem_atomic_fetch_nbi(CTX& fetched, word, right);            \
        shmem_quiet();                                                \
        CHECK(fetched == (T)5);                                       \
        shmem_atomic_swap_nbi(CTX& fetched, word, (T)6, right);       \
        shmem_barrier_all();                                          \
        CHECK(word[0] == (T)6 && word[1] == (T)3);                    \
        shmem_barrier_all();                                          \
    } while (0);

#define STANDARD(NAME, T, CTX)                                                  \
    do {                                                                        \
        static T word[2];                                                       \
        T fetched = 0;                                                          \
        word[0] = word[1] = 1;                                                  \
        shmem_barrier_all();                                                    \
        CHECK(shmem_atomic_compare_swap(CTX word, (T)1, (T)10, right) == 1);    \
        CHECK(shmem_atomic_fetch_inc(CTX word, right) == 10);                   \
        shmem_atomic_inc(CTX word, right);                                      \
        shmem_quiet();                                                          \
        CHECK(shmem_atomic_fetch_add(CTX word, (T)8, right) == 12);             \
        shmem_atomic_add(CTX word, (T)10, right);                               \
        shmem_quiet();                                                          \
        shmem_atomic_compare_swap_nbi(CTX& fetched, word, (T)30, (T)40, right); \
        shmem_quiet();                                                          \
        CHECK(fetched == 30);                                                   \
        shmem_atomic_fetch_inc_nbi(CTX& fetched, word, right);                  \
        shmem_quiet();                                                          \
        CHECK(fetched == 40);                                                   \
        shmem_atomic_fetch_add_nbi(CTX& fetched, word, (T)2, right);            \
        shmem_barrier_all();                                                    \
        CHECK(fetched == 41 && word[0] == 43 && word[1] == 1);                  \
        shmem_barrier_all();                                                    \
    } while (0);

#define BITWISE(NAME, T, CTX)                                        \
    do {                                                             \
        static T word[2];                                            \
        T fetched = 0;                                               \
        word[0] = word[1] = 12;                                      \
        shmem_barrier_all();                                         \
        CHECK(shmem_atomic_fetch_and(CTX word, (T)10, right) == 12); \
        CHECK(shmem_atomic_fetch_or(CTX word, (T)3, right) == 8);    \
        CHECK(shmem_atomic_fetch_xor(CTX word, (T)1, right) == 11);  \
        shmem_atomic_or(CTX word, (T)5, right);                      \
        shmem_quiet();                                               \
        shmem_atomic_and(CTX word, (T)13, right);                    \
        shmem_quiet();                                               \
        shmem_atomic_xor(CTX word, (T)2, right);                     \
        shmem_quiet();                                               \
        shmem_atomic_fetch_and_nbi(CTX& fetched, word, (T)7, right); \
        shmem_quiet();                                               \
        CHECK(fetched == 15);                                        \
        shmem_atomic_fetch_or_nbi(CTX& fetched, word, (T)16, right); \
        shmem_quiet();                                               \
        CHECK(fetched == 7);                                         \
        shmem_atomic_fetch_xor_nbi(CTX& fetched, word, (T)1, right); \
        shmem_barrier_all();                                         \
        CHECK(fetched == 23 && word[0] == 22 && word[1] == 12);      \
        shmem_barrier_all();                                         \
    } while (0);

// wait_until and test, which also have the short types.
#define WORD_WAITS(NAME, T)                                \
    do {                                                   \
        static T words[2] = {(T)-5, 9};                    \
        CHECK(shmem_test(&words[0], SHMEM_CMP_EQ, (T)-5)); \
        CHECK(!shmem_test(&words[0], SHMEM_CMP_EQ, (T)9)); \
        CHECK(shmem_test(&words[1], SHMEM_CMP_GT, (T)8));  \
        shmem_wait_until(&words[0], SHMEM_CMP_NE, (T)9);   \
        shmem_wait_until(&words[1], SHMEM_CMP_LE, (T)9);   \
    } while (0);

#define ARRAY_WAITS(NAME, T)                                                                   \
    do {                                                                                       \
        static T words[3] = {1, 2, 3};                                                         \
        const T values[3] = {1, 2, 4};                                                         \
        const int status[3] = {0, 0, 1};                                                       \
        size_t found[3];                                                                       \
        CHECK(shmem_test_all(words, 3, NULL, SHMEM_CMP_GE, (T)1));                             \
        CHECK(!shmem_test_all_vector(words, 3, NULL, SHMEM_CMP_EQ, values));                   \
        CHECK(shmem_test_all_vector(words, 3, status, SHMEM_CMP_EQ, values));                  \
        CHECK(shmem_test_any(words, 3, NULL, SHMEM_CMP_EQ, (T)3) == 2);                        \
        CHECK(shmem_test_any_vector(words, 3, NULL, SHMEM_CMP_NE, values) == 2);               \
        CHECK(shmem_test_some(words, 3, found, NULL, SHMEM_CMP_LT, (T)3) == 2);                \
        CHECK(shmem_test_some_vector(words, 3, found, NULL, SHMEM_CMP_LT, values) == 1);       \
        shmem_wait_until_all(words, 3, NULL, SHMEM_CMP_LE, (T)3);                              \
        shmem_wait_until_all_vector(words, 3, status, SHMEM_CMP_EQ, values);                   \
        CHECK(shmem_wait_until_any(words, 3, NULL, SHMEM_CMP_LT, (T)2) == 0);                  \
        CHECK(shmem_wait_until_any_vector(words, 3, NULL, SHMEM_CMP_LT, values) == 2);         \
        CHECK(shmem_wait_until_some(words, 3, found, NULL, SHMEM_CMP_GT, (T)1) == 2);          \
        CHECK(shmem_wait_until_some_vector(words, 3, found, NULL, SHMEM_CMP_NE, values) == 1); \
        CHECK(found[0] == 2);                                                                  \
    } while (0);

#define OLD_EXTENDED(NAME, T)                          \
    do {                                               \
        static T word;                                 \
        word = (T)2;                                   \
        shmem_barrier_all();                           \
        CHECK(shmem_fetch(&word, right) == (T)2);      \
        shmem_set(&word, (T)3, right);                 \
        shmem_quiet();                                 \
        CHECK(shmem_swap(&word, (T)4, right) == (T)3); \
        shmem_barrier_all();                           \
        CHECK(word == (T)4);                           \
        shmem_barrier_all();                           \
    } while (0);

#define OLD_STANDARD(NAME, T)                        \
    do {                                             \
        static T word;                               \
        word = 1;                                    \
        shmem_barrier_all();                         \
        CHECK(shmem_cswap(&word, 1, 5, right) == 1); \
        CHECK(shmem_finc(&word, right) == 5);        \
        CHECK(shmem_fadd(&word, 2, right) == 6);     \
        shmem_inc(&word, right);                     \
        shmem_quiet();                               \
        shmem_add(&word, 10, right);                 \
        shmem_barrier_all();                         \
        CHECK(word == 19);                           \
        shmem_barrier_all();                         \
    } while (0);

// Lists X(NAME, T) and X(NAME, T, CTX).
#define OLD_TYPES(X) X(int, int) X(long, long) X(longlong, long long)
#define STANDARD_TYPES(X)   \
    OLD_TYPES(X)            \
    X(uint, unsigned int)   \
    X(ulong, unsigned long) \
    X(ulonglong, unsigned long long)
#define REAL_TYPES(X) X(float, float) X(double, double)
#define SHORT_TYPES(X) X(short, short) X(ushort, unsigned short)
#define OTHER_TYPES(X) \
    SHORT_TYPES(X)     \
    X(longdouble, long double) X(char, char) X(schar, signed char) X(uchar, unsigned char)
// All but long long: the specification has bitwise routines for signed types of fixed width alone.
#define BITWISE_TYPES(X) \
    X(int, int)          \
    X(long, long) X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long)
#define FIXED_TYPES(X) X(int32, int32_t) X(int64, int64_t) X(uint32, uint32_t) X(uint64, uint64_t)

#define BOTH(X, NAME, T) X(NAME, T, NO_CTX) X(NAME, T, DEFAULT_CTX)
#define RMA_BOTH(NAME, T) BOTH(RMA, NAME, T)
#define EXTENDED_BOTH(NAME, T) BOTH(EXTENDED, NAME, T)
#define STANDARD_BOTH(NAME, T) BOTH(STANDARD, NAME, T)
#define BITWISE_BOTH(NAME, T) BOTH(BITWISE, NAME, T)

static void check_rma_integers(void) { STANDARD_TYPES(RMA_BOTH) FIXED_TYPES(RMA_BOTH) }
static void check_rma_others(void) { REAL_TYPES(RMA_BOTH) OTHER_TYPES(RMA_BOTH) }

static void check_atomics(void) {
    REAL_TYPES(EXTENDED_BOTH)
    STANDARD_TYPES(EXTENDED_BOTH)
    FIXED_TYPES(EXTENDED_BOTH)
    STANDARD_TYPES(STANDARD_BOTH)
    FIXED_TYPES(STANDARD_BOTH)
    BITWISE_TYPES(BITWISE_BOTH)
    FIXED_TYPES(BITWISE_BOTH)
    OLD_TYPES(OLD_STANDARD)
    OLD_TYPES(OLD_EXTENDED)
    REAL_TYPES(OLD_EXTENDED)
}

static void check_waits(void) {
    STANDARD_TYPES(WORD_WAITS)
    FIXED_TYPES(WORD_WAITS)
    SHORT_TYPES(WORD_WAITS)
    STANDARD_TYPES(ARRAY_WAITS)
    FIXED_TYPES(ARRAY_WAITS)
}

// Names that are a function and a macro.
static void check_functions(void) {
    static uint64_t signal;
    static long word = 5;
    signal = 0;
    shmem_barrier_all();
    shmem_signal_add(&signal, 2, right);
    shmem_signal_add(SHMEM_CTX_DEFAULT, &signal, 3, right);
    shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 5);
    shmem_barrier_all();
    shmem_signal_set(&signal, 7, right);
    shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 7);
    shmem_barrier_all();
    shmem_signal_set(SHMEM_CTX_DEFAULT, &signal, 8, right);
    shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 8);
    (shmem_wait_until)(&word, SHMEM_CMP_EQ, 5);
    shmem_wait_until(&word, SHMEM_CMP_EQ, 5);
    shmem_barrier_all();
}

// Arguments are evaluated once.
static void check_evaluation(void) {
    static int words[4];
    const int source[4] = {1, 2, 3, 4};
    int i = 0;
    shmem_put(&words[i++], source, 1, shmem_my_pe());
    shmem_p(SHMEM_CTX_DEFAULT, &words[i++], source[1], shmem_my_pe());
    CHECK(i == 2 && words[0] == 1);
}

int main(void) {
    shmem_init();
    right = (shmem_my_pe() + 1) % shmem_n_pes();
    check_rma_integers();
    check_rma_others();
    check_atomics();
    check_waits();
    check_functions();
    check_evaluation();
    shmem_finalize();
    return 0;
}
