// SPDX-License-Identifier: BSD-3-Clause
//
// Messages on stderr. A routine that returns an error says why: DASH ignores most results. Errors
// are always printed; other messages only when the program asks for them (dart_config).

#pragma once

#include <dash/dart/if/dart_types.h>

namespace tessera::dart {

// Prints "[unit U] ROUTINE: MESSAGE". RETURNS: code.
[[gnu::format(printf, 3, 4), gnu::cold]] dart_ret_t fail(dart_ret_t code, const char* routine,
                                                         const char* format, ...);

// Fails with DART_ERR_INVAL: the caller passed no place for the result.
[[gnu::cold]] dart_ret_t fail_null(const char* routine);

// Prints as fail() does, and ends all units with exit code 1. For what no caller can handle.
[[noreturn, gnu::format(printf, 2, 3), gnu::cold]] void fatal(const char* routine,
                                                              const char* format, ...);

// Prints "[unit U] MESSAGE" if the program has switched messages on.
[[gnu::format(printf, 1, 2), gnu::cold]] void log(const char* format, ...);

}  // namespace tessera::dart
