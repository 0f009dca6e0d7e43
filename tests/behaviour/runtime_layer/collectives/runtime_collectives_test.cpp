// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when calls of the runtime layer's collectives disturb each other or other collectives,
// when nonblocking ones make no progress in foreign waits, or when an operation's code means
// another one. random_collectives_test.cpp has the results of all routines.
#include <shmemx.h>

#include <complex>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "support/pe_test.hpp"

namespace {

int me() { return shmem_my_pe(); }
int npes() { return shmem_n_pes(); }

// Libraries initialize, too, and PEs do not meet there: they have made different numbers of calls
// then, and still agree on the numbers of the streams. REQUIRES: no test before has used streams.
TEST(RuntimeCollectives, FurtherInitializationsKeepStreams) {
    static long mine, total;
    if (me() == 0) shmem_init();
    mine = me();
    for (int i = 0; i < 10; ++i) shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &total, &mine, 1);
    if (me() != 0) shmem_init();
    shmemx_req_t request;
    shmemx_iallreduce(SHMEM_TEAM_WORLD, &total, &mine, 1, SHMEMX_TYPE_INT64, SHMEMX_OP_SUM,
                      &request);
    shmemx_req_wait(&request, SHMEMX_LOCAL);
    EXPECT_EQ(total, npes() * (npes() - 1) / 2);
    shmem_finalize();
}

// ---- Codes of operations: on each PE one element, on all PEs the same result ----

template <class T>
void expect_result(int type, int op, T mine, T expected) {
    T result{};
    ASSERT_EQ(0, shmemx_allreduce(SHMEM_TEAM_WORLD, &result, &mine, 1, type, op));
    EXPECT_EQ(expected, result) << "type " << type << ", operation " << op;
}

template <class T>
void expect_numbers(int type) {
    T sum = 0;
    T product = 1;
    for (int i = 0; i < npes(); ++i) {
        sum = static_cast<T>(sum + static_cast<T>(i + 1));
        product = static_cast<T>(product * static_cast<T>(i % 2 + 1));
    }
    expect_result<T>(type, SHMEMX_OP_SUM, static_cast<T>(me() + 1), sum);
    expect_result<T>(type, SHMEMX_OP_PROD, static_cast<T>(me() % 2 + 1), product);
    expect_result<T>(type, SHMEMX_OP_MIN, static_cast<T>(10 - me()), static_cast<T>(11 - npes()));
    expect_result<T>(type, SHMEMX_OP_MAX, static_cast<T>(10 + me()), static_cast<T>(9 + npes()));
    expect_result<T>(type, SHMEMX_OP_REPLACE, static_cast<T>(me()), static_cast<T>(npes() - 1));
    expect_result<T>(type, SHMEMX_OP_NO_OP, static_cast<T>(me() + 3), T{3});
}

template <class T>
void expect_bits(int type) {
    T all = 0;
    T odd = 0;
    for (int i = 0; i < npes(); ++i) {
        all = static_cast<T>(all | static_cast<T>(1 << i % 7));
        odd = static_cast<T>(odd ^ static_cast<T>(i + 1));
    }
    const auto mine = static_cast<T>(1 << me() % 7);
    expect_result<T>(type, SHMEMX_OP_OR, mine, all);
    expect_result<T>(type, SHMEMX_OP_XOR, static_cast<T>(me() + 1), odd);
    expect_result<T>(type, SHMEMX_OP_AND, static_cast<T>(8 | mine),
                     npes() == 1 ? static_cast<T>(9) : T{8});
}

template <class T, class Pair>
void expect_locations(int type) {
    Pair mine{};
    mine.value = static_cast<T>(me() / 2);
    mine.location = 100 + me();
    Pair found{};
    shmemx_allreduce(SHMEM_TEAM_WORLD, &found, &mine, 1, type, SHMEMX_OP_MINLOC);
    EXPECT_EQ(T{0}, found.value);
    EXPECT_EQ(100, found.location);
    shmemx_allreduce(SHMEM_TEAM_WORLD, &found, &mine, 1, type, SHMEMX_OP_MAXLOC);
    EXPECT_EQ(static_cast<T>((npes() - 1) / 2), found.value);
    EXPECT_EQ(100 + (npes() - 1) / 2 * 2, found.location);
}

template <class T, class Pair>
void expect_integers(int type) {
    expect_numbers<T>(type);
    expect_bits<T>(type);
    expect_locations<T, Pair>(type);
}

