// SPDX-License-Identifier: BSD-3-Clause
//
// Threads that write to the main program's static data without pause, and count on the side what
// must arrive there. Linked into late_test; early_test has them in a shared library whose
// constructor starts them (early_start.cpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>

namespace static_test {

inline constexpr int kHammers = 3;
inline constexpr std::size_t kHammeredWords = 8 * 512;  // eight pages

// Defined by the main program.
struct Hammered {
    long words[kHammers][kHammeredWords];
    std::atomic<long> together;
    std::mutex mutex;
    long locked;
};
extern Hammered hammered;

// `one_blocks_faults`: one of the threads has SIGSEGV blocked.
void start_hammering(bool one_blocks_faults);

// Returns when every thread has gone through its loop `rounds` more times.
void let_hammers_strike(long rounds);

// Ends the threads. RETURNS true if nothing that they wrote is missing.
bool stop_hammering();

}  // namespace static_test
