// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a wait for any or some of many words forgets one or finds one twice, when the
// elements that are met starve one another, or when a token that goes round is lost or overtaken.
// waits_conformance_test.cpp and waits_array_conformance_test.cpp have every type and form.
#include <pshmem.h>

#include <set>
#include <vector>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::Region;
using tessera::test::regions;
using tessera::test::scaled;

template <class T>
T* words_in(const Region& region) {
    return reinterpret_cast<T*>(region.data);
}

// Each PE raises one word of every PE; all are found, each once.
template <class Find>
void check_all_to_all(const Region& region, Find find) {
    const auto npes = static_cast<std::size_t>(shmem_n_pes());
    long* words = words_in<long>(region);
    for (std::size_t i = 0; i < npes; ++i) words[i] = 0;
    shmem_barrier_all();
    for (std::size_t i = 0; i < npes; ++i) {
        std::size_t pe = (i + static_cast<std::size_t>(shmem_my_pe())) % npes;
        shmem_long_atomic_set(&words[shmem_my_pe()], 10 + shmem_my_pe(), static_cast<int>(pe));
    }
    std::vector<int> status(npes, 0);
    std::set<std::size_t> found;
    while (found.size() < npes) find(words, status, found);
    for (std::size_t i = 0; i < npes; ++i) ASSERT_EQ(words[i], 10 + static_cast<long>(i));
    shmem_barrier_all();
}

void find_any(long* words, std::vector<int>& status, std::set<std::size_t>& found) {
    std::size_t at =
        shmem_long_wait_until_any(words, status.size(), status.data(), SHMEM_CMP_NE, 0);
    ASSERT_LT(at, status.size());
    ASSERT_TRUE(found.insert(at).second) << at << " was excluded";
    status[at] = 1;
}

void find_some(long* words, std::vector<int>& status, std::set<std::size_t>& found) {
    std::vector<std::size_t> indices(status.size());
    std::size_t count = shmem_long_wait_until_some(words, status.size(), indices.data(),
                                                   status.data(), SHMEM_CMP_GE, 10);
    ASSERT_GT(count, 0U);
    for (std::size_t k = 0; k < count; ++k) {
        ASSERT_TRUE(found.insert(indices[k]).second) << indices[k] << " was excluded";
        status[indices[k]] = 1;
    }
}

TEST(Sync, AnyAndSomeFindAllInTurn) {
    for (const Region& region : regions()) {
        for (int i = 0; i < scaled(200); ++i) {
            check_all_to_all(region, find_any);
            check_all_to_all(region, find_some);
        }
    }
}

// Elements that are met all the time: each is returned again and again.
template <class Any>
void check_fairness(std::size_t count, const char* name, Any any) {
    std::vector<int> returned(count, 0);
    for (std::size_t i = 0; i < 300 * count; ++i) {
        std::size_t at = any();
        ASSERT_LT(at, count) << name;
        ++returned[at];
    }
    for (std::size_t i = 0; i < count; ++i)
        EXPECT_GT(returned[i], 0) << name << " starves element " << i << " of " << count;
}

TEST(Sync, AnyIsFair) {
    int* words = words_in<int>(regions()[0]);
    for (std::size_t i = 0; i < 8; ++i) words[i] = 1;
    const int values[] = {1, 1, 1, 1, 1, 1, 1, 1};
    for (std::size_t count = 2; count <= 5; ++count) {
        check_fairness(count, "test_any",
                       [=] { return shmem_int_test_any(words, count, nullptr, SHMEM_CMP_EQ, 1); });
        check_fairness(count, "wait_until_any", [=] {
            return shmem_int_wait_until_any(words, count, nullptr, SHMEM_CMP_EQ, 1);
        });
        check_fairness(count, "test_any_vector", [&] {
            return shmem_int_test_any_vector(words, count, nullptr, SHMEM_CMP_EQ, values);
        });
        // With another array asked in between, whose first element alone is met.
        check_fairness(count, "test_any beside another array", [=] {
            words[7] = 0;
            shmem_int_test_any(words + 6, 2, nullptr, SHMEM_CMP_EQ, 1);
            return shmem_int_test_any(words, count, nullptr, SHMEM_CMP_EQ, 1);
        });
    }
}

// A token goes round: every hop is a wait that another PE ends.
TEST(Sync, TokenRing) {
    const int right = (shmem_my_pe() + 1) % shmem_n_pes();
    const bool is_first = shmem_my_pe() == 0;
    for (const Region& region : regions()) {
        auto* token = words_in<unsigned int>(region);
        *token = 0;
        shmem_barrier_all();
        const auto rounds = static_cast<unsigned>(scaled(2000));
        for (unsigned round = 1; round <= rounds; ++round) {
            if (!is_first) shmem_uint_wait_until(token, SHMEM_CMP_GE, round);
            ASSERT_LE(*token, round) << "The token overtook us.";
            shmem_uint_atomic_inc(token, right);
            if (is_first) shmem_uint_wait_until(token, SHMEM_CMP_GE, round);
        }
        shmem_barrier_all();
        ASSERT_EQ(*token, rounds);
        shmem_barrier_all();
    }
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
