// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: the order of stores and loads on mapped memory.
//
// A processor may load something else before its store is visible, and units could tell: two units
// each put, then load what the other one has put, and both find the old value. dart_put_blocking
// promises that the data is complete on the target, so it has a fence behind its store (paper 002,
// section 2.1: blocking operations complete locally and remotely). dart_put and dart_put_handle
// leave the fence to flush, wait and test, or to the first get behind them.
#pragma once

#include <atomic>

namespace tessera::dart {

// How a put or a get completes: when it returns, by a flush, or by its handle.
enum class Completion : unsigned char { kBlocking, kByFlush, kByHandle };

namespace detail {
// Whether this thread has stored since its last fence.
inline thread_local constinit bool has_stored __attribute__((tls_model("initial-exec"))) = false;
}  // namespace detail

// Pairs with transfers/ordering.hpp:order_stores of another unit.
inline void order_stores() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    detail::has_stored = false;
}

// Behind the store of a put.
inline void note_store(Completion completion) {
    if (completion == Completion::kBlocking) {
        order_stores();
    } else {
        detail::has_stored = true;
    }
}

inline void order_before_load() {
    if (detail::has_stored) [[unlikely]]
        order_stores();
}

}  // namespace tessera::dart
