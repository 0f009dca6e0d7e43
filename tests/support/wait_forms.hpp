// SPDX-License-Identifier: BSD-3-Clause
//
// The waits and tests of one type as function pointers, shmem_ and pshmem_, with the single-value
// and the _vector forms of the array routines behind one signature: both take an array of values.
#pragma once

#include <pshmem.h>

#include <array>
#include <cstddef>

#include "support/comparisons.hpp"

namespace tessera::test {

// One family of array routines; `values` has one entry if !is_vector, else one per element.
template <class T>
struct ArrayWaits {
    bool is_vector;
    void (*wait_all)(T* ivars, std::size_t n, const int* status, int cmp, const T* values);
    std::size_t (*wait_any)(T* ivars, std::size_t n, const int* status, int cmp, const T* values);
    std::size_t (*wait_some)(T* ivars, std::size_t n, std::size_t* indices, const int* status,
                             int cmp, const T* values);
    int (*test_all)(T* ivars, std::size_t n, const int* status, int cmp, const T* values);
    std::size_t (*test_any)(T* ivars, std::size_t n, const int* status, int cmp, const T* values);
    std::size_t (*test_some)(T* ivars, std::size_t n, std::size_t* indices, const int* status,
                             int cmp, const T* values);
};

template <class T>
struct Waits {
    const char* name;
    void (*wait)(T* ivar, int cmp, T value);
    int (*test)(T* ivar, int cmp, T value);
    std::array<ArrayWaits<T>, 2> arrays;
};

// X is shmem_TYPENAME_ or pshmem_TYPENAME_; VALUE makes the last argument out of `values`.
#define ARRAY_WAITS(X, T, SUFFIX, IS_VECTOR, VALUE)                                           \
    tessera::test::ArrayWaits<T> {                                                            \
        IS_VECTOR,                                                                            \
            [](T* v, std::size_t n, const int* s, int cmp, const T* values) {                 \
                X##wait_until_all##SUFFIX(v, n, s, cmp, VALUE);                               \
            },                                                                                \
            [](T* v, std::size_t n, const int* s, int cmp, const T* values) {                 \
                return X##wait_until_any##SUFFIX(v, n, s, cmp, VALUE);                        \
            },                                                                                \
            [](T* v, std::size_t n, std::size_t* i, const int* s, int cmp, const T* values) { \
                return X##wait_until_some##SUFFIX(v, n, i, s, cmp, VALUE);                    \
            },                                                                                \
            [](T* v, std::size_t n, const int* s, int cmp, const T* values) {                 \
                return X##test_all##SUFFIX(v, n, s, cmp, VALUE);                              \
            },                                                                                \
            [](T* v, std::size_t n, const int* s, int cmp, const T* values) {                 \
                return X##test_any##SUFFIX(v, n, s, cmp, VALUE);                              \
            },                                                                                \
            [](T* v, std::size_t n, std::size_t* i, const int* s, int cmp, const T* values) { \
                return X##test_some##SUFFIX(v, n, i, s, cmp, VALUE);                          \
            }                                                                                 \
    }
#define WAITS(X, T)          \
    tessera::test::Waits<T>{ \
        #X,                  \
        X##wait_until,       \
        X##test,             \
        {ARRAY_WAITS(X, T, , false, *values), ARRAY_WAITS(X, T, _vector, true, values)}},
// Both forms of one type.
#define WAIT_FORMS(NAME, T) \
    std::array { WAITS(shmem_##NAME##_, T) WAITS(pshmem_##NAME##_, T) }

}  // namespace tessera::test
