// SPDX-License-Identifier: BSD-3-Clause
//
// Random sequences of operations with requests against a model. Each PE owns a slice of every PE's
// memory, which only it changes; so it knows what must be there, whatever the others do meanwhile.
// It starts puts, gets, atomics, accumulates and signals on several contexts, tests and waits for
// them in all ways, reuses sources after local completion, and compares at the end. The seed is
// printed. usage: requests_random_test [SEQUENCES]
#include <shmemx.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "support/pe_test.hpp"

namespace {

constexpr std::size_t kWords = 512;  // in a slice
constexpr std::size_t kOpenMax = 24;

using Slice = std::vector<std::uint64_t>;
using Random = std::mt19937_64;

// An operation that is under way, and the words of the slice that it concerns.
struct Open {
    shmemx_req_t req = SHMEMX_REQ_COMPLETE;
    int pe = 0;
    std::size_t first = 0;
    std::size_t count = 0;
    Slice buffer;    // source or destination
    Slice expected;  // expected values of a destination; empty: a source
    bool is_local = false;
};

class Sequence {
  public:
    Sequence(std::uint64_t seed, std::uint64_t* memory, const std::vector<shmem_ctx_t>& contexts)
        : random_(seed),
          contexts_(contexts),
          slice_(memory + static_cast<std::size_t>(shmem_my_pe()) * kWords),
          model_(static_cast<std::size_t>(shmem_n_pes()), Slice(kWords, 0)),
          open_(kOpenMax) {}

    void run(int steps) {
        for (int step = 0; step < steps; ++step) {
            const std::size_t at = below(kOpenMax);
            if (open_[at].req != SHMEMX_REQ_COMPLETE) {
                finish_some(at);
            } else {
                start(at);
            }
        }
        if (below(3) == 0) quiet_all();
        for (std::size_t i = 0; i < kOpenMax; ++i) wait(i, SHMEMX_REMOTE);
        compare();
    }

  private:
    std::size_t below(std::size_t limit) { return random_() % limit; }

    // Operations on the same words are ordered by a wait for the earlier one.
    void settle(int pe, std::size_t first, std::size_t count) {
        for (std::size_t i = 0; i < kOpenMax; ++i) {
            const Open& other = open_[i];
            const bool meet = other.req != SHMEMX_REQ_COMPLETE && other.pe == pe &&
                              first < other.first + other.count && other.first < first + count;
            if (meet) wait(i, SHMEMX_REMOTE);
        }
    }

    void start(std::size_t at) {
        Open& one = open_[at];
        one = {};
        one.pe = static_cast<int>(below(model_.size()));
        one.count = below(4) == 0 ? 1 : 1 + below(kWords / 2);
        one.first = below(kWords - one.count + 1);
        settle(one.pe, one.first, one.count);
        const shmem_ctx_t ctx = contexts_[below(contexts_.size())];
        switch (below(7)) {
            case 0: return put(one, ctx);
            case 1: return get(one, ctx);
            case 2: return atomic(one, ctx);
            case 3: return accumulate(one, ctx);
            case 4: return put_signal(one, ctx);
            case 5: return get_accumulate(one, ctx);
            default: return fetch(one, ctx);
        }
    }

    std::uint64_t* model(const Open& one) {
        return model_[static_cast<std::size_t>(one.pe)].data() + one.first;
    }
    void fill(Slice& buffer, std::size_t count) {
        buffer.resize(count);
        for (std::uint64_t& word : buffer) word = random_();
    }
    void put(Open& one, shmem_ctx_t ctx) {
        fill(one.buffer, one.count);
        std::copy(one.buffer.begin(), one.buffer.end(), model(one));
        shmemx_ctx_putmem_req(ctx, slice_ + one.first, one.buffer.data(), one.count * 8, one.pe,
                              &one.req);
    }
    void get(Open& one, shmem_ctx_t ctx) {
        one.buffer.resize(one.count);
        one.expected.assign(model(one), model(one) + one.count);
        shmemx_ctx_uint64_get_req(ctx, one.buffer.data(), slice_ + one.first, one.count, one.pe,
                                  &one.req);
        if (one.req == SHMEMX_REQ_COMPLETE) check(one);
    }
    void atomic(Open& one, shmem_ctx_t ctx) {
        one.count = 1;
        const std::uint64_t value = random_();
        model(one)[0] += value;
        shmemx_ctx_uint64_atomic_add_req(ctx, slice_ + one.first, value, one.pe, &one.req);
    }
    void fetch(Open& one, shmem_ctx_t ctx) {
        one.count = 1;
        const std::uint64_t value = random_();
        one.buffer.resize(1);
        one.expected.assign(1, model(one)[0]);
        model(one)[0] = value;
        shmemx_ctx_uint64_atomic_swap_req(ctx, one.buffer.data(), slice_ + one.first, value, one.pe,
                                          &one.req);
        if (one.req == SHMEMX_REQ_COMPLETE) check(one);
    }
    void accumulate(Open& one, shmem_ctx_t ctx) {
        fill(one.buffer, one.count);
        for (std::size_t i = 0; i < one.count; ++i) model(one)[i] ^= one.buffer[i];
        shmemx_ctx_accumulate_req(ctx, slice_ + one.first, one.buffer.data(), one.count * 4,
                                  SHMEMX_TYPE_UINT16, SHMEMX_OP_XOR, one.pe, &one.req);
    }
    void get_accumulate(Open& one, shmem_ctx_t ctx) {
        Slice addends;
        fill(addends, one.count);
        one.buffer.resize(one.count);
        one.expected.assign(model(one), model(one) + one.count);
        for (std::size_t i = 0; i < one.count; ++i) model(one)[i] += addends[i];
        shmemx_ctx_get_accumulate_req(ctx, slice_ + one.first, addends.data(), one.buffer.data(),
                                      one.count, SHMEMX_TYPE_INT64, SHMEMX_OP_SUM, one.pe,
                                      &one.req);
        if (one.req == SHMEMX_REQ_COMPLETE) check(one);
    }
    // The last word of the range is the signal.
    void put_signal(Open& one, shmem_ctx_t ctx) {
        fill(one.buffer, one.count - 1);
        std::copy(one.buffer.begin(), one.buffer.end(), model(one));
        model(one)[one.count - 1] += 3;
        shmemx_ctx_uint64_put_signal_req(ctx, slice_ + one.first, one.buffer.data(), one.count - 1,
                                         slice_ + one.first + one.count - 1, 3, SHMEM_SIGNAL_ADD,
                                         one.pe, &one.req);
    }

