// SPDX-License-Identifier: BSD-3-Clause
//
// The atomics of one type in one form (shmem_, shmem_ctx_, pshmem_, pshmem_ctx_) as function
// pointers, so that a test is written once and run over all of them.
#pragma once

#include <pshmem.h>

#include <array>

#include "support/spec_types.hpp"

namespace tessera::test {

template <class T>
struct ExtendedAtomics {
    const char* name;
    T (*fetch)(const T* source, int pe);
    void (*set)(T* dest, T value, int pe);
    T (*swap)(T* dest, T value, int pe);
    void (*fetch_nbi)(T* fetch, const T* source, int pe);
    void (*swap_nbi)(T* fetch, T* dest, T value, int pe);
};

template <class T>
struct StandardAtomics {
    const char* name;
    T (*compare_swap)(T* dest, T cond, T value, int pe);
    T (*fetch_inc)(T* dest, int pe);
    void (*inc)(T* dest, int pe);
    T (*fetch_add)(T* dest, T value, int pe);
    void (*add)(T* dest, T value, int pe);
    void (*compare_swap_nbi)(T* fetch, T* dest, T cond, T value, int pe);
    void (*fetch_inc_nbi)(T* fetch, T* dest, int pe);
    void (*fetch_add_nbi)(T* fetch, T* dest, T value, int pe);
};

template <class T>
struct BitwiseAtomics {
    const char* name;
    T (*fetch_and)(T* dest, T value, int pe);
    T (*fetch_or)(T* dest, T value, int pe);
    T (*fetch_xor)(T* dest, T value, int pe);
    void (*op_and)(T* dest, T value, int pe);
    void (*op_or)(T* dest, T value, int pe);
    void (*op_xor)(T* dest, T value, int pe);
    void (*fetch_and_nbi)(T* fetch, T* dest, T value, int pe);
    void (*fetch_or_nbi)(T* fetch, T* dest, T value, int pe);
    void (*fetch_xor_nbi)(T* fetch, T* dest, T value, int pe);
};

// X is shmem_TYPENAME_atomic_ and so on.
#define EXTENDED_FORM(X, CTX, T)                                                          \
    tessera::test::ExtendedAtomics<T>{                                                    \
        #X,                                                                               \
        [](const T* source, int pe) { return X##fetch(CTX() source, pe); },               \
        [](T* dest, T value, int pe) { X##set(CTX() dest, value, pe); },                  \
        [](T* dest, T value, int pe) { return X##swap(CTX() dest, value, pe); },          \
        [](T* fetch, const T* source, int pe) { X##fetch_nbi(CTX() fetch, source, pe); }, \
        [](T* fetch, T* dest, T value, int pe) { X##swap_nbi(CTX() fetch, dest, value, pe); }},

#define STANDARD_FORM(X, CTX, T)                                                      \
    tessera::test::StandardAtomics<T>{                                                \
        #X,                                                                           \
        [](T* dest, T cond, T value, int pe) {                                        \
            return X##compare_swap(CTX() dest, cond, value, pe);                      \
        },                                                                            \
        [](T* dest, int pe) { return X##fetch_inc(CTX() dest, pe); },                 \
        [](T* dest, int pe) { X##inc(CTX() dest, pe); },                              \
        [](T* dest, T value, int pe) { return X##fetch_add(CTX() dest, value, pe); }, \
        [](T* dest, T value, int pe) { X##add(CTX() dest, value, pe); },              \
        [](T* fetch, T* dest, T cond, T value, int pe) {                              \
            X##compare_swap_nbi(CTX() fetch, dest, cond, value, pe);                  \
        },                                                                            \
        [](T* fetch, T* dest, int pe) { X##fetch_inc_nbi(CTX() fetch, dest, pe); },   \
        [](T* fetch, T* dest, T value, int pe) {                                      \
            X##fetch_add_nbi(CTX() fetch, dest, value, pe);                           \
        }},

#define BITWISE_FORM(X, CTX, T)                                                                    \
    tessera::test::BitwiseAtomics<T>{                                                              \
        #X,                                                                                        \
        [](T* dest, T value, int pe) { return X##fetch_and(CTX() dest, value, pe); },              \
        [](T* dest, T value, int pe) { return X##fetch_or(CTX() dest, value, pe); },               \
        [](T* dest, T value, int pe) { return X##fetch_xor(CTX() dest, value, pe); },              \
        [](T* dest, T value, int pe) { X## and (CTX() dest, value, pe); },                         \
        [](T* dest, T value, int pe) { X## or (CTX() dest, value, pe); },                          \
        [](T* dest, T value, int pe) { X## xor (CTX() dest, value, pe); },                         \
        [](T* fetch, T* dest, T value, int pe) {                                                   \
            X##fetch_and_nbi(CTX() fetch, dest, value, pe);                                        \
        },                                                                                         \
        [](T* fetch, T* dest, T value, int pe) { X##fetch_or_nbi(CTX() fetch, dest, value, pe); }, \
        [](T* fetch, T* dest, T value, int pe) {                                                   \
            X##fetch_xor_nbi(CTX() fetch, dest, value, pe);                                        \
        }},

// std::array of the four forms of one type.
#define EXTENDED_FORMS(NAME, T) \
    std::array { SPEC_FORMS(EXTENDED_FORM, NAME##_atomic_, T) }
#define STANDARD_FORMS(NAME, T) \
    std::array { SPEC_FORMS(STANDARD_FORM, NAME##_atomic_, T) }
#define BITWISE_FORMS(NAME, T) \
    std::array { SPEC_FORMS(BITWISE_FORM, NAME##_atomic_, T) }

}  // namespace tessera::test
