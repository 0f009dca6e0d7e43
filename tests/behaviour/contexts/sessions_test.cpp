// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when an atomic that a session holds back (OpenSHMEM 1.6, 9.9) is lost, comes twice or not
// in time, or when PEs wait for atomics that others still hold back.
#include <shmem.h>

#include <cstdint>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"
#include "support/spec_types.hpp"

namespace {

using tessera::test::scaled;

// More than are held back at a time, and fewer.
constexpr long kMany = 100;
constexpr long kFew = 5;

int right_pe() { return (shmem_my_pe() + 1) % shmem_n_pes(); }

// A context with a session, that holds back what it may.
shmem_ctx_t session(long options = SHMEM_CTX_PRIVATE, std::size_t total = 0) {
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    EXPECT_EQ(shmem_ctx_create(options, &ctx), 0);
    const shmem_ctx_session_config_t config{total};
    shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, total > 0 ? &config : nullptr,
                            total > 0 ? SHMEM_CTX_SESSION_TOTAL_OPS : 0);
    return ctx;
}

// ---- Every operation of every type, by turns: none follows one of its own kind and size. ----

// In the heap: static data has another path.
template <class T>
struct Words {
    T added, incremented, anded, ored, xored;
    std::uint32_t between;
};
template <class T>
Words<T>* make_words() {
    return static_cast<Words<T>*>(shmem_calloc(1, sizeof(Words<T>)));
}

#define DEFINE_STANDARD(NAME, T)                                                      \
    void add_##NAME(shmem_ctx_t ctx, int pe) {                                        \
        auto* words = make_words<T>();                                                \
        for (long i = 0; i < kMany; ++i) {                                            \
            shmem_ctx_##NAME##_atomic_add(ctx, &words->added, static_cast<T>(3), pe); \
            shmem_ctx_uint32_atomic_xor(ctx, &words->between, 1, pe);                 \
            shmem_ctx_##NAME##_atomic_inc(ctx, &words->incremented, pe);              \
        }                                                                             \
        shmem_ctx_quiet(ctx);                                                         \
        shmem_barrier_all();                                                          \
        EXPECT_EQ(words->added, static_cast<T>(3 * kMany)) << #NAME;                  \
        EXPECT_EQ(words->incremented, static_cast<T>(kMany)) << #NAME;                \
        EXPECT_EQ(words->between, 0U) << #NAME;                                       \
        shmem_free(words);                                                            \
    }
SPEC_AMO_STANDARD_TYPES(DEFINE_STANDARD)
#undef DEFINE_STANDARD

#define DEFINE_BITWISE(NAME, T)                                                               \
    void combine_##NAME(shmem_ctx_t ctx, int pe) {                                            \
        auto* words = make_words<T>();                                                        \
        const T all = static_cast<T>(-1);                                                     \
        words->anded = all;                                                                   \
        shmem_barrier_all();                                                                  \
        for (unsigned i = 0; i < 8 * sizeof(T); i += 2) {                                     \
            const T bit = static_cast<T>(static_cast<T>(1) << i);                             \
            shmem_ctx_##NAME##_atomic_and(ctx, &words->anded, static_cast<T>(all ^ bit), pe); \
            shmem_ctx_##NAME##_atomic_or(ctx, &words->ored, bit, pe);                         \
            shmem_ctx_##NAME##_atomic_xor(ctx, &words->xored, static_cast<T>(bit * 3), pe);   \
        }                                                                                     \
        shmem_ctx_quiet(ctx);                                                                 \
        shmem_barrier_all();                                                                  \
        const T even_bits = static_cast<T>(0x5555555555555555);                               \
        EXPECT_EQ(words->anded, static_cast<T>(all ^ even_bits)) << #NAME;                    \
        EXPECT_EQ(words->ored, even_bits) << #NAME;                                           \
        EXPECT_EQ(words->xored, all) << #NAME;                                                \
        shmem_free(words);                                                                    \
    }
SPEC_AMO_BITWISE_TYPES(DEFINE_BITWISE)
#undef DEFINE_BITWISE

TEST(Sessions, DoEveryOperationOfEveryType) {
    for (long options : {0L, long{SHMEM_CTX_SERIALIZED}, long{SHMEM_CTX_PRIVATE}}) {
        shmem_ctx_t ctx = session(options);
#define ADD(NAME, T) add_##NAME(ctx, right_pe());
        SPEC_AMO_STANDARD_TYPES(ADD)
#undef ADD
#define COMBINE(NAME, T) combine_##NAME(ctx, right_pe());
        SPEC_AMO_BITWISE_TYPES(COMBINE)
#undef COMBINE
        shmem_ctx_destroy(ctx);
    }
}

