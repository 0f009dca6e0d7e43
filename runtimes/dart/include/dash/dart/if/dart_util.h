// SPDX-License-Identifier: BSD-3-Clause
//
// Words that the other headers of DART use in their declarations.

#ifndef DASH_DART_IF_DART_UTIL_H
#define DASH_DART_IF_DART_UTIL_H

/** A routine that throws no exception. */
#ifdef __cplusplus
#define DART_NOTHROW __attribute__((nothrow))
#else
#define DART_NOTHROW
#endif

/** A function that a program need not use. */
#define DART_MAYBE_UNUSED __attribute__((unused))
/** A function that stands in a header. */
#define DART_INLINE static inline DART_MAYBE_UNUSED

/** Marks of the begin and the end of the interface, for tools. */
#define DART_INTERFACE_ON
#define DART_INTERFACE_OFF

#endif  // DASH_DART_IF_DART_UTIL_H
