// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a test or wait of any type compares wrongly, looks at an excluded element, forgets
// one, starves one, or returns before another PE has made its condition true.
#include <pshmem.h>

#include <limits>
#include <random>
#include <set>
#include <vector>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"
#include "support/spec_types.hpp"
#include "support/wait_forms.hpp"

namespace {

using tessera::test::ArrayWaits;
using tessera::test::holds;
using tessera::test::kComparisons;
using tessera::test::Region;
using tessera::test::regions;
using tessera::test::scaled;
using tessera::test::Waits;

template <class T>
T* words_in(const Region& region) {
    return reinterpret_cast<T*>(region.data);
}

// Signed types: negative is less than positive. Unsigned ones: the top bit is large.
template <class T>
std::vector<T> edge_values() {
    using Limits = std::numeric_limits<T>;
    return {T{0},
            T{1},
            static_cast<T>(~T{0}),
            Limits::min(),
            Limits::max(),
            static_cast<T>(Limits::max() - 1),
            T{42},
            static_cast<T>(T{1} << (sizeof(T) * 8 - 1))};
}

template <class T>
void check_comparisons(const Waits<T>& waits, const Region& region) {
    T* word = words_in<T>(region);
    for (T value : edge_values<T>()) {
        for (T other : edge_values<T>()) {
            for (int cmp : kComparisons) {
                *word = value;
                const bool expected = holds(value, cmp, other);
                ASSERT_EQ(waits.test(word, cmp, other), expected ? 1 : 0)
                    << waits.name << "test " << value << " cmp " << cmp << " " << other;
                if (expected) waits.wait(word, cmp, other);
                ASSERT_EQ(*word, value);
            }
        }
    }
}

TEST(Sync, Comparisons) {
#define CHECK(NAME, T)                                                              \
    for (const auto& waits : WAIT_FORMS(NAME, T)) {                                 \
        for (const Region& region : regions()) check_comparisons<T>(waits, region); \
    }
    SPEC_AMO_STANDARD_TYPES(CHECK)
#undef CHECK
}

// One random question about an array, and its answer by the definition.
template <class T>
struct Question {
    std::vector<int> status;
    std::vector<T> values;
    int cmp = SHMEM_CMP_EQ;
    std::size_t count = 0;
    std::size_t included = 0;
    std::set<std::size_t> met;

