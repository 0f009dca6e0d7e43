// SPDX-License-Identifier: BSD-3-Clause
//
// The functions that gcc and clang call for the atomics of C and C++ in code that they compile with
// -fsanitize=thread. They make the access as well. The checker hears of it before a write, so that
// a PE that sees the value also sees what its writer knew, and after a read.
//
// All are sequentially consistent, whatever order the program asks for: stronger, and one code.
// There are none of 16 bytes, as OpenSHMEM has none.
#include <cstdint>

#include "seen.hpp"

using tessera::accesses::is_in_zone;
using tessera::accesses::Kind;

namespace {

// An access that the checker hears of before or after it is made.
class Told {
  public:
    Told(const volatile void* address, std::size_t bytes, const void* site)
        : address_(const_cast<const void*>(address)), bytes_(bytes), site_(site) {
        is_seen_ = is_in_zone(reinterpret_cast<std::uintptr_t>(address_));
    }
    void tell(Kind kind) const {
        if (is_seen_) [[unlikely]]
            tessera::accesses::tell(address_, bytes_, kind, site_);
    }

  private:
    const void* address_;
    std::size_t bytes_;
    const void* site_;
    bool is_seen_;
};

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))
#define TOLD Told told(address, sizeof *address, __builtin_return_address(0))

// All atomics of a program are seq_cst here, whatever it asks for, and order with each other.

// __tsan_atomic32_fetch_add and so on. Pairs with
// tools/accesses/atomics.cpp:__tsan_atomic_thread_fence.
#define DEFINE_FETCH(BITS, T, OPERATION)                                                    \
    EXPORTED T __tsan_atomic##BITS##_fetch_##OPERATION(volatile T* address, T value, int) { \
        TOLD;                                                                               \
        told.tell(Kind::kUpdateBegin);                                                      \
        T old = __atomic_fetch_##OPERATION(address, value, __ATOMIC_SEQ_CST);               \
        told.tell(Kind::kUpdateEnd);                                                        \
        return old;                                                                         \
    }

// __tsan_atomic32_compare_exchange_strong and _weak: `expected` gets the old value. Pairs with
// tools/accesses/atomics.cpp:__tsan_atomic_thread_fence.
#define DEFINE_COMPARE(BITS, T, STRENGTH)                                                \
    EXPORTED int __tsan_atomic##BITS##_compare_exchange_##STRENGTH(                      \
        volatile T* address, T* expected, T value, int, int) {                           \
        TOLD;                                                                            \
        told.tell(Kind::kUpdateBegin);                                                   \
        bool is_equal = __atomic_compare_exchange_n(address, expected, value, false,     \
                                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        told.tell(Kind::kUpdateEnd);                                                     \
        return is_equal;                                                                 \
    }

// __tsan_atomic32_load, _store, _exchange and the others of one size. Pairs with
// tools/accesses/atomics.cpp:__tsan_atomic_thread_fence.
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
    DEFINE_COMPARE(BITS, T, strong)                                                        \
    DEFINE_COMPARE(BITS, T, weak)                                                          \
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

// Pairs with tools/accesses/atomics.cpp:__tsan_atomic_thread_fence of other PEs and threads.
EXPORTED void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
EXPORTED void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
