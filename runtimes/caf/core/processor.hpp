// SPDX-License-Identifier: BSD-3-Clause
//
// Differences between processors: wide reals, pauses, and the calls of functions whose results the
// library cannot name by a type. processor_x86_64.cpp or processor_portable.cpp implements them.

#pragma once

#include <cstdint>
#include <limits>

namespace tessera::caf {

using Extended = long double;
typedef float Quad __attribute__((mode(TF)));  // 128 bits on all processors; long double on some
// Whether there are reals of kind 10: 80 bits in 16 bytes.
inline constexpr bool kHasExtended = std::numeric_limits<long double>::digits == 64;

// The registers in which functions of x86-64 return up to 16 bytes.
struct Registers {
    std::uint64_t rax, rdx, xmm0, xmm1;
};

// Whether the two functions below work.
bool knows_result_registers();

// Calls a function of two references with `mark` in all four registers.
// RETURNS: the values that the function leaves in them.
Registers call_marked(void (*function)(), void* a, void* b, std::uint64_t mark);

// Calls a function of two references whose result of more than 16 bytes comes through a pointer.
void call_with_result(void (*function)(), void* result, void* a, void* b);

// Tells the core that this is a waiting loop: some ten nanoseconds.
void pause_processor();

}  // namespace tessera::caf
