// SPDX-License-Identifier: BSD-3-Clause
//
// The C library's functions behind the simulated ones of the same names (system_calls.cpp).
#pragma once

#include <dlfcn.h>
#include <sys/types.h>

#include <cstddef>

namespace sim {

template <class Function>
Function real_function(const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}
// The function that the simulated one called NAME hides.
#define REAL(NAME)                                                                 \
    ([] {                                                                          \
        static const auto function = sim::real_function<decltype(&::NAME)>(#NAME); \
        return function;                                                           \
    }())

void* real_mmap(void* address, std::size_t bytes, int protection, int flags, int file,
                off_t offset);
[[noreturn]] void real_exit(int status);

// The status of a run in which a wait never ends.
inline constexpr int kHangs = 124;
// Prints what the PEs wait for, as osh_hang does (waits.cpp).
void show_waits();

}  // namespace sim
