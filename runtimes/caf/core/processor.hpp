// SPDX-License-Identifier: BSD-3-Clause
//
// Differences between processors: wide reals, the calls of functions whose results the library
// cannot name by a type, and pauses. processor_x86_64.cpp or processor_portable.cpp implements
// them.

#pragma once

#include <cstdint>
#include <limits>

namespace tessera::caf {

using Extended = long double;
typedef float Quad __attribute__((mode(TF)));  // 128 bits on all processors; long double on some
typedef _Complex float ComplexQuad __attribute__((mode(TC)));
// Whether there are reals of kind 10: 80 bits in 16 bytes.
inline constexpr bool kHasExtended = std::numeric_limits<long double>::digits == 64;

// Whether functions return derived types as the System V psABI for x86-64 has it (3.2.3).
bool has_results_of_x86_64();

// Calls a function of two references whose result of more than 16 bytes comes through a pointer.
void call_with_result(void (*function)(), void* result, void* a, void* b);

// The function that code of the compiler jumps to, with the same arguments and result: code on the
// stack, for a function that uses variables of its host, or that of a function whose equal the
// compiler has kept. 0: it is none of these.
std::uintptr_t jump_target(std::uintptr_t code);

// Tells the core that this is a waiting loop: some ten nanoseconds.
void pause_processor();

}  // namespace tessera::caf
