// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when an operation with a request moves wrong data, when a wait returns before its
// operation has come so far or waits for others, when a source is still in use after a local
// completion, or when requests do not end as they should.
#include <shmemx.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::Bytes;
using tessera::test::difference;
using tessera::test::fill;
using tessera::test::Region;
using tessera::test::regions;
using tessera::test::scaled;

constexpr std::size_t kSizes[] = {1, 2, 3, 4, 8, 15, 64, 65, 200, 4096, 5000, 70'000, 300'000};
constexpr std::size_t kSlot = 300'032;

int next_pe() { return (shmem_my_pe() + 1) % shmem_n_pes(); }
int previous_pe() { return (shmem_my_pe() + shmem_n_pes() - 1) % shmem_n_pes(); }
// Whether this PE reaches the target's memory itself, also where software keeps it coherent.
bool is_mapped(const void* address, int pe) { return shmemx_public_ptr(address, pe) != nullptr; }
bool is_progress(const char* way) {
    const char* progress = std::getenv("SHMEM_PROGRESS");
    return progress != nullptr && std::string(progress).starts_with(way);
}

// A context of each kind, and none.
std::vector<shmem_ctx_t> contexts() {
    std::vector<shmem_ctx_t> all = {SHMEM_CTX_DEFAULT};
    for (long options :
         {0L, static_cast<long>(SHMEM_CTX_PRIVATE), static_cast<long>(SHMEM_CTX_SERIALIZED)}) {
        shmem_ctx_t ctx = SHMEM_CTX_INVALID;
        EXPECT_EQ(shmem_ctx_create(options, &ctx), 0);
        all.push_back(ctx);
    }
    return all;
}
void destroy(const std::vector<shmem_ctx_t>& all) {
    for (shmem_ctx_t ctx : all) {
        if (ctx != SHMEM_CTX_DEFAULT) shmem_ctx_destroy(ctx);
    }
}

TEST(Requests, PutsAreDeliveredByARemoteWaitAndSourcesReusableByALocalOne) {
    const std::vector<shmem_ctx_t> all = contexts();
    std::size_t round = 0;
    for (const Region& region : regions()) {
        for (std::size_t bytes : kSizes) {
            for (shmem_ctx_t ctx : all) {
                Bytes source(bytes);
                fill(source.data(), bytes, shmem_my_pe(), next_pe(), ++round);
                shmemx_req_t req = SHMEMX_REQ_COMPLETE;
                shmemx_ctx_putmem_req(ctx, region.data, source.data(), bytes, next_pe(), &req);
                // Helpers take long transfers, whose requests then stay open.
                if (is_mapped(region.data, next_pe()) && !is_progress("helpers")) {
                    EXPECT_EQ(req, SHMEMX_REQ_COMPLETE);
                }
                shmemx_req_wait(&req, SHMEMX_LOCAL);
                std::fill(source.begin(), source.end(), tessera::test::kGuard);
                shmemx_req_wait(&req, SHMEMX_REMOTE);
                EXPECT_EQ(req, SHMEMX_REQ_COMPLETE);
                shmem_sync_all();  // Unlike a barrier it completes nothing.
                Bytes expected(bytes);
                fill(expected.data(), bytes, previous_pe(), shmem_my_pe(), round);
                EXPECT_EQ(difference(region.data, expected.data(), bytes), "") << region.kind;
                shmem_sync_all();
            }
        }
    }
    destroy(all);
}

TEST(Requests, GetsAreThereAfterAnyWait) {
    const std::vector<shmem_ctx_t> all = contexts();
    std::size_t round = 1000;
    for (const Region& region : regions()) {
        for (std::size_t bytes : kSizes) {
            fill(region.data, bytes, shmem_my_pe(), 0, ++round);
            shmem_barrier_all();
            for (shmem_ctx_t ctx : all) {
                Bytes got(bytes);
                shmemx_req_t req = SHMEMX_REQ_COMPLETE;
                shmemx_ctx_getmem_req(ctx, got.data(), region.data, bytes, next_pe(), &req);
                shmemx_req_wait(&req, ctx == SHMEM_CTX_DEFAULT ? SHMEMX_LOCAL : SHMEMX_REMOTE);
                EXPECT_EQ(req, SHMEMX_REQ_COMPLETE) << "both completions of a get are one";
                Bytes expected(bytes);
                fill(expected.data(), bytes, next_pe(), 0, round);
                EXPECT_EQ(difference(got.data(), expected.data(), bytes), "") << region.kind;
            }
            shmem_barrier_all();
        }
    }
    destroy(all);
}

