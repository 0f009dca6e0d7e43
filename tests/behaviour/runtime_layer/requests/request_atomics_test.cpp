// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when an atomic with a request does another operation than its name says, on another word,
// twice or never, or when its result is not there after a local wait. The test calls the C++
// overloads, so that these choose the routine of the type, too, and the typed names by tables.
#include <shmemx.h>

#include <vector>

#include "shmem/types.h"
#include "support/pe_test.hpp"

namespace {

int next_pe() { return (shmem_my_pe() + 1) % shmem_n_pes(); }

// A word of each PE, of a type, that its left neighbour works on.
template <class T>
class Word {
  public:
    Word() : word_(static_cast<T*>(shmem_calloc(3, sizeof(T)))) {}
    Word(const Word&) = delete;
    Word& operator=(const Word&) = delete;
    ~Word() {
        shmem_barrier_all();
        shmem_free(word_);
    }
    T* get() { return word_ + 1; }
    // The neighbour has this value, and the words beside it are untouched.
    void expect(T value) {
        EXPECT_EQ(shmem_g(word_ + 1, next_pe()), value);
        EXPECT_EQ(shmem_g(word_, next_pe()), T{0});
        EXPECT_EQ(shmem_g(word_ + 2, next_pe()), T{0});
    }

  private:
    T* word_;
};

class Req {
  public:
    shmemx_req_t* operator&() { return &req_; }
    void local() { shmemx_req_wait(&req_, SHMEMX_LOCAL); }
    void remote() {
        shmemx_req_wait(&req_, SHMEMX_REMOTE);
        EXPECT_EQ(req_, SHMEMX_REQ_COMPLETE);
    }

  private:
    shmemx_req_t req_ = SHMEMX_REQ_COMPLETE;
};

template <class T>
void check_extended(shmem_ctx_t ctx) {
    Word<T> word;
    Req req;
    T fetched{};
    shmemx_atomic_set_req(word.get(), T{5}, next_pe(), &req);
    req.remote();
    word.expect(T{5});
    shmemx_atomic_swap_req(ctx, &fetched, word.get(), T{9}, next_pe(), &req);
    req.local();
    EXPECT_EQ(fetched, T{5});
    req.remote();
    shmemx_atomic_fetch_req(&fetched, word.get(), next_pe(), &req);
    req.local();
    EXPECT_EQ(fetched, T{9});
    shmemx_atomic_set_req(ctx, word.get(), T{4}, next_pe(), &req);
    req.remote();
    shmemx_atomic_fetch_req(ctx, &fetched, word.get(), next_pe(), &req);
    req.remote();
    EXPECT_EQ(fetched, T{4});
    shmemx_atomic_swap_req(&fetched, word.get(), T{2}, next_pe(), &req);
    req.remote();
    word.expect(T{2});
}

template <class T>
void check_standard(shmem_ctx_t ctx) {
    Word<T> word;
    Req req;
    T fetched{};
    shmemx_atomic_add_req(word.get(), T{7}, next_pe(), &req);
    req.remote();
    word.expect(T{7});
    shmemx_atomic_inc_req(ctx, word.get(), next_pe(), &req);
    req.remote();
    word.expect(T{8});
    shmemx_atomic_fetch_add_req(ctx, &fetched, word.get(), T{2}, next_pe(), &req);
    req.local();
    EXPECT_EQ(fetched, T{8});
    shmemx_atomic_fetch_inc_req(&fetched, word.get(), next_pe(), &req);
    req.local();
    EXPECT_EQ(fetched, T{10});
    shmemx_atomic_compare_swap_req(&fetched, word.get(), T{10}, T{99}, next_pe(), &req);
    req.local();
    EXPECT_EQ(fetched, T{11});
    word.expect(T{11});
    shmemx_atomic_compare_swap_req(ctx, &fetched, word.get(), T{11}, T{99}, next_pe(), &req);
    req.local();
    EXPECT_EQ(fetched, T{11});
    word.expect(T{99});
    shmemx_atomic_add_req(ctx, word.get(), T{1}, next_pe(), &req);
    req.remote();
    shmemx_atomic_inc_req(word.get(), next_pe(), &req);
    req.remote();
    shmemx_atomic_fetch_add_req(&fetched, word.get(), T{3}, next_pe(), &req);
    req.local();
    EXPECT_EQ(fetched, T{101});
    shmemx_atomic_fetch_inc_req(ctx, &fetched, word.get(), next_pe(), &req);
    req.local();
    word.expect(T{105});
}

template <class T>
void check_bitwise(shmem_ctx_t ctx) {
    Word<T> word;
    Req req;
    T fetched{};
    shmemx_atomic_or_req(word.get(), T{0xF0}, next_pe(), &req);
    req.remote();
    shmemx_atomic_and_req(ctx, word.get(), T{0x3C}, next_pe(), &req);
    req.remote();
    word.expect(T{0x30});
    shmemx_atomic_xor_req(word.get(), T{0x11}, next_pe(), &req);
    req.remote();
    shmemx_atomic_fetch_or_req(ctx, &fetched, word.get(), T{2}, next_pe(), &req);
    req.local();
    EXPECT_EQ(fetched, T{0x21});
    shmemx_atomic_fetch_and_req(&fetched, word.get(), T{3}, next_pe(), &req);
    req.local();
    EXPECT_EQ(fetched, T{0x23});
    shmemx_atomic_fetch_xor_req(&fetched, word.get(), T{1}, next_pe(), &req);
    req.local();
    EXPECT_EQ(fetched, T{3});
    word.expect(T{2});
}

class Atomics : public testing::Test {
  protected:
    void SetUp() override { ASSERT_EQ(shmem_ctx_create(SHMEM_CTX_SERIALIZED, &ctx_), 0); }
    void TearDown() override { shmem_ctx_destroy(ctx_); }
    shmem_ctx_t ctx_ = SHMEM_CTX_INVALID;
};

TEST_F(Atomics, OfAllTypes) {
    check_extended<int>(ctx_);
    check_extended<long>(ctx_);
    check_extended<long long>(ctx_);
    check_extended<unsigned>(ctx_);
    check_extended<unsigned long>(ctx_);
    check_extended<unsigned long long>(ctx_);
    check_extended<float>(ctx_);
    check_extended<double>(ctx_);
    check_standard<int>(ctx_);
    check_standard<long>(ctx_);
    check_standard<long long>(ctx_);
    check_standard<unsigned>(ctx_);
    check_standard<unsigned long>(ctx_);
    check_standard<unsigned long long>(ctx_);
    check_bitwise<int>(ctx_);
    check_bitwise<long>(ctx_);
    check_bitwise<unsigned>(ctx_);
    check_bitwise<unsigned long>(ctx_);
    check_bitwise<unsigned long long>(ctx_);
}

// One operation of each typed name.
TEST_F(Atomics, OfAllTypedNames){
#define CHECK(NAME, T)                                                                     \
    {                                                                                      \
        Word<T> word;                                                                      \
        Req req;                                                                           \
        auto fetched = static_cast<T>(0);                                                  \
        shmemx_##NAME##_atomic_set_req(word.get(), static_cast<T>(6), next_pe(), &req);    \
        req.remote();                                                                      \
        shmemx_ctx_##NAME##_atomic_swap_req(ctx_, &fetched, word.get(), static_cast<T>(8), \
                                            next_pe(), &req);                              \
        req.local();                                                                       \
        EXPECT_EQ(fetched, static_cast<T>(6));                                             \
        word.expect(static_cast<T>(8));                                                    \
    }
    SHMEM_INTERNAL_AMO_EXT_TYPES(CHECK)
#undef CHECK
#define CHECK(NAME, T)                                                                          \
    {                                                                                           \
        Word<T> word;                                                                           \
        Req req;                                                                                \
        auto fetched = static_cast<T>(0);                                                       \
        shmemx_##NAME##_atomic_inc_req(word.get(), next_pe(), &req);                            \
        req.remote();                                                                           \
        shmemx_ctx_##NAME##_atomic_fetch_add_req(ctx_, &fetched, word.get(), static_cast<T>(8), \
                                                 next_pe(), &req);                              \
        req.local();                                                                            \
        EXPECT_EQ(fetched, static_cast<T>(1));                                                  \
        word.expect(static_cast<T>(9));                                                         \
    }
        SHMEM_INTERNAL_AMO_STD_TYPES(CHECK)
