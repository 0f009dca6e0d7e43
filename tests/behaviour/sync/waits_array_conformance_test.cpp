// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a wait or test of an array, of any type, takes the wrong words or values for its
// condition, forgets that words may be excluded, starves one, or returns too early (OpenSHMEM 1.6,
// 9.11).
//
// One template: all twelve families are called with a random condition, and what they may answer
// follows from the words that satisfy it.
#include <sched.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "conformance/conditions.hpp"
#include "conformance/routines.hpp"
#include "conformance/values.hpp"
#include "support/pe_test.hpp"

namespace tessera::conformance {
namespace {

enum class Wanted { kAll, kAny, kSome };

// `values` has one value for all words, or with is_vector one for each. The result of "all" is 1 or
// 0, and 1 for waits.
template <class T>
struct Family {
    int id;
    Wanted wanted;
    bool is_wait;
    bool is_vector;
    std::size_t (*call)(T* words, std::size_t count, std::size_t* indices, const int* status,
                        int cmp, const T* values);
};

// A condition on words[0] to words[count - 1].
template <class T>
struct Condition {
    T* words;
    std::size_t count;
    std::vector<int> status;  // empty: a null pointer
    int cmp;
    std::vector<T> values;

    bool is_included(std::size_t i) const { return status.empty() || status[i] == 0; }
    bool is_met(std::size_t i) const {
        return holds(words[i], cmp, values[values.size() == 1 ? 0 : i]);
    }
    std::set<std::size_t> included() const {
        std::set<std::size_t> result;
        for (std::size_t i = 0; i < count; ++i) {
            if (is_included(i)) result.insert(i);
        }
        return result;
    }
    std::set<std::size_t> met() const {
        std::set<std::size_t> result;
        for (std::size_t i : included()) {
            if (is_met(i)) result.insert(i);
        }
        return result;
    }
};

// Calls the routine and checks that its answer is one that the specification allows while the words
// do not change.
template <class T>
void call_and_check(const Family<T>& family, const Condition<T>& condition) {
    const std::set<std::size_t> met = condition.met();
    std::vector<std::size_t> indices(condition.count + 1, 777);
    std::size_t answer =
        family.call(condition.count == 0 ? nullptr : condition.words, condition.count,
                    indices.data(), condition.status.empty() ? nullptr : condition.status.data(),
                    condition.cmp, condition.values.data());
    const char* name = name_of(family.id);
    if (family.wanted == Wanted::kAll) {
        EXPECT_EQ(answer, met == condition.included() ? 1U : 0U) << name;
    } else if (family.wanted == Wanted::kAny) {
        EXPECT_TRUE(met.empty() ? answer == SIZE_MAX : met.count(answer) == 1)
            << name << " gave " << answer << " of " << met.size() << " words";
    } else {
        ASSERT_EQ(answer, met.size()) << name;
        std::set<std::size_t> found(indices.begin(),
                                    indices.begin() + static_cast<std::ptrdiff_t>(answer));
        EXPECT_EQ(found, met) << name;
        EXPECT_EQ(std::count(indices.begin(), indices.end(), 777U),
                  static_cast<std::ptrdiff_t>(indices.size() - answer))
            << name;
    }
}

// Whether a wait for the condition ends.
template <class T>
bool ends(const Family<T>& family, const Condition<T>& condition) {
    if (!family.is_wait || condition.included().empty()) return true;
    if (family.wanted == Wanted::kAll) return condition.met() == condition.included();
    return !condition.met().empty();
}

template <class T>
Condition<T> random_condition(std::mt19937_64& random, T* words, bool is_vector) {
    const auto pool = interesting_values<T>();
    const auto pick = [&] { return pool[random() % pool.size()]; };
    Condition<T> condition{words, random() % 9, {}, kComparisons[random() % 6], {}};
    for (std::size_t i = 0; i < condition.count; ++i) words[i] = pick();
    for (std::size_t i = 0; i < (is_vector ? condition.count : 1); ++i)
        condition.values.push_back(pick());
    const std::uint64_t status = random() % 4;  // null, none excluded, some, all
    for (std::size_t i = 0; i < condition.count && status != 0; ++i) {
        bool is_excluded = status == 3 || (status == 2 && random() % 2 == 0);
        condition.status.push_back(is_excluded ? (random() % 2 == 0 ? 1 : -7) : 0);
    }
    // Now and then a condition that all included words satisfy.
    for (std::size_t i = 0; i < condition.count && random() % 3 == 0; ++i) {
        for (int tries = 0; tries < 50 && !condition.is_met(i); ++tries) words[i] = pick();
    }
    return condition;
}

// Every word that satisfies the condition is found sooner or later.
template <class T>
void check_fairness(const Family<T>& family, T* words) {
    if (family.wanted != Wanted::kAny) return;
    Condition<T> condition{words, 6, {0, 1, 0, 0, 1, 0}, SHMEM_CMP_GE, {}};
    condition.values.assign(family.is_vector ? 6 : 1, T{3});
    for (std::size_t i = 0; i < 6; ++i) words[i] = static_cast<T>(i == 2 ? 2 : 3 + i);
    std::set<std::size_t> found;
    for (int calls = 0; calls < 10000 && found.size() < 3; ++calls) {
        found.insert(family.call(words, 6, nullptr, condition.status.data(), condition.cmp,
                                 condition.values.data()));
    }
    EXPECT_EQ(found, condition.met()) << name_of(family.id) << " starves a word";
}

// The neighbour satisfies the condition word by word, the excluded one first.
template <class T>
void check_changes(const Family<T>& family, T* words) {
    constexpr std::size_t kCount = 4;
    constexpr std::size_t kOrders[][kCount] = {{2, 1, 3, 0}, {2, 0, 1, 3}, {2, 3, 0, 1}};
    for (const Change<T>& change : changes<T>()) {
        Condition<T> condition{words, kCount, {0, 0, 1, 0}, change.cmp, {}};
        condition.values.assign(family.is_vector ? kCount : 1, change.limit);
        const auto wait = [&] {
            std::size_t indices[kCount];
            std::size_t answer = 0;
            do {
                answer = family.call(words, kCount, indices, condition.status.data(), condition.cmp,
                                     condition.values.data());
                if (family.is_wait) break;
                sched_yield();
            } while (family.wanted == Wanted::kAny ? answer == SIZE_MAX : answer == 0);
            std::size_t word = family.wanted == Wanted::kAny ? answer : indices[0];
            if (family.wanted == Wanted::kAll) {
                EXPECT_EQ(condition.met(), condition.included()) << name_of(family.id);
            } else {
                ASSERT_TRUE(word < kCount && word != 2) << name_of(family.id) << ": " << word;
                EXPECT_TRUE(condition.is_met(word)) << name_of(family.id) << ": " << word;
            }
        };
        meeting().run([&] { std::fill(words, words + kCount, change.before); }, wait,
                      [&](int partner) {
                          for (std::size_t i : kOrders[meeting().turn % std::size(kOrders)]) {
                              shmem_atomic_set(words + i, change.after, partner);
                              sched_yield();  // The other PE may look now.
                          }
                      });
    }
}

template <class T>
void check(const Family<T>& family) {
    T* words = reinterpret_cast<T*>(next_region().data);
    std::mt19937_64 random(static_cast<std::uint64_t>(family.id));  // the same in every run
    for (int i = 0; i < 300; ++i) {
        Condition<T> condition = random_condition(random, words, family.is_vector);
        if (ends(family, condition)) call_and_check(family, condition);
    }
    check_fairness(family, words);
    check_changes(family, words);
}

// CALL uses words, count, indices, status, cmp and values, and gives what the routine returns.
#define FAMILY(ID, T, WANTED, IS_WAIT, IS_VECTOR, CALL)                              \
    check<T>({ID, Wanted::WANTED, IS_WAIT, IS_VECTOR,                                \
              [](T* words, std::size_t count, [[maybe_unused]] std::size_t* indices, \
                 const int* status, int cmp, const T* values) -> std::size_t {       \
                  called(ID);                                                        \
                  return CALL;                                                       \
              }});
#define WAIT_FOR_ALL(ID, NAME, T, CTX) \
    FAMILY(ID, T, kAll, true, false, (NAME(words, count, status, cmp, *values), 1))
#define WAIT_FOR_ANY(ID, NAME, T, CTX) \
    FAMILY(ID, T, kAny, true, false, NAME(words, count, status, cmp, *values))
#define WAIT_FOR_SOME(ID, NAME, T, CTX) \
    FAMILY(ID, T, kSome, true, false, NAME(words, count, indices, status, cmp, *values))
#define WAIT_FOR_ALL_VECTOR(ID, NAME, T, CTX) \
    FAMILY(ID, T, kAll, true, true, (NAME(words, count, status, cmp, values), 1))
#define WAIT_FOR_ANY_VECTOR(ID, NAME, T, CTX) \
    FAMILY(ID, T, kAny, true, true, NAME(words, count, status, cmp, values))
#define WAIT_FOR_SOME_VECTOR(ID, NAME, T, CTX) \
    FAMILY(ID, T, kSome, true, true, NAME(words, count, indices, status, cmp, values))
#define TEST_ALL(ID, NAME, T, CTX)    \
    FAMILY(ID, T, kAll, false, false, \
           static_cast<std::size_t>(NAME(words, count, status, cmp, *values)))
#define TEST_ANY(ID, NAME, T, CTX) \
    FAMILY(ID, T, kAny, false, false, NAME(words, count, status, cmp, *values))
#define TEST_SOME(ID, NAME, T, CTX) \
    FAMILY(ID, T, kSome, false, false, NAME(words, count, indices, status, cmp, *values))
#define TEST_ALL_VECTOR(ID, NAME, T, CTX) \
    FAMILY(ID, T, kAll, false, true,      \
           static_cast<std::size_t>(NAME(words, count, status, cmp, values)))
#define TEST_ANY_VECTOR(ID, NAME, T, CTX) \
    FAMILY(ID, T, kAny, false, true, NAME(words, count, status, cmp, values))
#define TEST_SOME_VECTOR(ID, NAME, T, CTX) \
    FAMILY(ID, T, kSome, false, true, NAME(words, count, indices, status, cmp, values))

TEST(Wait, all){EACH_wait_until_all(WAIT_FOR_ALL)} TEST(Wait, any){
    EACH_wait_until_any(WAIT_FOR_ANY)} TEST(Wait, some){
    EACH_wait_until_some(WAIT_FOR_SOME)} TEST(Wait, all_vector){
    EACH_wait_until_all_vector(WAIT_FOR_ALL_VECTOR)} TEST(Wait, any_vector){
    EACH_wait_until_any_vector(WAIT_FOR_ANY_VECTOR)} TEST(Wait, some_vector){
    EACH_wait_until_some_vector(WAIT_FOR_SOME_VECTOR)} TEST(Test, all){
    EACH_test_all(TEST_ALL)} TEST(Test, any){EACH_test_any(TEST_ANY)} TEST(Test, some){
    EACH_test_some(TEST_SOME)} TEST(Test, all_vector){
    EACH_test_all_vector(TEST_ALL_VECTOR)} TEST(Test, any_vector){
    EACH_test_any_vector(TEST_ANY_VECTOR)} TEST(Test, some_vector) {
    EACH_test_some_vector(TEST_SOME_VECTOR)
}

}  // namespace
}  // namespace tessera::conformance
