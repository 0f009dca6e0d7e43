// SPDX-License-Identifier: BSD-3-Clause
//
// See core_files.hpp.
#include "memory/core_files.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "base/bits.hpp"
#include "core/address_map.hpp"
#include "core/pe_state.hpp"
#include "heap/node_file.hpp"

namespace tessera {
namespace {

constexpr std::size_t kStepBytes = std::size_t{64} << 10;

std::size_t begin_of(UsedMemory part) {
    switch (part) {
        case UsedMemory::kHeap: return 0;
        case UsedMemory::kTeam: return memory_range().team_begin();
        case UsedMemory::kLocal: return memory_range().local_begin();
    }
    return 0;
}

}  // namespace

void dump_up_to(UsedMemory part, std::size_t end) {
    std::atomic<std::size_t>& dumped = pe_state.dumped_ends->of[static_cast<std::size_t>(part)];
    std::size_t seen = dumped.load(std::memory_order_relaxed);
    if (end <= seen) return;
    end = round_up(end, kStepBytes);
    while (seen < end && !dumped.compare_exchange_weak(seen, end, std::memory_order_relaxed)) {
    }
    const std::size_t begin = std::max(seen, begin_of(part));
    if (begin >= end) return;
    // Where the system refuses it the core file lacks these pages, no more.
    ::madvise(reinterpret_cast<char*>(address_map.heap_base) + begin, end - begin, MADV_DODUMP);
}

}  // namespace tessera