TEST(RuntimeCollectives, CodesOfOperations) {
    expect_integers<int8_t, shmemx_int8_loc_t>(SHMEMX_TYPE_INT8);
    expect_integers<int16_t, shmemx_int16_loc_t>(SHMEMX_TYPE_INT16);
    expect_integers<int32_t, shmemx_int32_loc_t>(SHMEMX_TYPE_INT32);
    expect_integers<int64_t, shmemx_int64_loc_t>(SHMEMX_TYPE_INT64);
    expect_integers<uint8_t, shmemx_uint8_loc_t>(SHMEMX_TYPE_UINT8);
    expect_integers<uint16_t, shmemx_uint16_loc_t>(SHMEMX_TYPE_UINT16);
    expect_integers<uint32_t, shmemx_uint32_loc_t>(SHMEMX_TYPE_UINT32);
    expect_integers<uint64_t, shmemx_uint64_loc_t>(SHMEMX_TYPE_UINT64);
    expect_numbers<float>(SHMEMX_TYPE_FLOAT);
    expect_numbers<double>(SHMEMX_TYPE_DOUBLE);
    expect_numbers<long double>(SHMEMX_TYPE_LONG_DOUBLE);
    expect_locations<float, shmemx_float_loc_t>(SHMEMX_TYPE_FLOAT);
    expect_locations<double, shmemx_double_loc_t>(SHMEMX_TYPE_DOUBLE);
    expect_locations<long double, shmemx_longdouble_loc_t>(SHMEMX_TYPE_LONG_DOUBLE);
    const std::complex<double> mine(1, me());
    expect_result(SHMEMX_TYPE_COMPLEX_DOUBLE, SHMEMX_OP_SUM, mine,
                  std::complex<double>(npes(), npes() * (npes() - 1) / 2));
    expect_result(SHMEMX_TYPE_COMPLEX_FLOAT, SHMEMX_OP_NO_OP, std::complex<float>(5, 1),
                  std::complex<float>(5, 1));
}

// Rounding depends on the order: all PEs must have one result, of each path and length.
TEST(RuntimeCollectives, ResultsAreTheSameBitsOnAllPes) {
    for (size_t nelems : {size_t{1}, size_t{700}, size_t{5000}, size_t{200000}}) {
        std::vector<double> source(nelems);
        std::vector<double> sums(nelems);
        for (size_t i = 0; i < nelems; ++i)
            source[i] = 1.0 / (1.0 + static_cast<double>(i * 31 + static_cast<size_t>(me()) * 7));
        for (bool is_blocking : {true, false}) {
            shmemx_req_t request = SHMEMX_REQ_COMPLETE;
            if (is_blocking) {
                shmemx_allreduce(SHMEM_TEAM_WORLD, sums.data(), source.data(), nelems,
                                 SHMEMX_TYPE_DOUBLE, SHMEMX_OP_SUM);
            } else {
                shmemx_iallreduce(SHMEM_TEAM_WORLD, sums.data(), source.data(), nelems,
                                  SHMEMX_TYPE_DOUBLE, SHMEMX_OP_SUM, &request);
                shmemx_req_wait(&request, SHMEMX_REMOTE);
            }
            std::vector<double> all(nelems * static_cast<size_t>(npes()));
            shmemx_gather(SHMEM_TEAM_WORLD, all.data(), sums.data(), nelems, sizeof(double), 0);
            for (size_t pe = 1; me() == 0 && pe < static_cast<size_t>(npes()); ++pe)
                ASSERT_EQ(0, std::memcmp(all.data(), all.data() + pe * nelems, nelems * 8));
        }
    }
}

// ---- Nonblocking calls among others ----

// More than the pool holds, so that starts must wait for the oldest ones.
TEST(RuntimeCollectives, ManyCallsAtOnce) {
    constexpr int kCalls = 200;
    static long sums[kCalls];
    static long ones[kCalls];
    shmemx_req_t requests[kCalls];
    for (int i = 0; i < kCalls; ++i) {
        ones[i] = i + me();
        ASSERT_EQ(0, shmemx_iallreduce(SHMEM_TEAM_WORLD, &sums[i], &ones[i], 1, SHMEMX_TYPE_INT64,
                                       SHMEMX_OP_SUM, &requests[i]));
    }
    shmemx_req_waitall(requests, kCalls, SHMEMX_REMOTE);
    for (int i = 0; i < kCalls; ++i) {
        EXPECT_EQ(requests[i], SHMEMX_REQ_COMPLETE);
        EXPECT_EQ(sums[i], i * npes() + npes() * (npes() - 1) / 2);
    }
}