// ---- What ends the holding back ----

// All PEs add `count` to a counter of the heap of their right neighbour on `ctx`; finish(counter)
// then completes that in its way.
template <class Finish>
void add_and_finish(shmem_ctx_t ctx, long count, Finish finish) {
    auto* counter = static_cast<long*>(shmem_calloc(1, sizeof(long)));
    for (long i = 0; i < count; ++i) shmem_ctx_long_atomic_inc(ctx, counter, right_pe());
    finish(counter);
    shmem_sync_all();
    EXPECT_EQ(shmem_long_atomic_fetch(counter, shmem_my_pe()), count);
    shmem_free(counter);
}

TEST(Sessions, QuietAndDestroyCompleteWhatIsHeldBack) {
    for (long count : {1L, kFew, kMany}) {
        shmem_ctx_t ctx = session();
        add_and_finish(ctx, count, [=](long*) { shmem_ctx_quiet(ctx); });
        add_and_finish(ctx, count, [=](long*) {
            const int pe = right_pe();
            shmem_ctx_pe_quiet(ctx, &pe, 1);
        });
        add_and_finish(ctx, count, [=](long*) {
            shmem_ctx_session_stop(ctx);
            shmem_ctx_quiet(ctx);
        });
        add_and_finish(ctx, count, [=](long*) { shmem_ctx_destroy(ctx); });
    }
}

TEST(Sessions, FenceOrdersWhatIsHeldBack) {
    shmem_ctx_t ctx = session();
    auto* words = static_cast<long*>(shmem_calloc(2, sizeof(long)));
    for (long round = 1; round <= scaled(50); ++round) {
        for (long i = 0; i < kFew; ++i) shmem_ctx_long_atomic_inc(ctx, &words[0], right_pe());
        shmem_ctx_fence(ctx);
        shmem_ctx_long_p(ctx, &words[1], round, right_pe());
        shmem_long_wait_until(&words[1], SHMEM_CMP_GE, round);
        EXPECT_GE(shmem_long_atomic_fetch(&words[0], shmem_my_pe()), round * kFew);
    }
    shmem_ctx_destroy(ctx);
    shmem_free(words);
}

// On one node our order is stronger than the specification's. Nothing waits between the atomics and
// the looks at what they did.
TEST(Sessions, AreOverAfterStopTheTotalOrAFetch) {
    if (shmem_team_n_pes(SHMEM_TEAM_SHARED) < shmem_n_pes()) GTEST_SKIP() << "several nodes";
    shmem_ctx_t ctx = session(SHMEM_CTX_PRIVATE, kFew);
    const auto is_there = [](long* counter) {
        EXPECT_EQ(shmem_long_atomic_fetch(counter, right_pe()), kFew);
    };
    add_and_finish(ctx, kFew, is_there);  // as many as were announced
    add_and_finish(ctx, kFew, [=](long* counter) {
        EXPECT_EQ(shmem_ctx_long_atomic_fetch(ctx, counter, right_pe()), kFew);
    });
    add_and_finish(ctx, kFew, [=](long* counter) {
        shmem_ctx_session_stop(ctx);
        is_there(counter);
    });
    add_and_finish(ctx, kFew, is_there);  // without a session
    shmem_ctx_destroy(ctx);
}

// ---- Waits ----

// Around the ring: every PE waits for a neighbour's atomic and completes nothing.
template <class Wait>
void go_round(long options, Wait wait) {
    shmem_ctx_t ctx = session(options);
    auto* turn = static_cast<long*>(shmem_calloc(1, sizeof(long)));
    for (long round = 1; round <= scaled(20); ++round) {
        shmem_ctx_long_atomic_inc(ctx, turn, right_pe());
        wait(turn, round);
    }
    shmem_ctx_destroy(ctx);
    shmem_barrier_all();
    shmem_free(turn);
}

TEST(Sessions, WaitsAndTestsLetGoOfWhatIsHeldBack) {
    for (long options : {0L, long{SHMEM_CTX_SERIALIZED}, long{SHMEM_CTX_PRIVATE}}) {
        go_round(options,
                 [](long* turn, long round) { shmem_long_wait_until(turn, SHMEM_CMP_GE, round); });
        go_round(options, [](long* turn, long round) {
            while (shmem_long_test(turn, SHMEM_CMP_GE, round) == 0) {
            }
        });
    }
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