TEST(Requests, NothingToMoveIsComplete) {
    auto* req = reinterpret_cast<shmemx_req_t>(1);
    shmemx_putmem_req(nullptr, nullptr, 0, next_pe(), &req);
    EXPECT_EQ(req, SHMEMX_REQ_COMPLETE);
    req = reinterpret_cast<shmemx_req_t>(1);
    shmemx_getmem_req(nullptr, nullptr, 0, next_pe(), &req);
    EXPECT_EQ(req, SHMEMX_REQ_COMPLETE);
    int is_complete = 0;
    shmemx_req_testall(nullptr, 0, SHMEMX_REMOTE, &is_complete);
    EXPECT_EQ(is_complete, 1);
    shmemx_req_waitall(nullptr, 0, SHMEMX_LOCAL);
    EXPECT_EQ(shmemx_req_waitany(nullptr, 0, SHMEMX_LOCAL), SIZE_MAX);
    EXPECT_EQ(shmemx_req_testany(&req, 1, SHMEMX_REMOTE), SIZE_MAX);
    EXPECT_EQ(shmemx_req_waitsome(nullptr, 0, SHMEMX_LOCAL, nullptr), 0U);
    shmemx_req_free(&req);
}

// Several puts and gets at once, in every form of test and wait.
class Arrays : public testing::Test {
  protected:
    static constexpr std::size_t kCount = 40;
    static constexpr std::size_t kBytes = 3000;

    void SetUp() override {
        data_ = static_cast<unsigned char*>(shmem_malloc(kCount * kBytes));
        reqs_.assign(kCount, SHMEMX_REQ_COMPLETE);
        source_.resize(kCount * kBytes);
    }
    void TearDown() override { shmem_free(data_); }

    // Puts to all PEs in turn.
    void start(std::size_t round) {
        fill(source_.data(), source_.size(), 0, 1, round);
        for (std::size_t i = 0; i < kCount; ++i) {
            const std::size_t bytes = i % 4 == 0 ? 8 : kBytes;
            shmemx_putmem_req(data_ + i * kBytes, source_.data() + i * kBytes, bytes, pe_of(i),
                              &reqs_[i]);
        }
    }
    // Whether operation `i` is in the memory of its target.
    void check(std::size_t i) {
        Bytes got(i % 4 == 0 ? 8 : kBytes);
        shmem_getmem(got.data(), data_ + i * kBytes, got.size(), pe_of(i));
        EXPECT_EQ(difference(got.data(), source_.data() + i * kBytes, got.size()), "") << i;
    }
    // The slice of this PE: all put to the same places, but not at the same time.
    template <class Finish>
    void in_turns(Finish finish) {
        for (int pe = 0; pe < shmem_n_pes(); ++pe) {
            if (pe == shmem_my_pe()) {
                start(static_cast<std::size_t>(++round_));
                finish();
                for (std::size_t i = 0; i < kCount; ++i) {
                    EXPECT_EQ(reqs_[i], SHMEMX_REQ_COMPLETE) << i;
                    check(i);
                }
            }
            shmem_barrier_all();
        }
    }
    static int pe_of(std::size_t i) { return static_cast<int>(i) % shmem_n_pes(); }

    unsigned char* data_ = nullptr;
    std::vector<shmemx_req_t> reqs_;
    Bytes source_;
    int round_ = 0;
};

TEST_F(Arrays, Waitall) {
    in_turns([&] { shmemx_req_waitall(reqs_.data(), kCount, SHMEMX_REMOTE); });
    in_turns([&] {
        shmemx_req_waitall(reqs_.data(), kCount, SHMEMX_LOCAL);
        shmemx_req_waitall(reqs_.data(), kCount, SHMEMX_REMOTE);
    });
}

TEST_F(Arrays, Testall) {
    in_turns([&] {
        int is_complete = 0;
        while (is_complete == 0)
            shmemx_req_testall(reqs_.data(), kCount, SHMEMX_REMOTE, &is_complete);
    });
}

TEST_F(Arrays, WaitanyTellsEachOnceAndOnlyThoseThatAreComplete) {
    for (int completion : {SHMEMX_LOCAL, SHMEMX_REMOTE}) {
        in_turns([&] {
            const std::vector<shmemx_req_t> before = reqs_;
            std::vector<bool> is_told(kCount);
            for (std::size_t i;
                 (i = shmemx_req_waitany(reqs_.data(), kCount, completion)) != SIZE_MAX;) {
                ASSERT_LT(i, kCount);
                EXPECT_FALSE(is_told[i]) << i << " told twice";
                is_told[i] = true;
                if (completion == SHMEMX_REMOTE) check(i);
            }
            for (std::size_t i = 0; i < kCount; ++i)
                EXPECT_EQ(is_told[i], before[i] != SHMEMX_REQ_COMPLETE) << i;
            shmemx_req_waitall(reqs_.data(), kCount, SHMEMX_REMOTE);
        });
    }
}

