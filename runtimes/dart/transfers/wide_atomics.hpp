// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics on long double, which no processor has: under a mutex of the unit that has the elements.
// OpenSHMEM's accumulate has a lock of its own for them, but gives no old values, so that all
// atomics of DART on long double are here.
#pragma once

#include <dash/dart/if/dart_types.h>

#include <cstddef>

#include "transfers/target.hpp"

namespace tessera::dart {

// Called by the first dart_init, collectively. RETURNS: false: not enough symmetric memory.
bool start_wide_atomics();

// Changes elements, one by one. `old` is nullptr, or receives the first element before.
// `values` may be nullptr with DART_OP_NO_OP. REQUIRES: an operation of floating types.
void update_long_doubles(const Target& target, const void* values, std::size_t nelem, void* old,
                         dart_operation_t op);

}  // namespace tessera::dart
