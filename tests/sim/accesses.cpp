// SPDX-License-Identifier: BSD-3-Clause
//
// The library and the programs are compiled with -fsanitize=thread, but without that sanitizer's
// runtime: the calls that the compiler puts at every access of memory come here. Atomics and fences
// are switch points, and are executed here, in one order for all PEs; the other accesses are switch
// points as the seed says, and are executed by the program behind the call.
#include "world.hpp"

namespace {

// Each atomic is a switch point, and then one step.
struct Told {
    [[gnu::always_inline]] Told(const volatile void*, std::size_t, const void* site) {
        sim::step_at(site);
    }
    template <class Kind>
    static void tell(Kind) {}
    static bool fails() {
        return sim::world.current != nullptr && sim::world.random_below(16) == 0;
    }
};

}  // namespace

// NOLINTBEGIN: the names are the compiler's.
#include "tools/accesses/atomic_calls.hpp"

#define PLAIN \
    if (sim::world.character.counts_plain) sim::step_at(__builtin_return_address(0))

EXPORTED void __tsan_init() {}
EXPORTED void __tsan_func_entry(void*) {}
EXPORTED void __tsan_func_exit() {}
EXPORTED void __tsan_vptr_read(void**) {}
EXPORTED void __tsan_vptr_update(void**, void*) {}
EXPORTED void __tsan_read_range(void*, unsigned long) { PLAIN; }
EXPORTED void __tsan_write_range(void*, unsigned long) { PLAIN; }

#define STEP sim::step_at(__builtin_return_address(0))
#define ACCESS(BYTES)                                             \
    EXPORTED void __tsan_read##BYTES(void*) { PLAIN; }            \
    EXPORTED void __tsan_write##BYTES(void*) { PLAIN; }           \
    EXPORTED void __tsan_unaligned_read##BYTES(void*) { PLAIN; }  \
    EXPORTED void __tsan_unaligned_write##BYTES(void*) { PLAIN; } \
    EXPORTED void __tsan_volatile_read##BYTES(void*) { STEP; }    \
    EXPORTED void __tsan_volatile_write##BYTES(void*) { STEP; }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
#undef ACCESS
// NOLINTEND