TEST_F(Arrays, TestanyAndTestsomeTellAllInTheEnd) {
    in_turns([&] {
        const auto open = static_cast<std::size_t>(
            std::ranges::count_if(reqs_, [](auto req) { return req != SHMEMX_REQ_COMPLETE; }));
        std::size_t told = 0;
        std::vector<std::size_t> indices(kCount);
        while (told < open) {
            told += shmemx_req_testany(reqs_.data(), kCount, SHMEMX_REMOTE) != SIZE_MAX ? 1 : 0;
            const std::size_t some =
                shmemx_req_testsome(reqs_.data(), kCount, SHMEMX_REMOTE, indices.data());
            for (std::size_t i = 0; i < some; ++i) check(indices[i]);
            told += some;
        }
        EXPECT_EQ(told, open);
        // Waits for the requests that were complete at once.
        shmemx_req_waitall(reqs_.data(), kCount, SHMEMX_REMOTE);
    });
}

TEST_F(Arrays, WaitsomeTellsAscendingNumbers) {
    for (int completion : {SHMEMX_LOCAL, SHMEMX_REMOTE}) {
        in_turns([&] {
            std::vector<std::size_t> indices(kCount);
            std::size_t told = 0;
            const auto open = static_cast<std::size_t>(
                std::ranges::count_if(reqs_, [](auto req) { return req != SHMEMX_REQ_COMPLETE; }));
            for (std::size_t some; (some = shmemx_req_waitsome(reqs_.data(), kCount, completion,
                                                               indices.data())) != 0;) {
                EXPECT_TRUE(std::is_sorted(indices.begin(),
                                           indices.begin() + static_cast<std::ptrdiff_t>(some)));
                told += some;
            }
            EXPECT_EQ(told, open);
            shmemx_req_waitall(reqs_.data(), kCount, SHMEMX_REMOTE);
        });
    }
}

TEST_F(Arrays, QuietCompletesRequestsAndThoseThatWereGivenUp) {
    in_turns([&] {
        for (std::size_t i = 0; i < kCount; i += 3) shmemx_req_free(&reqs_[i]);
        shmem_quiet();
        for (shmemx_req_t& req : reqs_) {
            int is_complete = 0;
            shmemx_req_test(&req, SHMEMX_REMOTE, &is_complete);
            EXPECT_EQ(is_complete, 1);
        }
    });
}

TEST(Requests, ManyAreOpenAtOnce) {
    constexpr std::size_t kMany =
        3000;  // More than a slab of slots, and than a context has posted.
    auto* words = static_cast<long*>(shmem_calloc(kMany, sizeof(long)));
    for (int round = 0; round < scaled(4); ++round) {
        std::vector<shmemx_req_t> reqs(kMany);
        for (std::size_t i = 0; i < kMany; ++i)
            shmemx_long_atomic_add_req(words + i, static_cast<long>(i), next_pe(), &reqs[i]);
        shmemx_req_waitall(reqs.data(), kMany, SHMEMX_REMOTE);
        shmem_sync_all();
        for (std::size_t i = 0; i < kMany; ++i)
            ASSERT_EQ(words[i], static_cast<long>(i) * (round + 1)) << i;
        shmem_sync_all();
    }
    shmem_free(words);
}

// RETURNS when: all threads of the process have stopped.
void stop(pid_t process) {
    ASSERT_EQ(::kill(process, SIGSTOP), 0);
    const std::string tasks = "/proc/" + std::to_string(process) + "/task";
    for (const auto& task : std::filesystem::directory_iterator(tasks)) {
        std::string stat;
        do {
            std::getline(std::ifstream(task.path() / "stat"), stat);
        } while (stat.substr(stat.rfind(')')).substr(2, 1) != "T");
    }
}