    void check(const Open& one) {
        if (one.expected.empty()) return;
        ASSERT_EQ(one.buffer, one.expected);
    }
    // After a local completion: a destination is right, a source may be overwritten.
    void reuse(Open& one) {
        check(one);
        if (one.expected.empty())
            std::fill(one.buffer.begin(), one.buffer.end(), 0xDEADDEADDEADDEAD);
    }
    void wait(std::size_t i, int completion) {
        Open& one = open_[i];
        if (one.req == SHMEMX_REQ_COMPLETE) return;
        shmemx_req_wait(&one.req, completion);
        reuse(one);
    }
    void finish_some(std::size_t at) {
        Open& one = open_[at];
        const int completion = below(2) == 0 ? SHMEMX_LOCAL : SHMEMX_REMOTE;
        int is_complete = 0;
        switch (below(4)) {
            case 0: return wait(at, completion);
            case 1:
                shmemx_req_test(&one.req, completion, &is_complete);
                if (is_complete != 0) reuse(one);
                return;
            case 2: return finish_any(completion);
            default:
                // Given up: only a quiet of its context completes it now.
                if (below(8) != 0 || !one.expected.empty()) return wait(at, completion);
                shmemx_req_free(&one.req);
                quiet_all();
        }
    }
    void finish_any(int completion) {
        std::vector<shmemx_req_t> reqs;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < kOpenMax; ++i) reqs.push_back(open_[i].req);
        std::vector<std::size_t> indices(reqs.size());
        std::size_t count = 0;
        if (below(2) == 0) {
            indices[0] = shmemx_req_waitany(reqs.data(), reqs.size(), completion);
            count = indices[0] == SIZE_MAX ? 0 : 1;
        } else {
            count = shmemx_req_testsome(reqs.data(), reqs.size(), completion, indices.data());
        }
        for (std::size_t i = 0; i < kOpenMax; ++i) open_[i].req = reqs[i];
        for (std::size_t i = 0; i < count; ++i) reuse(open_[indices[i]]);
    }
    void quiet_all() {
        for (shmem_ctx_t ctx : contexts_) shmem_ctx_quiet(ctx);
        for (std::size_t i = 0; i < kOpenMax; ++i) {
            if (open_[i].req == SHMEMX_REQ_COMPLETE) continue;
            int is_complete = 0;
            shmemx_req_test(&open_[i].req, SHMEMX_REMOTE, &is_complete);
            ASSERT_EQ(is_complete, 1) << "after a quiet";
            reuse(open_[i]);
        }
    }
    void compare() {
        for (std::size_t pe = 0; pe < model_.size(); ++pe) {
            Slice seen(kWords);
            shmem_uint64_get(seen.data(), slice_, kWords, static_cast<int>(pe));
            ASSERT_EQ(seen, model_[pe]) << "slice on PE " << pe;
        }
    }

    Random random_;
    const std::vector<shmem_ctx_t>& contexts_;
    std::uint64_t* slice_;
    std::vector<Slice> model_;  // by PE
    std::vector<Open> open_;
};

TEST(Requests, RandomSequencesEndAsTheModelSays) {
    const std::size_t words = kWords * static_cast<std::size_t>(shmem_n_pes());
    auto* memory = static_cast<std::uint64_t*>(shmem_malloc(words * sizeof(std::uint64_t)));
    std::vector<shmem_ctx_t> contexts = {SHMEM_CTX_DEFAULT};
    for (long options : {0L, static_cast<long>(SHMEM_CTX_PRIVATE)}) {
        contexts.emplace_back();
        ASSERT_EQ(shmem_ctx_create(options, &contexts.back()), 0);
    }
    const std::uint64_t seed = tessera::test::shared_seed();
    for (int i = 0; i < tessera::test::repeats(60); ++i) {
        std::memset(memory, 0, words * sizeof(std::uint64_t));
        shmem_barrier_all();
        const auto me = static_cast<std::uint64_t>(shmem_my_pe());
        Sequence(seed + static_cast<std::uint64_t>(i) * 1000 + me, memory, contexts).run(60);
        if (HasFatalFailure()) return;
        shmem_barrier_all();
    }
    for (std::size_t i = 1; i < contexts.size(); ++i) shmem_ctx_destroy(contexts[i]);
    shmem_free(memory);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