// Blocking collectives of all kinds between a start and its wait on the same team.
TEST(RuntimeCollectives, BlockingCallsBetweenStartAndWait) {
    constexpr size_t kElements = 50000;
    std::vector<int64_t> source(kElements, me());
    std::vector<int64_t> sums(kElements);
    static long mine, total, first;
    for (int round = 0; round < 20; ++round) {
        shmemx_req_t request;
        shmemx_iallreduce(SHMEM_TEAM_WORLD, sums.data(), source.data(), kElements,
                          SHMEMX_TYPE_INT64, SHMEMX_OP_SUM, &request);
        shmem_barrier_all();
        mine = me() + round;
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &total, &mine, 1);
        EXPECT_EQ(total, npes() * round + npes() * (npes() - 1) / 2);
        shmem_long_broadcast(SHMEM_TEAM_WORLD, &first, &mine, 1, 0);
        EXPECT_EQ(first, round);
        char byte = 1;
        std::vector<char> bytes(static_cast<size_t>(npes()));
        shmemx_allgather(SHMEM_TEAM_WORLD, bytes.data(), &byte, 1, 1);
        EXPECT_EQ(bytes.back(), 1);
        shmemx_req_wait(&request, SHMEMX_REMOTE);
        ASSERT_EQ(sums.front(), npes() * (npes() - 1) / 2);
        ASSERT_EQ(sums.back(), npes() * (npes() - 1) / 2);
    }
}

// A PE that waits for a word in another routine helps the collective on. (Between nodes, it is the
// library's thread as well.)
TEST(RuntimeCollectives, WaitsOfOtherRoutinesMakeProgress) {
    constexpr size_t kElements = 100000;  // more than streams hold
    std::vector<int32_t> data(kElements, me() == 0 ? 7 : 0);
    static long is_done;  // symmetric; counts rounds
    static long round;
    ++round;
    shmemx_req_t request;
    shmemx_ibroadcast(SHMEM_TEAM_WORLD, data.data(), data.data(), kElements, sizeof(int32_t), 0,
                      &request);
    if (me() == 0) {
        // The other PEs tell when they have all data, which the root sends in this wait.
        shmem_long_wait_until(&is_done, SHMEM_CMP_GE, round * (npes() - 1));
    } else {
        shmemx_req_wait(&request, SHMEMX_REMOTE);
        EXPECT_EQ(data.back(), 7);
        shmem_long_atomic_inc(&is_done, 0);
    }
    shmemx_req_wait(&request, SHMEMX_REMOTE);
}

TEST(RuntimeCollectives, BarrierEndsAfterAllHaveBegun) {
    static long begun;  // on PE 0
    for (int round = 1; round <= 20; ++round) {
        shmem_long_atomic_inc(&begun, 0);
        shmem_quiet();
        shmemx_req_t request;
        shmemx_ibarrier(SHMEM_TEAM_WORLD, &request);
        shmemx_req_wait(&request, SHMEMX_REMOTE);
        EXPECT_GE(shmem_long_atomic_fetch(&begun, 0), static_cast<long>(round) * npes());
    }
}

// ---- The program's operations ----

struct Called {
    int calls;
};
void count_and_add(void* inout, const void* in, size_t nelems, void* user_data) {
    ++static_cast<Called*>(user_data)->calls;
    for (size_t i = 0; i < nelems; ++i)
        static_cast<long*>(inout)[i] += static_cast<const long*>(in)[i];
}

TEST(RuntimeCollectives, FunctionsGetTheirData) {
    Called called{0};
    const shmemx_op_t op{count_and_add, &called, sizeof(long), 1};
    const long mine = me() + 1;
    long total = 0;
    ASSERT_EQ(0, shmemx_allreduce_op(SHMEM_TEAM_WORLD, &total, &mine, 1, &op));
    EXPECT_EQ(total, npes() * (npes() + 1) / 2);
    shmemx_req_t request;
    shmemx_iallreduce_op(SHMEM_TEAM_WORLD, &total, &mine, 1, &op, &request);
    shmemx_req_wait(&request, SHMEMX_REMOTE);
    EXPECT_EQ(total, npes() * (npes() + 1) / 2);
    // Not every PE combines something.
    const long calls = called.calls;
    shmemx_allreduce(SHMEM_TEAM_WORLD, &total, &calls, 1, SHMEMX_TYPE_INT64, SHMEMX_OP_SUM);
    EXPECT_EQ(total > 0, npes() > 1);
}

// ---- Teams ----

