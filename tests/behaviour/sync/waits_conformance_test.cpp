// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a wait or test of a single word, of any type, compares otherwise than the
// specification says, or a wait returns before its word satisfies it (OpenSHMEM 1.6, 9.11). Arrays
// of words: waits_array_conformance_test.cpp.
#include <sched.h>

#include "conformance/conditions.hpp"
#include "conformance/routines.hpp"
#include "conformance/values.hpp"
#include "support/pe_test.hpp"

namespace tessera::conformance {
namespace {

template <class T>
using Wait = void (*)(T* word, int cmp, T value);
template <class T>
using Test = int (*)(T* word, int cmp, T value);

// The words of short types have no atomics; they are written by p (as programs before 1.5 did).
template <class T>
void change_word(T* word, T value, int pe) {
    if constexpr (sizeof(T) >= 4) {
        shmem_atomic_set(word, value, pe);
    } else {
        shmem_p(word, value, pe);
    }
}

template <class T>
void check_test(int id, Test<T> test) {
    T* word = reinterpret_cast<T*>(next_region().data);
    for (int cmp : kComparisons) {
        for (T now : interesting_values<T>()) {
            for (T value : interesting_values<T>()) {
                *word = now;
                EXPECT_EQ(test(word, cmp, value), holds(now, cmp, value) ? 1 : 0)
                    << name_of(id) << ": " << now << " cmp " << cmp << " " << value;
            }
        }
    }
    // Sees what others write.
    for (const Change<T>& change : changes<T>()) {
        meeting().run([&] { *word = change.before; },
                      [&] {
                          while (!test(word, change.cmp, change.limit)) sched_yield();
                          EXPECT_EQ(*word, change.after) << name_of(id);
                      },
                      [&](int partner) { change_word(word, change.after, partner); });
    }
}

template <class T>
void check_wait(int id, Wait<T> wait) {
    T* word = reinterpret_cast<T*>(next_region().data);
    for (int cmp : kComparisons) {
        for (T now : interesting_values<T>()) {
            for (T value : interesting_values<T>()) {
                *word = now;
                if (holds(now, cmp, value)) wait(word, cmp, value);
            }
        }
    }
    for (const Change<T>& change : changes<T>()) {
        meeting().run([&] { *word = change.before; },
                      [&] {
                          wait(word, change.cmp, change.limit);
                          EXPECT_EQ(*word, change.after) << name_of(id) << ", " << change.cmp;
                      },
                      [&](int partner) { change_word(word, change.after, partner); });
    }
}

// The deprecated wait lasts until the word differs from `value`.
template <class T>
void check_old_wait(int id, void (*wait)(T* word, T value)) {
    T* word = reinterpret_cast<T*>(next_region().data);
    for (T now : interesting_values<T>()) {
        for (T value : interesting_values<T>()) {
            *word = now;
            if (now != value) wait(word, value);
        }
    }
    const Change<T> change = changes<T>()[1];
    meeting().run([&] { *word = change.before; },
                  [&] {
                      wait(word, change.limit);
                      EXPECT_EQ(*word, change.after) << name_of(id);
                  },
                  [&](int partner) { change_word(word, change.after, partner); });
}

#define TEST_WORD(ID, NAME, T, CTX) check_test<T>(ID, ROUTINE(NAME));
#define WAIT_WORD(ID, NAME, T, CTX) check_wait<T>(ID, ROUTINE(NAME));
#define OLD_WAIT_WORD(ID, NAME, T, CTX) check_old_wait<T>(ID, ROUTINE(NAME));
TEST(Word, test){EACH_test(TEST_WORD)} TEST(Word, wait_until){
    EACH_wait_until(WAIT_WORD)} TEST(Word, wait) {
    EACH_wait(OLD_WAIT_WORD)
}

}  // namespace
}  // namespace tessera::conformance
