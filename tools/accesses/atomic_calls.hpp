// SPDX-License-Identifier: BSD-3-Clause
//
// Defines the functions that gcc and clang call for the atomics of C and C++ in code that they
// compile with -fsanitize=thread, for two clients: the checker of programs (atomics.cpp) and the
// simulation (tests/sim/accesses.cpp). The functions make the access as well. All are sequentially
// consistent, whatever order the program asks for: stronger, and one code. There are none of 16
// bytes, as OpenSHMEM has none.
//
// Before it includes this file, a client defines a class Told: Told(address, bytes, site) stands
// before the access; tell(Kind) says that it begins or has been made; fails() says whether a weak
// compare-exchange fails without a reason.
#pragma once

#include <cstdint>

#include "table.hpp"

using tessera::accesses::Kind;

#define EXPORTED extern "C" __attribute__((visibility("default")))
#define TOLD Told told(address, sizeof *address, __builtin_return_address(0))

// All atomics of a program are seq_cst here, whatever it asks for, and order with each other.

// __tsan_atomic32_fetch_add and so on. Pairs with
// tools/accesses/atomic_calls.hpp:__tsan_atomic_thread_fence.
#define DEFINE_FETCH(BITS, T, OPERATION)                                                    \
    EXPORTED T __tsan_atomic##BITS##_fetch_##OPERATION(volatile T* address, T value, int) { \
        TOLD;                                                                               \
        told.tell(Kind::kUpdateBegin);                                                      \
        T old = __atomic_fetch_##OPERATION(address, value, __ATOMIC_SEQ_CST);               \
        told.tell(Kind::kUpdateEnd);                                                        \
        return old;                                                                         \
    }

// __tsan_atomic32_compare_exchange_strong and _weak: `expected` gets the old value. Pairs with
// tools/accesses/atomic_calls.hpp:__tsan_atomic_thread_fence.
#define DEFINE_COMPARE(BITS, T, STRENGTH, FAILS)                                         \
    EXPORTED int __tsan_atomic##BITS##_compare_exchange_##STRENGTH(                      \
        volatile T* address, T* expected, T value, int, int) {                           \
        TOLD;                                                                            \
        if (FAILS) {                                                                     \
            *expected = __atomic_load_n(address, __ATOMIC_SEQ_CST);                      \
            return false;                                                                \
        }                                                                                \
        told.tell(Kind::kUpdateBegin);                                                   \
        bool is_equal = __atomic_compare_exchange_n(address, expected, value, false,     \
                                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        told.tell(Kind::kUpdateEnd);                                                     \
        return is_equal;                                                                 \
    }

// __tsan_atomic32_load, _store, _exchange and the others of one size. Pairs with
// tools/accesses/atomic_calls.hpp:__tsan_atomic_thread_fence.
#define DEFINE_ATOMICS(BITS, T)                                                            \
    EXPORTED T __tsan_atomic##BITS##_load(const volatile T* address, int) {                \
        TOLD;                                                                              \
        T value = __atomic_load_n(address, __ATOMIC_SEQ_CST);                              \
        told.tell(Kind::kAtomicLoad);                                                      \
        return value;                                                                      \
    }                                                                                      \
    EXPORTED void __tsan_atomic##BITS##_store(volatile T* address, T value, int) {         \
        TOLD;                                                                              \
        told.tell(Kind::kAtomicStore);                                                     \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                \
    }                                                                                      \
    EXPORTED T __tsan_atomic##BITS##_exchange(volatile T* address, T value, int) {         \
        TOLD;                                                                              \
        told.tell(Kind::kUpdateBegin);                                                     \
        T old = __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                     \
        told.tell(Kind::kUpdateEnd);                                                       \
        return old;                                                                        \
    }                                                                                      \
    EXPORTED T __tsan_atomic##BITS##_compare_exchange_val(volatile T* address, T expected, \
                                                          T value, int, int) {             \
        TOLD;                                                                              \
        told.tell(Kind::kUpdateBegin);                                                     \
        __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_SEQ_CST,    \
                                    __ATOMIC_SEQ_CST);                                     \
        told.tell(Kind::kUpdateEnd);                                                       \
        return expected;                                                                   \
    }                                                                                      \
    DEFINE_COMPARE(BITS, T, strong, false)                                                 \
    DEFINE_COMPARE(BITS, T, weak, told.fails())                                            \
    DEFINE_FETCH(BITS, T, add)                                                             \
    DEFINE_FETCH(BITS, T, sub)                                                             \
    DEFINE_FETCH(BITS, T, and)                                                             \
    DEFINE_FETCH(BITS, T, or)                                                              \
    DEFINE_FETCH(BITS, T, xor)                                                             \
    DEFINE_FETCH(BITS, T, nand)
DEFINE_ATOMICS(8, std::uint8_t)
DEFINE_ATOMICS(16, std::uint16_t)
DEFINE_ATOMICS(32, std::uint32_t)
DEFINE_ATOMICS(64, std::uint64_t)
#undef DEFINE_ATOMICS
#undef DEFINE_COMPARE
#undef DEFINE_FETCH
#undef TOLD

// Pairs with tools/accesses/atomic_calls.hpp:__tsan_atomic_thread_fence of other PEs and threads.
EXPORTED void __tsan_atomic_thread_fence(int) {
    Told(nullptr, 0, __builtin_return_address(0));
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
EXPORTED void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
