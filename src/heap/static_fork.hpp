// SPDX-License-Identifier: BSD-3-Clause
//
// Shared static data and fork(). Without help the child would work on its parent's data:
// its stores, and the destructors that its exit() runs, would hit the PE. So the parent makes a
// private copy just before the fork, the child moves that copy over the shared pages, and the
// parent drops it. Neither process waits. Called by static_data.cpp.
#pragma once

#include "heap/static_pages.hpp"

namespace tessera::heap {

// Registers the fork handlers. `before` runs in the parent, where pages are shared, just before the
// copy; `in_child` runs in a child once its pages are its own.
// RETURNS false when the C library has no room for them.
bool watch_forks(void (*before)(), void (*in_child)());

// From now on a child gets a copy of these pages. THREADS: called once, by the constructor.
void set_forked_pages(const PageRanges& ranges, const PageFile& file);

// Whether the address lies in pages that a child gets a copy of. THREADS: any.
bool is_shared_page(std::uintptr_t address);

// Replaces shared pages by a private copy of them. Also undoes a sharing that failed half-way.
TESSERA_UNINSTRUMENTED bool make_private(const PageRange& range, const PageFile& file);

}  // namespace tessera::heap
