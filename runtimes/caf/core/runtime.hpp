// SPDX-License-Identifier: BSD-3-Clause
//
// The start of a coarray program. Every entry of a front end (abi12/ and others) calls
// ensure_initialized() first: compilers register static coarrays in ELF constructors, before main
// and before the entry for initialization.

#pragma once

#include "core/report.hpp"

namespace tessera::caf {

namespace detail {
void initialize();
}  // namespace detail

// Starts the images if they do not run yet. RETURNS when: all images have started.
// THREADS: the first call by one thread.
inline void ensure_initialized() {
    if (phase == Phase::kBefore) [[unlikely]]
        detail::initialize();
}

}  // namespace tessera::caf