// The settings of the specification's collectives are those of the layer's.
TEST(RuntimeCollectives, TakeTheAlgorithmsOfTheSettings) {
    std::vector<char> mine(100, static_cast<char>(me()));
    std::vector<char> all(mine.size() * static_cast<size_t>(npes()));
    ASSERT_EQ(0, shmemx_allgather(SHMEM_TEAM_WORLD, all.data(), mine.data(), mine.size(), 1));
    for (size_t i = 0; i < all.size(); ++i)
        ASSERT_EQ(all[i], static_cast<char>(i / mine.size())) << i;
    const char* name =
        shmemx_collective_algorithm(SHMEM_TEAM_WORLD, "shmemx_allgather", mine.size());
    ASSERT_NE(name, nullptr);
    const char* wanted = std::getenv("SHMEM_FCOLLECT_ALGORITHM");
    if (wanted != nullptr) {
        EXPECT_STREQ(name, wanted);
    }
    EXPECT_EQ(shmemx_collective_algorithm(SHMEM_TEAM_WORLD, "shmemx_put_strided", 8), nullptr);
}

// Teams that come and go use the same streams again and again.
TEST(RuntimeCollectives, StreamsOfEndedTeamsServeNewOnes) {
    for (int round = 0; round < 30; ++round) {
        shmem_team_t team = SHMEM_TEAM_INVALID;
        const int size = 1 + round % npes();
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, size, nullptr, 0, &team);
        if (team == SHMEM_TEAM_INVALID) continue;
        for (int call = 0; call < 3 + round % 7; ++call) {
            long mine = round + me();
            long total = 0;
            shmemx_req_t request;
            shmemx_iallreduce(team, &total, &mine, 1, SHMEMX_TYPE_INT64, SHMEMX_OP_SUM, &request);
            shmemx_req_wait(&request, SHMEMX_LOCAL);
            ASSERT_EQ(total, size * round + size * (size - 1) / 2);
        }
        shmem_team_destroy(team);
    }
}

// A PE of more teams than have streams: the same status on all PEs, and nothing else happens.
TEST(RuntimeCollectives, TeamsWithoutStreamsSaySo) {
    if (shmem_team_n_pes(SHMEMX_TEAM_NODE) != npes() || npes() > 4) GTEST_SKIP() << "slow";
    std::vector<shmem_team_t> teams;
    int status = 0;
    for (int i = 0; i < 2400 && status == 0; ++i) {
        shmem_team_t team = SHMEM_TEAM_INVALID;
        ASSERT_EQ(0, shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, npes(), nullptr, 0, &team));
        teams.push_back(team);
        const int number = 10000 * me() + i;
        std::vector<int> numbers(static_cast<size_t>(npes()));
        status = shmemx_allgather(team, numbers.data(), &number, 1, sizeof number);
        for (int pe = 0; status == 0 && pe < npes(); ++pe)
            ASSERT_EQ(numbers[static_cast<size_t>(pe)], 10000 * pe + i);
    }
    EXPECT_EQ(status, 1);
    EXPECT_GT(teams.size(), 2200U);
    shmemx_req_t request;
    EXPECT_EQ(1, shmemx_ibarrier(teams.back(), &request));
    EXPECT_EQ(request, SHMEMX_REQ_COMPLETE);
    for (shmem_team_t team : teams) shmem_team_destroy(team);
}

// Blocks that other PEs could write to at once, were they not to be sent first. Some fit into the
// mailbox.
TEST(RuntimeCollectives, AlltoallInPlaceOfLongBlocks) {
    for (const std::size_t block : {std::size_t{1500}, std::size_t{9000}}) {
        const auto blocks = static_cast<std::size_t>(npes());
        auto* words = static_cast<long*>(shmem_malloc(blocks * block * sizeof(long)));
        for (std::size_t i = 0; i < blocks * block; ++i)
            words[i] = static_cast<long>(i) * npes() + me();
        ASSERT_EQ(0, shmemx_alltoall(SHMEM_TEAM_WORLD, words, words, block, sizeof(long)));
        for (std::size_t i = 0; i < blocks * block; ++i) {
            const std::size_t from = i / block;
            const std::size_t there = static_cast<std::size_t>(me()) * block + i % block;
            ASSERT_EQ(words[i], static_cast<long>(there * blocks + from)) << "element " << i;
        }
        shmem_barrier_all();
        shmem_free(words);
    }
}

TEST(RuntimeCollectives, NoElements) {
    shmemx_req_t request;
    EXPECT_EQ(0, shmemx_broadcast(SHMEM_TEAM_WORLD, nullptr, nullptr, 0, 8, 0));
    EXPECT_EQ(0, shmemx_iallgather(SHMEM_TEAM_WORLD, nullptr, nullptr, 0, 8, &request));
    EXPECT_EQ(request, SHMEMX_REQ_COMPLETE);
    const std::vector<size_t> none(static_cast<size_t>(npes()));
    EXPECT_EQ(0, shmemx_alltoallv(SHMEM_TEAM_WORLD, nullptr, none.data(), none.data(), nullptr,
                                  none.data(), none.data(), 8));
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