    const int* status_or_null() const { return status.empty() ? nullptr : status.data(); }
};

template <class T>
Question<T> make_question(T* words, bool is_vector, std::mt19937_64& random) {
    Question<T> question;
    question.count = random() % 9;
    question.cmp = kComparisons[random() % 6];
    for (std::size_t i = 0; i < 9; ++i) {
        question.values.push_back(static_cast<T>(random() % 3));
        words[i] = static_cast<T>(random() % 3);
    }
    if (random() % 3 != 0) {
        question.status.resize(9, 0);
        for (int& excluded : question.status) excluded = random() % 2 == 0 ? 0 : -1;
    }
    for (std::size_t i = 0; i < question.count; ++i) {
        if (!question.status.empty() && question.status[i] != 0) continue;
        ++question.included;
        T value = question.values[is_vector ? i : 0];
        if (holds(words[i], question.cmp, value)) question.met.insert(i);
    }
    return question;
}

using Indices = std::vector<std::size_t>;

// `count` of the indices must be the elements of `met`, in any order, and the rest untouched.
void check_some(const Indices& indices, std::size_t count, const std::set<std::size_t>& met) {
    ASSERT_EQ(count, met.size());
    auto end = indices.begin() + static_cast<std::ptrdiff_t>(count);
    ASSERT_EQ(std::set<std::size_t>(indices.begin(), end), met);
    for (std::size_t i = count; i < indices.size(); ++i) ASSERT_EQ(indices[i], 99U);
}

template <class T>
void check_array(const ArrayWaits<T>& waits, T* words, std::mt19937_64& random) {
    Question<T> question = make_question(words, waits.is_vector, random);
    const std::size_t n = question.count;
    const int* status = question.status_or_null();
    const T* values = question.values.data();
    const bool all = question.met.size() == question.included;
    Indices indices(9, 99);
    ASSERT_EQ(waits.test_all(words, n, status, question.cmp, values), all ? 1 : 0);
    std::size_t any = waits.test_any(words, n, status, question.cmp, values);
    ASSERT_TRUE(question.met.empty() ? any == SIZE_MAX : question.met.count(any) == 1) << any;
    check_some(indices, waits.test_some(words, n, indices.data(), status, question.cmp, values),
               question.met);
    if (all) waits.wait_all(words, n, status, question.cmp, values);
    indices.assign(9, 99);
    if (question.included == 0) {
        ASSERT_EQ(waits.wait_any(words, n, status, question.cmp, values), SIZE_MAX);
        ASSERT_EQ(waits.wait_some(words, n, indices.data(), status, question.cmp, values), 0U);
    } else if (!question.met.empty()) {
        any = waits.wait_any(words, n, status, question.cmp, values);
        ASSERT_EQ(question.met.count(any), 1U) << any;
        check_some(indices, waits.wait_some(words, n, indices.data(), status, question.cmp, values),
                   question.met);
    }
}

template <class T>
void check_arrays(const Waits<T>& waits, std::mt19937_64& random) {
    for (std::size_t i = 0; i < 800; ++i) {
        check_array<T>(waits.arrays[i % 2], words_in<T>(regions()[i / 2 % 2]), random);
        ASSERT_FALSE(testing::Test::HasFatalFailure()) << waits.name;
    }
}

TEST(Sync, ArraysAndStatus) {
    std::mt19937_64 random(tessera::test::shared_seed());
#define CHECK(NAME, T) \
    for (const auto& waits : WAIT_FORMS(NAME, T)) check_arrays<T>(waits, random);
    SPEC_AMO_STANDARD_TYPES(CHECK)
#undef CHECK
}

TEST(Sync, EmptySetsNeedNoMemory) {
    std::size_t index = 7;
    EXPECT_EQ(shmem_int_test_all(nullptr, 0, nullptr, SHMEM_CMP_EQ, 0), 1);
    EXPECT_EQ(shmem_int_test_any(nullptr, 0, nullptr, SHMEM_CMP_EQ, 0), SIZE_MAX);
    EXPECT_EQ(shmem_int_test_some(nullptr, 0, &index, nullptr, SHMEM_CMP_EQ, 0), 0U);
    shmem_int_wait_until_all(nullptr, 0, nullptr, SHMEM_CMP_EQ, 0);
    EXPECT_EQ(shmem_int_wait_until_any(nullptr, 0, nullptr, SHMEM_CMP_EQ, 0), SIZE_MAX);
    EXPECT_EQ(shmem_int_wait_until_some(nullptr, 0, &index, nullptr, SHMEM_CMP_EQ, 0), 0U);
    EXPECT_EQ(shmem_int_test_all_vector(nullptr, 0, nullptr, SHMEM_CMP_EQ, nullptr), 1);
    EXPECT_EQ(shmem_int_wait_until_any_vector(nullptr, 0, nullptr, SHMEM_CMP_EQ, nullptr),
              SIZE_MAX);
    EXPECT_EQ(index, 7U);
}

// A word that `cmp value` rejects, and one that it accepts.
struct Step {
    int before;
    int after;
};
Step step_for(int cmp, int value) {
    switch (cmp) {
        case SHMEM_CMP_EQ: return {value - 1, value};
        case SHMEM_CMP_NE: return {value, value + 1};
        case SHMEM_CMP_LT: return {value, value - 1};
        case SHMEM_CMP_LE: return {value + 1, value};
        case SHMEM_CMP_GT: return {value, value + 1};
        default: return {value - 1, value};
    }
}

// Waits in one of seven ways until words 1 and 2 of 4 meet the condition, or one of them.
template <class T>
void wait_for_words(const Waits<T>& waits, std::size_t way, T* words, int cmp, T value) {
    const ArrayWaits<T>& array = waits.arrays[way % 2];
    const int status[] = {1, 0, 0, 1};
    const T values[] = {value, value, value, value};
    std::size_t indices[4] = {};
    if (way == 6) {
        waits.wait(&words[1], cmp, value);
        ASSERT_TRUE(holds(words[1], cmp, value));
    } else if (way < 2) {
        array.wait_all(words, 4, status, cmp, values);
        ASSERT_TRUE(holds(words[1], cmp, value) && holds(words[2], cmp, value));
    } else if (way < 4) {
        std::size_t found = array.wait_any(words, 4, status, cmp, values);
        ASSERT_TRUE(found == 1 || found == 2) << found;
        ASSERT_TRUE(holds(words[found], cmp, value));
    } else {
        std::size_t count = array.wait_some(words, 4, indices, status, cmp, values);
        ASSERT_TRUE(count == 1 || count == 2) << count;
        ASSERT_TRUE(indices[0] == 1 || indices[0] == 2) << indices[0];
        ASSERT_TRUE(holds(words[indices[0]], cmp, value));
    }
}

template <class T>
void check_waiting(const Waits<T>& waits, const Region& region,
                   void (*set)(T* dest, T value, int pe)) {
    const int me = shmem_my_pe();
    const int right = (me + 1) % shmem_n_pes();
    // Neighbours do it in another order, so that about half of all waits begin too early.
    const bool waits_first = me % 2 == 0 && shmem_n_pes() > 1;
    T* words = words_in<T>(region);
    for (int cmp : kComparisons) {
        for (std::size_t way = 0; way < 7; ++way) {
            const int value = 50 + cmp;
            const Step step = step_for(cmp, value);
            // Words 0 and 3 would be met, but are excluded.
            words[0] = words[3] = static_cast<T>(step.after);
            words[1] = words[2] = static_cast<T>(step.before);
            shmem_barrier_all();
            if (waits_first) wait_for_words<T>(waits, way, words, cmp, static_cast<T>(value));
            for (std::size_t i : {2, 1}) set(&words[i], static_cast<T>(step.after), right);
            if (!waits_first) wait_for_words<T>(waits, way, words, cmp, static_cast<T>(value));
            ASSERT_FALSE(testing::Test::HasFatalFailure())
                << waits.name << " way " << way << " cmp " << cmp << " in " << region.kind;
            shmem_barrier_all();
        }
    }
}

TEST(Sync, WaitsUntilAnotherPeActs) {
#define CHECK(NAME, T)                                                  \
    for (const auto& waits : WAIT_FORMS(NAME, T)) {                     \
        for (const Region& region : regions()) {                        \
            check_waiting<T>(waits, region, shmem_##NAME##_atomic_set); \
        }                                                               \
    }
    SPEC_AMO_STANDARD_TYPES(CHECK)
#undef CHECK
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
    Indices indices(status.size());
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