// PE 0 stops the last PE while that is in no call. So operations towards it cannot be delivered,
// and a wait that waits for them as well would never return. Without progress beside the calls they
// would never be delivered either.
TEST(Requests, AWaitForOneWaitsForNoOther) {
    if (is_progress("none")) GTEST_SKIP() << "SHMEM_PROGRESS=none";
    const int last = shmem_n_pes() - 1;
    static long word[2];
    static unsigned char block[2][100'000];
    static long pid;
    static long is_over;
    pid = static_cast<long>(getpid());
    is_over = 0;
    word[0] = word[1] = 0;
    shmem_barrier_all();
    // The heap is mapped on a node, also where static data is not.
    const bool are_apart =
        shmem_n_pes() >= 3 && !is_mapped(regions().front().data, last == shmem_my_pe() ? 0 : last);
    const bool off_node = are_apart && shmem_my_pe() == 0;
    if (off_node) {
        const long target = shmem_long_g(&pid, last);
        Bytes source(sizeof block[0], 7);
        long fetched = -1;
        shmem_quiet();
        stop(static_cast<pid_t>(target));
        shmemx_req_t stuck[4];
        shmemx_putmem_req(block[0], source.data(), 300, last, &stuck[0]);
        shmemx_long_atomic_fetch_add_req(&fetched, &word[0], 5, last, &stuck[1]);
        shmemx_long_put_req(&word[1], &target, 1, last, &stuck[2]);
        shmemx_putmem_req(block[1], source.data(), sizeof block[1], last, &stuck[3]);
        // To another PE, by the same context.
        shmemx_req_t req = SHMEMX_REQ_COMPLETE;
        shmemx_putmem_req(block[1], source.data(), sizeof block[1], 1, &req);
        shmemx_req_wait(&req, SHMEMX_REMOTE);
        shmemx_long_atomic_add_req(&word[0], 1, 1, &req);
        shmemx_req_wait(&req, SHMEMX_REMOTE);
        // Short sources have been copied; nothing is delivered.
        shmemx_req_wait(&stuck[2], SHMEMX_LOCAL);
        int is_complete = -1;
        for (int i = 0; i < 100; ++i) {
            for (shmemx_req_t& each : stuck) {
                shmemx_req_test(&each, SHMEMX_REMOTE, &is_complete);
                EXPECT_EQ(is_complete, 0);
            }
        }
        shmemx_req_test(&stuck[1], SHMEMX_LOCAL, &is_complete);
        EXPECT_EQ(is_complete, 0);
        EXPECT_EQ(fetched, -1);
        ASSERT_EQ(::kill(static_cast<pid_t>(target), SIGCONT), 0);
        shmemx_req_waitall(stuck, 4, SHMEMX_REMOTE);
        EXPECT_EQ(fetched, 0);
        EXPECT_EQ(shmem_long_g(&word[1], last), target);
        shmem_long_atomic_set(&is_over, 1, last);
    } else if (are_apart && shmem_my_pe() == last) {
        while (std::atomic_ref(is_over).load() == 0) {
        }
    }
    shmem_barrier_all();
}

// Data that a fence separates from a flag, and a signal behind data.
TEST(Requests, FencesAndSignalsOrderThem) {
    constexpr std::size_t kBytes = 20'000;
    struct Box {
        unsigned char data[kBytes];
        std::uint64_t flag;
    };
    auto* box = static_cast<Box*>(shmem_calloc(2, sizeof(Box)));
    Bytes source(kBytes);
    for (std::uint64_t round = 1; round <= static_cast<std::uint64_t>(scaled(30)); ++round) {
        fill(source.data(), kBytes, shmem_my_pe(), next_pe(), round);
        const std::size_t bytes = round % 2 == 0 ? kBytes : 24;
        shmemx_req_t reqs[3];
        shmemx_putmem_req(box[0].data, source.data(), bytes, next_pe(), &reqs[0]);
        shmem_fence();
        shmemx_uint64_atomic_set_req(&box[0].flag, round, next_pe(), &reqs[1]);
        shmemx_putmem_signal_req(box[1].data, source.data(), bytes, &box[1].flag, 1,
                                 SHMEM_SIGNAL_ADD, next_pe(), &reqs[2]);
        Bytes expected(bytes);
        fill(expected.data(), bytes, previous_pe(), shmem_my_pe(), round);
        for (Box* each : {box, box + 1}) {
            shmem_uint64_wait_until(&each->flag, SHMEM_CMP_EQ, round);
            EXPECT_EQ(difference(each->data, expected.data(), bytes), "") << each - box;
        }
        shmemx_req_waitall(reqs, 3, SHMEMX_REMOTE);
        shmem_sync_all();
    }
    shmem_free(box);
}

// Words and atomics, which the target's CPU stores between nodes, may not come behind a put that a
// fence separates from them.
TEST(Requests, APutBehindAFenceIsTheLastOne) {
    constexpr std::size_t kWords = 64;
    auto* words = static_cast<std::uint64_t*>(shmem_calloc(kWords, sizeof(std::uint64_t)));
    std::vector<std::uint64_t> last(kWords);
    for (std::uint64_t round = 1; round <= static_cast<std::uint64_t>(scaled(100)); ++round) {
        std::fill(last.begin(), last.end(), 2 * round);
        for (std::size_t i = 0; i < kWords; ++i) {
            if (i % 2 == 0) shmem_uint64_p(&words[i], 2 * round - 1, next_pe());
            if (i % 2 == 1) shmem_uint64_atomic_set(&words[i], 2 * round - 1, next_pe());
        }
        shmem_fence();
        shmemx_req_t req;
        shmemx_putmem_req(words, last.data(), kWords * sizeof(std::uint64_t), next_pe(), &req);
        shmemx_req_wait(&req, SHMEMX_REMOTE);
        shmem_barrier_all();
        for (std::size_t i = 0; i < kWords; ++i) ASSERT_EQ(words[i], 2 * round) << "word " << i;
        shmem_barrier_all();
    }
    shmem_free(words);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
