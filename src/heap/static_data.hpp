// SPDX-License-Identifier: BSD-3-Clause
//
// The main program's static data (.data and .bss) as memory that the other PEs of the node can map.
// A library constructor replaces its pages by a shared mapping before main() runs: same addresses,
// same contents, but now a peer that maps the file loads and stores `static int x` directly.
// Asked by core (translation, peers' mappings, SHMEM_INFO). Covers the main program only: shared
// libraries' data and thread-locals are not remotely accessible.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::heap {

// This PE's range. Address a of the range lies at file_offset + (a - base) in the file.
// With several writable segments (-mcmodel=medium), the range reaches from the first to the last;
// the constants between them have space in the file but are not shared.
struct StaticData {
    std::uintptr_t base = 0;  // page-aligned; 0 when the program has no writable data
    std::size_t bytes = 0;
    int fd = -1;                    // the node file under oshrun, else a memfd of this process
    std::uint64_t file_offset = 0;  // congruent to base modulo the huge page size
    bool shared = false;            // false: the range is known, but only this process maps it
    const char* reason = "";        // for not being shared; for SHMEM_INFO
};

// THREADS: any. Constant after the constructor, except in a forked child (not shared any more).
const StaticData& static_data();

// Whether the bytes lie in a segment of the main program that is never writable: constants and
// code. They are the same in each PE that runs this program. COST: a look at its segments.
bool is_constant(const void* address, std::size_t bytes);

// True in a child made by fork() from this process. It has its own copy of the static data, still
// maps the heaps, and must not act as a PE. Children of vfork(), _Fork() and clone() are not seen.
// COST of sharing for fork(): 0.3 us per KiB of touched static data. system(), popen() and
// posix_spawn() copy nothing.
bool in_forked_child();

}  // namespace tessera::heap
