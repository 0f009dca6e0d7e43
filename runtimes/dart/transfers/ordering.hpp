// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: the order of stores and loads on mapped memory.
//
// dart_put_blocking promises that all units see the data when it returns. A processor may still
// load something else before its store is visible, and the unit could tell: two units each put,
// then get what the other one has put, and both get the old value. So the first get behind a put
// has a fence between them. Many puts in a row then need only one; atomics order by themselves, and
// flush and wait have their fence inside.
#pragma once

#include <atomic>

namespace tessera::dart {

namespace detail {
// Whether this thread has stored since its last fence.
inline thread_local constinit bool has_stored __attribute__((tls_model("initial-exec"))) = false;
}  // namespace detail

inline void note_store() { detail::has_stored = true; }

inline void order_stores() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    detail::has_stored = false;
}

inline void order_before_load() {
    if (detail::has_stored) [[unlikely]] {
        order_stores();
    }
}

}  // namespace tessera::dart
