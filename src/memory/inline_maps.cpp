// SPDX-License-Identifier: BSD-3-Clause
//
// See inline_maps.hpp. A map with a layout that this library does not know stays empty. Programs
// call the extern "C" functions here (include/shmem/inline.h); they are no routines and have no
// twins for tools.
#include "memory/inline_maps.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/mutexes.hpp"
#include "base/wait.hpp"
#include "core/address_map.hpp"
#include "heap/node_file.hpp"
#include "settings/config.hpp"
#include "shmem/inline.h"

namespace tessera {
namespace {

using InlineMap = shmem_internal_inline_map;

// Layout 2. Another one needs another SHMEM_INTERNAL_INLINE_LAYOUT.
static_assert(SHMEM_INTERNAL_INLINE_LAYOUT == 2);
static_assert(offsetof(InlineMap, origin) == 3584 && offsetof(InlineMap, heaps) == 3608);
static_assert(offsetof(InlineMap, no_limits) == 7704);
static_assert(sizeof(InlineMap) == SHMEM_INTERNAL_INLINE_MAP_BYTES);
static_assert(sizeof(InlineLimit) == SHMEM_INTERNAL_INLINE_LIMIT_BYTES);
static_assert(heap::kInlineLimits == SHMEM_INTERNAL_INLINE_PEERS);
static_assert(kShortBytesMax == SHMEM_INTERNAL_INLINE_BYTES_MAX);

// The contents of the maps.
struct Contents {
    std::size_t first = 0;
    std::size_t heap_base = 0;
    std::array<std::size_t, heap::kInlineLimits> heaps{};
    bool operator==(const Contents&) const = default;
};

ShortMutex attached_mutex;  // guards all of these but limits
// Never destroyed: programs detach after this library's own destructors have run.
std::vector<InlineMap*>& attached_maps() {
    static auto* maps = new std::vector<InlineMap*>;
    return *maps;
}
constinit Contents contents;
// Kept for good, because a program may read a limit at any time.
char* limits = nullptr;
constexpr std::size_t kInlineLimitsBytes = heap::kInlineLimits * sizeof(InlineLimit);

Contents current_contents(std::span<const int> local_pes) {
    Contents now{.first = static_cast<std::size_t>(local_pes.front()),
                 .heap_base = address_map.heap_base};
    for (int pe : local_pes) {
        const std::size_t index = heap::inline_limit_index(pe, local_pes);
        if (index == heap::kNoInlineLimit) break;
        now.heaps[index] = reinterpret_cast<std::size_t>(address_map.peers[pe].heap);
    }
    return now;
}

// REQUIRES: no operation has read the map.
void fill(InlineMap& map) {
    if (limits == nullptr) return;
    map.origin = SHMEM_INTERNAL_INLINE_ORIGIN - contents.first;
    map.heap_base = contents.heap_base;
    std::copy(contents.heaps.begin(), contents.heaps.end(), map.heaps);
    // Unsigned: they may lie before the map.
    map.limits =
        reinterpret_cast<std::size_t>(limits) - reinterpret_cast<std::size_t>(map.no_limits);
}

}  // namespace

void open_inline_maps(int node_file, std::uint64_t inline_limits_offset,
                      std::span<const int> local_pes) {
    if (config().debug || !config().heap.is_coherent() || address_map.serves_in_calls) return;
    std::lock_guard guard(attached_mutex);
    const int access = PROT_READ | PROT_WRITE;
    if (limits == nullptr) {
        void* start =
            ::mmap(nullptr, kInlineLimitsBytes, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (start == MAP_FAILED) return;
        limits = static_cast<char*>(start);
        contents = current_contents(local_pes);
        for (InlineMap* map : attached_maps()) fill(*map);
    } else if (current_contents(local_pes) != contents) {
        return;
    }
    // If it fails, the zeros stay.
    static_cast<void>(::mmap(limits, kInlineLimitsBytes, access, MAP_SHARED | MAP_FIXED, node_file,
                             static_cast<off_t>(inline_limits_offset)));
}

void close_inline_maps() {
    if (limits == nullptr) return;
    static_cast<void>(::mmap(limits, kInlineLimitsBytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
}

}  // namespace tessera

#define TESSERA_FOR_PROGRAMS extern "C" __attribute__((visibility("default")))

TESSERA_FOR_PROGRAMS void shmem_internal_inline_attach(shmem_internal_inline_map* map, int layout) {
    if (layout != SHMEM_INTERNAL_INLINE_LAYOUT) return;
    std::lock_guard guard(tessera::attached_mutex);
    std::vector<shmem_internal_inline_map*>& maps = tessera::attached_maps();
    if (std::find(maps.begin(), maps.end(), map) != maps.end()) return;
    maps.push_back(map);
    tessera::fill(*map);
}

// The map keeps its contents.
TESSERA_FOR_PROGRAMS void shmem_internal_inline_detach(shmem_internal_inline_map* map) {
    std::lock_guard guard(tessera::attached_mutex);
    std::erase(tessera::attached_maps(), map);
}

// For a PE of this node that the program has just found asleep.
TESSERA_FOR_PROGRAMS void shmem_internal_inline_wake(int pe) {
    tessera::address_map.peers[pe].sleeper->wake();
}
