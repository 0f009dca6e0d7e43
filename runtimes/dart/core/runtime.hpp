// SPDX-License-Identifier: BSD-3-Clause
//
// The state of DART. OpenSHMEM is initialized by the first dart_init and stays up until the process
// ends, so that a program may start and end DART hundreds of times.
#pragma once

#include <atomic>

namespace tessera::dart {

namespace detail {
inline std::atomic<bool> is_running{false};
inline int my_unit = -1;
inline int n_units = 0;
inline char* anchor = nullptr;
inline unsigned starts = 0;
}  // namespace detail

// From the start of dart_init to the end of dart_exit. Pairs with lifecycle/init_exit.cpp:start and
// lifecycle/init_exit.cpp:dart_exit.
inline bool is_running() { return detail::is_running.load(std::memory_order_acquire); }

// The numbers of the process; they stay after dart_exit. Before the first dart_init: -1 and 0.
inline int my_unit() { return detail::my_unit; }
inline int n_units() { return detail::n_units; }

// How often DART has started; the same on all units.
inline unsigned starts() { return detail::starts; }

// An object of the symmetric heap, from which offsets in local memory count (dart_memalloc). Its
// first word is 0. nullptr before the first dart_init.
inline char* anchor() { return detail::anchor; }

}  // namespace tessera::dart
