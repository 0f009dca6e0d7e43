// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a C11 type-generic name, called as C programs call it, does something else than the
// routine of the type: each of the 73 names with each type of its table, with and without a
// context, moving real data between PEs. Which routine a name stands for is what
// tests/behaviour/headers/dispatch_test.py checks; here the whole way is.
//
// To the right neighbour and back, so each PE works on its left neighbour's data. A macro makes the
// checks of one type; its arrays are symmetric.
#include <shmem.h>
#include <stdio.h>
#include <spec_routines.hpp>

static int me, npes, right, left;
static shmem_ctx_t ctx;
static uint64_t signal_word;

static void require(int condition, const char* what, const char* type) {
    if (condition) return;
    fprintf(stderr, "[pe %d of %d] %s of %s\n", me, npes, what, type);
    shmem_global_exit(1);
}

// Value i of PE `from`, exact in every type.
#define VALUE(T, from, i) ((T)((from)*9 + (i) + 1))
#define FILL(T, array, from)          \
    for (int i = 0; i < 12; ++i) {    \
        array[i] = VALUE(T, from, i); \
    }
#define CLEAR(array)               \
    for (int i = 0; i < 12; ++i) { \
        array[i] = 0;              \
    }
// Element `to` of dest is element `at` of the left neighbour's source, all others are 0.
#define EXPECT(NAME, T, what, condition, at)                                          \
    for (int i = 0; i < 12; ++i) {                                                    \
        require(dest[i] == ((condition) ? VALUE(T, sender, at) : (T)0), what, #NAME); \
    }
// One put: dest is clear on all PEs, then CALL puts the source.
#define PUT(NAME, T, CALL, condition, at) \
    CLEAR(dest)                           \
    shmem_barrier_all();                  \
    CALL;                                 \
    shmem_ctx_quiet(ctx);                 \
    shmem_barrier_all();                  \
    sender = left;                        \
    EXPECT(NAME, T, #CALL, condition, at)
#define GET(NAME, T, CALL, condition, at) \
    CLEAR(dest)                           \
    CALL;                                 \
    shmem_quiet();                        \
    shmem_ctx_quiet(ctx);                 \
    sender = right;                       \
    EXPECT(NAME, T, #CALL, condition, at)

#define RMA(NAME, T)                                                                              \
    static void rma_##NAME(void) {                                                                \
        static T dest[12], source[12];                                                            \
        const T* const constant = source;                                                         \
        int sender;                                                                               \
        FILL(T, source, me)                                                                       \
        PUT(NAME, T, shmem_put(dest, source, 3, right), i < 3, i)                                 \
        PUT(NAME, T, shmem_put(ctx, dest, constant, 3, right), i < 3, i)                          \
        PUT(NAME, T, shmem_put_nbi(dest, source, 5, right), i < 5, i)                             \
        PUT(NAME, T, shmem_put_nbi(ctx, dest, source, 5, right), i < 5, i)                        \
        PUT(NAME, T, shmem_p(dest + 1, source[4], right), i == 1, 4)                              \
        PUT(NAME, T, shmem_p(ctx, dest + 1, source[4], right), i == 1, 4)                         \
        PUT(NAME, T, shmem_iput(dest, source, 3, 2, 3, right), i % 3 == 0 && i < 9, i / 3 * 2)    \
        PUT(NAME, T, shmem_iput(ctx, dest, source, 2, 3, 2, right), i % 2 == 0 && i < 4,          \
            i / 2 * 3)                                                                            \
        PUT(NAME, T, shmem_ibput(dest, source, 5, 4, 2, 2, right), i % 5 < 2 && i < 7,            \
            i / 5 * 4 + i % 5)                                                                    \
        PUT(NAME, T, shmem_ibput(ctx, dest, source, 4, 5, 2, 2, right), i % 4 < 2 && i < 6,       \
            i / 4 * 5 + i % 4)                                                                    \
        PUT(NAME, T, shmem_put_signal(dest, source, 4, &signal_word, 1, SHMEM_SIGNAL_ADD, right), \
            i < 4, i)                                                                             \
        PUT(NAME, T,                                                                              \
            shmem_put_signal(ctx, dest, source, 4, &signal_word, 1, SHMEM_SIGNAL_ADD, right),     \
            i < 4, i)                                                                             \
        PUT(NAME, T,                                                                              \
            shmem_put_signal_nbi(dest, source, 6, &signal_word, 1, SHMEM_SIGNAL_ADD, right),      \
            i < 6, i)                                                                             \
        PUT(NAME, T,                                                                              \
            shmem_put_signal_nbi(ctx, dest, source, 6, &signal_word, 1, SHMEM_SIGNAL_ADD, right), \
            i < 6, i)                                                                             \
        GET(NAME, T, shmem_get(dest, constant, 3, right), i < 3, i)                               \
        GET(NAME, T, shmem_get(ctx, dest, source, 3, right), i < 3, i)                            \
        GET(NAME, T, shmem_get_nbi(dest, source, 7, right), i < 7, i)                             \
        GET(NAME, T, shmem_get_nbi(ctx, dest, constant, 7, right), i < 7, i)                      \
        GET(NAME, T, dest[1] = shmem_g(source + 6, right), i == 1, 6)                             \
        GET(NAME, T, dest[1] = shmem_g(ctx, constant + 6, right), i == 1, 6)                      \
        GET(NAME, T, shmem_iget(dest, source, 3, 2, 3, right), i % 3 == 0 && i < 9, i / 3 * 2)    \
        GET(NAME, T, shmem_iget(ctx, dest, source, 2, 3, 2, right), i % 2 == 0 && i < 4,          \
            i / 2 * 3)                                                                            \
        GET(NAME, T, shmem_ibget(dest, source, 5, 4, 2, 2, right), i % 5 < 2 && i < 7,            \
            i / 5 * 4 + i % 5)                                                                    \
        GET(NAME, T, shmem_ibget(ctx, dest, source, 4, 5, 2, 2, right), i % 4 < 2 && i < 6,       \
            i / 4 * 5 + i % 4)                                                                    \
        shmem_barrier_all();                                                                      \
    }
TYPES_RMA(RMA)

#define MOVES(NAME, T)                                                                 \
    static void moves_##NAME(void) {                                                   \
        static T dest[256], source[256];                                               \
        const T* const constant = source;                                              \
        for (int i = 0; i < 256; ++i) source[i] = VALUE(T, me, i);                     \
        shmem_barrier_all();                                                           \
        require(shmem_broadcast(SHMEM_TEAM_WORLD, dest, constant, 2, npes - 1) == 0 && \
                    dest[1] == VALUE(T, npes - 1, 1),                                  \
                "broadcast", #NAME);                                                   \
        shmem_sync(SHMEM_TEAM_WORLD);                                                  \
        require(shmem_collect(SHMEM_TEAM_WORLD, dest, source, 1) == 0 &&               \
                    dest[npes - 1] == VALUE(T, npes - 1, 0),                           \
                "collect", #NAME);                                                     \
        shmem_sync(SHMEM_TEAM_WORLD);                                                  \
        require(shmem_fcollect(SHMEM_TEAM_WORLD, dest, source, 2) == 0 &&              \
                    dest[2 * npes - 1] == VALUE(T, npes - 1, 1),                       \
                "fcollect", #NAME);                                                    \
        shmem_sync(SHMEM_TEAM_WORLD);                                                  \
        require(shmem_alltoall(SHMEM_TEAM_WORLD, dest, constant, 2) == 0 &&            \
                    dest[2 * left + 1] == VALUE(T, left, 2 * me + 1),                  \
                "alltoall", #NAME);                                                    \
        shmem_sync(SHMEM_TEAM_WORLD);                                                  \
        require(shmem_alltoalls(SHMEM_TEAM_WORLD, dest, source, 3, 2, 2) == 0 &&       \
                    dest[3 * (2 * left + 1)] == VALUE(T, left, 2 * (2 * me + 1)),      \
                "alltoalls", #NAME);                                                   \
        shmem_barrier_all();                                                           \
    }
TYPES_RMA(MOVES)

// One reduction of two elements, of which PE i has i + 1 and i + 2.
#define REDUCE(NAME, T, OPERATION, first, second)                                  \
    source[0] = VALUE(T, 0, me);                                                   \
    source[1] = VALUE(T, 0, me + 1);                                               \
    shmem_barrier_all();                                                           \
    require(OPERATION(SHMEM_TEAM_WORLD, dest, source, 2) == 0, #OPERATION, #NAME); \
    require(dest[0] == (T)(first) && dest[1] == (T)(second), #OPERATION, #NAME);
#define REDUCTIONS_BIT(NAME, T)                         \
    static void reduce_bit_##NAME(void) {               \
        static T dest[2], source[2];                    \
        T all = 0, any = 0, odd = 0, every = (T) ~(T)0; \
        for (int i = 0; i < npes; ++i) {                \
            all = every = (T)(every & (T)(i + 1));      \
            any = (T)(any | (T)(i + 1));                \
            odd = (T)(odd ^ (T)(i + 1));                \
        }                                               \
        T all2 = (T) ~(T)0, any2 = 0, odd2 = 0;         \
        for (int i = 0; i < npes; ++i) {                \
            all2 = (T)(all2 & (T)(i + 2));              \
            any2 = (T)(any2 | (T)(i + 2));              \
            odd2 = (T)(odd2 ^ (T)(i + 2));              \
        }                                               \
        REDUCE(NAME, T, shmem_and_reduce, all, all2)    \
        REDUCE(NAME, T, shmem_or_reduce, any, any2)     \
        REDUCE(NAME, T, shmem_xor_reduce, odd, odd2)    \
        shmem_barrier_all();                            \
    }
TYPES_RED_BIT(REDUCTIONS_BIT)
#define REDUCTIONS_MM(NAME, T)                            \
    static void reduce_mm_##NAME(void) {                  \
        static T dest[2], source[2];                      \
        REDUCE(NAME, T, shmem_max_reduce, npes, npes + 1) \
        REDUCE(NAME, T, shmem_min_reduce, 1, 2)           \
        shmem_barrier_all();                              \
    }
TYPES_RED_MM(REDUCTIONS_MM)
typedef double _Complex complexd;
typedef float _Complex complexf;
#define REDUCTIONS_SP(NAME, T)                                                              \
    static void reduce_sp_##NAME(void) {                                                    \
        static T dest[2], source[2];                                                        \
        T product = 1, product2 = 1;                                                        \
        for (int i = 0; i < npes; ++i) {                                                    \
            product = (T)(product * (T)(i + 1));                                            \
            product2 = (T)(product2 * (T)(i + 2));                                          \
        }                                                                                   \
        REDUCE(NAME, T, shmem_sum_reduce, npes*(npes + 1) / 2, npes * (npes + 3) / 2)       \
        REDUCE(NAME, T, shmem_prod_reduce, product, product2)                               \
        REDUCE(NAME, T, shmem_sum_inscan, (me + 1) * (me + 2) / 2, (me + 1) * (me + 4) / 2) \
        REDUCE(NAME, T, shmem_sum_exscan, me*(me + 1) / 2, me * (me + 3) / 2)               \
        shmem_barrier_all();                                                                \
    }
TYPES_RED_SP(REDUCTIONS_SP)

// The left neighbour changes this PE's word, in turn; `was` and `is` are what it must find and
// leave.
#define FETCHING(NAME, T, CALL, is)                          \
    shmem_barrier_all();                                     \
    word = 12;                                               \
    shmem_barrier_all();                                     \
    old = 0;                                                 \
    CALL;                                                    \
    shmem_quiet();                                           \
    shmem_ctx_quiet(ctx);                                    \
    require(old == 12, #CALL " gives the old value", #NAME); \
    shmem_barrier_all();                                     \
    require(word == (is), #CALL " leaves the new value", #NAME);
#define CHANGING(NAME, T, CALL, is) FETCHING(NAME, T, old = 12; CALL, is)
#define ATOMICS_EXT(NAME, T)                                                    \
    static void atomics_ext_##NAME(void) {                                      \
        static T word;                                                          \
        const T* const constant = &word;                                        \
        T old;                                                                  \
        FETCHING(NAME, T, old = shmem_atomic_fetch(constant, right), 12)        \
        FETCHING(NAME, T, old = shmem_atomic_fetch(ctx, &word, right), 12)      \
        CHANGING(NAME, T, shmem_atomic_set(&word, 7, right), 7)                 \
        CHANGING(NAME, T, shmem_atomic_set(ctx, &word, 7, right), 7)            \
        FETCHING(NAME, T, old = shmem_atomic_swap(&word, 9, right), 9)          \
        FETCHING(NAME, T, old = shmem_atomic_swap(ctx, &word, 9, right), 9)     \
        FETCHING(NAME, T, shmem_atomic_fetch_nbi(&old, constant, right), 12)    \
        FETCHING(NAME, T, shmem_atomic_fetch_nbi(ctx, &old, &word, right), 12)  \
        FETCHING(NAME, T, shmem_atomic_swap_nbi(&old, &word, 9, right), 9)      \
        FETCHING(NAME, T, shmem_atomic_swap_nbi(ctx, &old, &word, 9, right), 9) \
    }
TYPES_AMO_EXT(ATOMICS_EXT)
#define ATOMICS_STD(NAME, T)                                                                 \
    static void atomics_std_##NAME(void) {                                                   \
        static T word;                                                                       \
        T old;                                                                               \
        FETCHING(NAME, T, old = shmem_atomic_compare_swap(&word, 12, 5, right), 5)           \
        FETCHING(NAME, T, old = shmem_atomic_compare_swap(ctx, &word, 13, 5, right), 12)     \
        FETCHING(NAME, T, shmem_atomic_compare_swap_nbi(&old, &word, 12, 5, right), 5)       \
        FETCHING(NAME, T, shmem_atomic_compare_swap_nbi(ctx, &old, &word, 13, 5, right), 12) \
        FETCHING(NAME, T, old = shmem_atomic_fetch_inc(&word, right), 13)                    \
        FETCHING(NAME, T, old = shmem_atomic_fetch_inc(ctx, &word, right), 13)               \
        FETCHING(NAME, T, shmem_atomic_fetch_inc_nbi(&old, &word, right), 13)                \
        FETCHING(NAME, T, shmem_atomic_fetch_inc_nbi(ctx, &old, &word, right), 13)           \
        CHANGING(NAME, T, shmem_atomic_inc(&word, right), 13)                                \
        CHANGING(NAME, T, shmem_atomic_inc(ctx, &word, right), 13)                           \
        FETCHING(NAME, T, old = shmem_atomic_fetch_add(&word, 30, right), 42)                \
        FETCHING(NAME, T, old = shmem_atomic_fetch_add(ctx, &word, 30, right), 42)           \
        FETCHING(NAME, T, shmem_atomic_fetch_add_nbi(&old, &word, 30, right), 42)            \
        FETCHING(NAME, T, shmem_atomic_fetch_add_nbi(ctx, &old, &word, 30, right), 42)       \
        CHANGING(NAME, T, shmem_atomic_add(&word, 30, right), 42)                            \
        CHANGING(NAME, T, shmem_atomic_add(ctx, &word, 30, right), 42)                       \
    }
TYPES_AMO_STD(ATOMICS_STD)
#define BITWISE(NAME, T, OP, is)                                                     \
    FETCHING(NAME, T, old = shmem_atomic_fetch_##OP(&word, 6, right), is)            \
    FETCHING(NAME, T, old = shmem_atomic_fetch_##OP(ctx, &word, 6, right), is)       \
    FETCHING(NAME, T, shmem_atomic_fetch_##OP##_nbi(&old, &word, 6, right), is)      \
    FETCHING(NAME, T, shmem_atomic_fetch_##OP##_nbi(ctx, &old, &word, 6, right), is) \
    CHANGING(NAME, T, shmem_atomic_##OP(&word, 6, right), is)                        \
    CHANGING(NAME, T, shmem_atomic_##OP(ctx, &word, 6, right), is)
#define ATOMICS_BIT(NAME, T)               \
    static void atomics_bit_##NAME(void) { \
        static T word;                     \
        T old;                             \
        BITWISE(NAME, T, and, 4)           \
        BITWISE(NAME, T, or, 14)           \
        BITWISE(NAME, T, xor, 10)          \
    }
TYPES_AMO_BIT(ATOMICS_BIT)
// The names before 1.4.
#define OLD_EXT(NAME, T)                                          \
    static void old_ext_##NAME(void) {                            \
        static T word;                                            \
        const T* const constant = &word;                          \
        T old;                                                    \
        FETCHING(NAME, T, old = shmem_fetch(constant, right), 12) \
        CHANGING(NAME, T, shmem_set(&word, 7, right), 7)          \
        FETCHING(NAME, T, old = shmem_swap(&word, 9, right), 9)   \
    }
TYPES_OLD_EXT(OLD_EXT)
#define OLD_STD(NAME, T)                                             \
    static void old_std_##NAME(void) {                               \
        static T word;                                               \
        T old;                                                       \
        FETCHING(NAME, T, old = shmem_cswap(&word, 12, 5, right), 5) \
        FETCHING(NAME, T, old = shmem_finc(&word, right), 13)        \
        CHANGING(NAME, T, shmem_inc(&word, right), 13)               \
        FETCHING(NAME, T, old = shmem_fadd(&word, 30, right), 42)    \
        CHANGING(NAME, T, shmem_add(&word, 30, right), 42)           \
    }
TYPES_OLD_STD(OLD_STD)

#define WAITS_WORD(NAME, T)                                              \
    static void waits_word_##NAME(void) {                                \
        static T word = 5;                                               \
        shmem_wait_until(&word, SHMEM_CMP_GE, 5);                        \
        require(shmem_test(&word, SHMEM_CMP_EQ, 5) == 1, "test", #NAME); \
        require(shmem_test(&word, SHMEM_CMP_GT, 5) == 0, "test", #NAME); \
    }
TYPES_AMO_STD(WAITS_WORD)
TYPES_P2P_SHORT(WAITS_WORD)
#define WAITS(NAME, T)                                                                           \
    static void waits_##NAME(void) {                                                             \
        static T words[4] = {1, 2, 3, 4};                                                        \
        const int status[4] = {0, 0, 1, 1};                                                      \
        const T values[4] = {1, 3, 3, 3};                                                        \
        size_t at[4];                                                                            \
        shmem_wait_until_all(words, 4, status, SHMEM_CMP_LT, 3);                                 \
        shmem_wait_until_all_vector(words, 4, status, SHMEM_CMP_LE, values);                     \
        require(shmem_wait_until_any(words, 4, status, SHMEM_CMP_GT, 1) == 1, "any", #NAME);     \
        require(shmem_wait_until_any_vector(words, 4, status, SHMEM_CMP_EQ, values) == 0,        \
                "any_vector", #NAME);                                                            \
        require(shmem_wait_until_some(words, 4, at, status, SHMEM_CMP_GT, 1) == 1 && at[0] == 1, \
                "some", #NAME);                                                                  \
        require(shmem_wait_until_some_vector(words, 4, at, status, SHMEM_CMP_EQ, values) == 1 && \
                    at[0] == 0,                                                                  \
                "some_vector", #NAME);                                                           \
        require(shmem_test_all(words, 4, NULL, SHMEM_CMP_LE, 4) == 1, "test_all", #NAME);        \
        require(shmem_test_all_vector(words, 4, NULL, SHMEM_CMP_EQ, values) == 0,                \
                "test_all_vector", #NAME);                                                       \
        require(shmem_test_any(words, 4, NULL, SHMEM_CMP_GT, 4) == SIZE_MAX, "test_any", #NAME); \
        require(shmem_test_any_vector(words, 4, NULL, SHMEM_CMP_GT, values) == 3,                \
                "test_any_vector", #NAME);                                                       \
        require(shmem_test_some(words, 4, at, NULL, SHMEM_CMP_GE, 3) == 2, "test_some", #NAME);  \
        require(                                                                                 \
            shmem_test_some_vector(words, 4, at, NULL, SHMEM_CMP_GT, values) == 1 && at[0] == 3, \
            "test_some_vector", #NAME);                                                          \
    }
TYPES_AMO_STD(WAITS)

static void signals(void) {
    static uint64_t word;
    shmem_barrier_all();
    word = 3;
    shmem_barrier_all();
    shmem_signal_add(&word, 4, right);
    shmem_signal_add(ctx, &word, 5, right);
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    require(word == 12, "shmem_signal_add", "uint64");
    shmem_barrier_all();
    shmem_signal_set(&word, 40, right);
    shmem_quiet();
    shmem_signal_set(ctx, &word, 50, right);
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    require(word == 50, "shmem_signal_set", "uint64");
}

static void active_set_sync(void) {
    static long psync[SHMEM_SYNC_SIZE];
    shmem_barrier_all();
    shmem_sync(0, 0, npes, psync);
    require(psync[0] == SHMEM_SYNC_VALUE, "shmem_sync", "active sets");
}

int main(void) {
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    right = (me + 1) % npes;
    left = (me + npes - 1) % npes;
    require(shmem_ctx_create(0, &ctx) == 0, "a context", "the world");
#define RUN(NAME, T) rma_##NAME();
    TYPES_RMA(RUN)
#undef RUN
#define RUN(NAME, T) moves_##NAME();
    TYPES_RMA(RUN)
#undef RUN
#define RUN(NAME, T) reduce_bit_##NAME();
    TYPES_RED_BIT(RUN)
#undef RUN
#define RUN(NAME, T) reduce_mm_##NAME();
    TYPES_RED_MM(RUN)
#undef RUN
#define RUN(NAME, T) reduce_sp_##NAME();
    TYPES_RED_SP(RUN)
#undef RUN
#define RUN(NAME, T) atomics_ext_##NAME();
    TYPES_AMO_EXT(RUN)
#undef RUN
#define RUN(NAME, T)      \
    atomics_std_##NAME(); \
    waits_##NAME();
    TYPES_AMO_STD(RUN)
#undef RUN
#define RUN(NAME, T) atomics_bit_##NAME();
    TYPES_AMO_BIT(RUN)
#undef RUN
#define RUN(NAME, T) old_ext_##NAME();
    TYPES_OLD_EXT(RUN)
#undef RUN
#define RUN(NAME, T) old_std_##NAME();
    TYPES_OLD_STD(RUN)
#undef RUN
#define RUN(NAME, T) waits_word_##NAME();
    TYPES_AMO_STD(RUN)
    TYPES_P2P_SHORT(RUN)
#undef RUN
    signals();
    active_set_sync();
    shmem_ctx_destroy(ctx);
    shmem_finalize();
    return 0;
}
