// SPDX-License-Identifier: BSD-3-Clause
//
// The library and the programs are compiled with -fsanitize=thread, but without that sanitizer's
// runtime: the calls that the compiler puts at every access of memory come here. Atomics and fences
// are switch points, and are executed here, in one order for all PEs; the other accesses are switch
// points as the seed says, and are executed by the program behind the call.
#include <cstdint>

#include "world.hpp"

// NOLINTBEGIN: the names are the compiler's.
#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

bool counts_plain() { return sim::world.character.counts_plain; }
[[gnu::always_inline]] inline void plain() {
    if (counts_plain()) sim::step();
}

}  // namespace

EXPORTED void __tsan_init() {}
EXPORTED void __tsan_func_entry(void*) {}
EXPORTED void __tsan_func_exit() {}
EXPORTED void __tsan_vptr_read(void**) {}
EXPORTED void __tsan_vptr_update(void**, void*) {}
EXPORTED void __tsan_read_range(void*, unsigned long) { plain(); }
EXPORTED void __tsan_write_range(void*, unsigned long) { plain(); }

#define ACCESS(BYTES)                                                 \
    EXPORTED void __tsan_read##BYTES(void*) { plain(); }              \
    EXPORTED void __tsan_write##BYTES(void*) { plain(); }             \
    EXPORTED void __tsan_unaligned_read##BYTES(void*) { plain(); }    \
    EXPORTED void __tsan_unaligned_write##BYTES(void*) { plain(); }   \
    EXPORTED void __tsan_volatile_read##BYTES(void*) { sim::step(); } \
    EXPORTED void __tsan_volatile_write##BYTES(void*) { sim::step(); }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
#undef ACCESS

#define FETCH(BITS, T, NAME)                                                    \
    EXPORTED T __tsan_atomic##BITS##_fetch_##NAME(volatile T* word, T v, int) { \
        sim::step();                                                            \
        return __atomic_fetch_##NAME(word, v, __ATOMIC_SEQ_CST);                \
    }
#define ATOMICS(BITS, T)                                                                           \
    EXPORTED T __tsan_atomic##BITS##_load(const volatile T* word, int) {                           \
        sim::step();                                                                               \
        return __atomic_load_n(word, __ATOMIC_SEQ_CST);                                            \
    }                                                                                              \
    EXPORTED void __tsan_atomic##BITS##_store(volatile T* word, T v, int) {                        \
        sim::step();                                                                               \
        __atomic_store_n(word, v, __ATOMIC_SEQ_CST);                                               \
    }                                                                                              \
    EXPORTED T __tsan_atomic##BITS##_exchange(volatile T* word, T v, int) {                        \
        sim::step();                                                                               \
        return __atomic_exchange_n(word, v, __ATOMIC_SEQ_CST);                                     \
    }                                                                                              \
    FETCH(BITS, T, add)                                                                            \
    FETCH(BITS, T, sub)                                                                            \
    FETCH(BITS, T, and)                                                                            \
    FETCH(BITS, T, or)                                                                             \
    FETCH(BITS, T, xor)                                                                            \
    FETCH(BITS, T, nand)                                                                           \
    EXPORTED int __tsan_atomic##BITS##_compare_exchange_strong(volatile T* word, T* old, T v, int, \
                                                               int) {                              \
        sim::step();                                                                               \
        return __atomic_compare_exchange_n(word, old, v, false, __ATOMIC_SEQ_CST,                  \
                                           __ATOMIC_SEQ_CST);                                      \
    }                                                                                              \
    /* A weak one may fail without a reason. */                                                    \
    EXPORTED int __tsan_atomic##BITS##_compare_exchange_weak(volatile T* word, T* old, T v, int,   \
                                                             int) {                                \
        sim::step();                                                                               \
        const T expected = *old;                                                                   \
        const T seen = __atomic_load_n(word, __ATOMIC_SEQ_CST);                                    \
        const bool fails = sim::world.current != nullptr && sim::world.random_below(16) == 0;      \
        *old = seen;                                                                               \
        if (seen != expected || fails) return 0;                                                   \
        __atomic_store_n(word, v, __ATOMIC_SEQ_CST);                                               \
        return 1;                                                                                  \
    }                                                                                              \
    EXPORTED T __tsan_atomic##BITS##_compare_exchange_val(volatile T* word, T old, T v, int,       \
                                                          int) {                                   \
        sim::step();                                                                               \
        __atomic_compare_exchange_n(word, &old, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);     \
        return old;                                                                                \
    }
ATOMICS(8, std::uint8_t)
ATOMICS(16, std::uint16_t)
ATOMICS(32, std::uint32_t)
ATOMICS(64, std::uint64_t)
#undef ATOMICS
#undef FETCH

EXPORTED void __tsan_atomic_thread_fence(int) { sim::step(); }
EXPORTED void __tsan_atomic_signal_fence(int) {}
// NOLINTEND
