// SPDX-License-Identifier: BSD-3-Clause
//
// The extensions of Tessera's DART that the programs here use, for other libraries of DART as well.
// Ask kHasNotify first. Included behind dart_measure.h.
#pragma once

#if __has_include(<dash/dart/if/dart_tessera.h>)
#include <dash/dart/if/dart_tessera.h>
enum { kHasNotify = 1 };

static inline void put_longs_and_notify(dart_gptr_t dest, const long* source, size_t nelem,
                                        dart_gptr_t word, uint64_t value) {
    dart_put_notify(dest, source, nelem, DART_TYPE_LONG, DART_TYPE_LONG, word, DART_NOTIFY_SET,
                    value);
}
static inline void await_notification(dart_gptr_t word, uint64_t value) {
    dart_notify_wait(word, value, NULL);
}
#else
enum { kHasNotify = 0 };

static inline void put_longs_and_notify(dart_gptr_t dest, const long* source, size_t nelem,
                                        dart_gptr_t word, uint64_t value) {
    (void)dest, (void)source, (void)nelem, (void)word, (void)value;
    give_up("DART 3.2 has no notified put");
}
static inline void await_notification(dart_gptr_t word, uint64_t value) { (void)word, (void)value; }
#endif
