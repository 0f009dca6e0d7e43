// SPDX-License-Identifier: BSD-3-Clause
//
// Publishing and refreshing by whole lines, on processors that store any bytes of a line, or of a
// part of it, at once. The build takes line_copies_x86_64.cpp or, for processors without a file of
// their own, line_copies_portable.cpp. Only transports/noncoherent/copies.cpp uses it.
#pragma once

#include <cstddef>

#include "transports/noncoherent_transport.hpp"

namespace tessera::noncoherent {

// The same bytes of the three copies of a segment (copies.hpp); multiples of a line.
struct CopiedLines {
    char* own;
    char* shared;  // public copy
    char* twin;
    std::size_t bytes;
};

// nullptr: the processor has no such function for this kind of memory.
struct LineCopies {
    // Stores the bytes of `own` that differ from the twin to the public copy and the twin.
    // THREADS: the program may store to `own`, other PEs to other bytes of the public copy.
    void (*publish)(const CopiedLines& lines) = nullptr;
    // In lines whose public copy differs from the twin: publishes the bytes of `own` that differ
    // from the twin, and copies the others to `own` and the twin. THREADS: like publish().
    void (*refresh)(const CopiedLines& lines) = nullptr;
};
LineCopies line_copies(Access access);

}  // namespace tessera::noncoherent
