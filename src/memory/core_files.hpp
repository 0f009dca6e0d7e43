// SPDX-License-Identifier: BSD-3-Clause
//
// A core file has the used part of this PE's memory range: the pages of the symmetric heap, of team
// and local memory, up to the highest block that each has ever held. All other pages of mappings
// are left out (base/fd.cpp): each PE maps the heaps of all PEs of its node, and the dump of a page
// that was never touched would allocate it. Called where blocks are handed out, which is on no
// hot path.
#pragma once

#include <atomic>
#include <cstddef>

namespace tessera {

enum class UsedMemory { kHeap, kTeam, kLocal };

// Core files have this part of the range up to the offset `end` from now on.
// THREADS: any. COST: a compare; a system call for each 64 KiB that are new.
void dump_up_to(UsedMemory part, std::size_t end);

// Ends of the dumped pages by part; 0: none. Relaxed: each only grows, and no data hangs on it. The
// session owns it.
struct DumpedEnds {
    std::atomic<std::size_t> of[3]{};
};

}  // namespace tessera
