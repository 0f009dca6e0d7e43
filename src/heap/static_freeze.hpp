// SPDX-License-Identifier: BSD-3-Clause
//
// Keeps the other threads of the process from writing to the data pages while they are copied and
// replaced. Needed only when threads run already: the library was loaded with dlopen(), or another
// library started threads before. The pages become read-only; a thread that writes to one gets a
// SIGSEGV, whose handler sleeps until the new pages are there, and then the write is repeated.
// Meanwhile (under a millisecond for usual sizes) a system call that stores into static data, like
// read(), fails with EFAULT, and memory that a device writes to (direct I/O, registered memory) is
// not held back.
#pragma once

#include "heap/static_pages.hpp"

namespace tessera::heap {

// True when this process has more than one thread.
bool has_other_threads();

// Prepares to freeze these pages. RETURNS: nullptr, or the reason why they cannot be frozen.
const char* prepare_to_freeze(const PageRanges& ranges);

// Makes the pages read-only. From here to thaw(), the caller must not write to them either.
// REQUIRES: prepare_to_freeze(). RETURNS false with errno; thaw() is then due as well.
TESSERA_UNINSTRUMENTED bool freeze(const PageRanges& ranges);

// Lets the waiting threads go on. `was_replaced`: new, writable pages are there; otherwise the old
// ones become writable again.
TESSERA_UNINSTRUMENTED void thaw(const PageRanges& ranges, bool was_replaced);

}  // namespace tessera::heap