#undef CHECK
#define CHECK(NAME, T)                                                                          \
    {                                                                                           \
        Word<T> word;                                                                           \
        Req req;                                                                                \
        auto fetched = static_cast<T>(0);                                                       \
        shmemx_##NAME##_atomic_or_req(word.get(), static_cast<T>(12), next_pe(), &req);         \
        req.remote();                                                                           \
        shmemx_ctx_##NAME##_atomic_fetch_xor_req(ctx_, &fetched, word.get(), static_cast<T>(8), \
                                                 next_pe(), &req);                              \
        req.local();                                                                            \
        EXPECT_EQ(fetched, static_cast<T>(12));                                                 \
        word.expect(static_cast<T>(4));                                                         \
    }
            SHMEM_INTERNAL_AMO_BIT_TYPES(CHECK)
#undef CHECK
}

// All PEs add to one word with several requests under way.
TEST_F(Atomics, ExcludeEachOther) {
    auto* sum = static_cast<long*>(shmem_calloc(1, sizeof(long)));
    constexpr int kEach = 100;
    std::vector<shmemx_req_t> reqs(kEach);
    std::vector<long> fetched(kEach);
    for (int i = 0; i < kEach; ++i) {
        shmem_ctx_t ctx = i % 2 == 0 ? ctx_ : SHMEM_CTX_DEFAULT;
        if (i % 3 == 0) {
            shmemx_atomic_add_req(ctx, sum, 1L, 0, &reqs[static_cast<std::size_t>(i)]);
        } else {
            shmemx_atomic_fetch_inc_req(ctx, &fetched[static_cast<std::size_t>(i)], sum, 0,
                                        &reqs[static_cast<std::size_t>(i)]);
        }
    }
    shmemx_req_waitall(reqs.data(), kEach, SHMEMX_REMOTE);
    shmem_sync_all();
    EXPECT_EQ(shmem_g(sum, 0), long{kEach} * shmem_n_pes());
    shmem_barrier_all();
    shmem_free(sum);
}

// A session holds back atomics; one with a request is performed all the same.
TEST_F(Atomics, ASessionDoesNotHoldThemBack) {
    Word<long> word;
    Req req;
    shmem_ctx_session_start(ctx_, SHMEM_CTX_SESSION_BATCH, nullptr, 0);
    shmem_ctx_long_atomic_add(ctx_, word.get(), 2, next_pe());
    shmemx_ctx_long_atomic_add_req(ctx_, word.get(), 3, next_pe(), &req);
    req.remote();
    word.expect(5);
    shmem_ctx_session_stop(ctx_);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
