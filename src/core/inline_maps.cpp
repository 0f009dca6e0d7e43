// SPDX-License-Identifier: BSD-3-Clause
//
// See inline_maps.hpp. A map with a layout that this library does not know stays empty, as do all
// with SHMEM_DEBUG: then every routine is called. Programs call the extern "C" functions here
// (include/shmem/inline.h); they are no routines and have no twins for tools.
#include "core/inline_maps.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/wait.hpp"
#include "core/address_map.hpp"
#include "core/config.hpp"
#include "shmem/inline.h"

namespace tessera {
namespace {

using InlineMap = shmem_internal_inline_map;
using InlinePeer = shmem_internal_inline_peer;

// Layout 1. Another one needs another SHMEM_INTERNAL_INLINE_LAYOUT.
static_assert(SHMEM_INTERNAL_INLINE_LAYOUT == 1);
static_assert(sizeof(InlineMap) == 32 && sizeof(InlinePeer) == sizeof(Peer));
static_assert(offsetof(InlinePeer, heap) == offsetof(Peer, heap));
static_assert(offsetof(InlinePeer, sleeper) == offsetof(Peer, sleeper));
static_assert(sizeof(Sleeper) == sizeof(unsigned));

std::mutex attached_mutex;

// Never destroyed: programs detach after this library's own destructors have run.
std::vector<InlineMap*>& attached_maps() {
    static auto* maps = new std::vector<InlineMap*>;
    return *maps;
}

// REQUIRES: no routine of this PE is running, as at init and finalize.
InlineMap current_map() {
    if (address_map.npes == 0 || config().debug) return {};
    return {.npes = reinterpret_cast<const char*>(std::uintptr_t{address_map.npes}),
            .heap_base = reinterpret_cast<const char*>(address_map.heap_base),
            .heap_limit = reinterpret_cast<const char*>(address_map.heap_bytes -
                                                        SHMEM_INTERNAL_INLINE_BYTES_MAX),
            .peers = reinterpret_cast<const InlinePeer*>(address_map.peers)};
}

}  // namespace

void publish_inline_maps() {
    std::lock_guard guard(attached_mutex);
    if (attached_maps().empty()) return;
    const InlineMap now = current_map();
    for (InlineMap* map : attached_maps()) *map = now;
}

void empty_inline_maps_in_child() {
    for (InlineMap* map : attached_maps()) *map = {};
}

}  // namespace tessera

#define TESSERA_FOR_PROGRAMS extern "C" __attribute__((visibility("default")))

TESSERA_FOR_PROGRAMS void shmem_internal_inline_attach(shmem_internal_inline_map* map, int layout) {
    if (layout != SHMEM_INTERNAL_INLINE_LAYOUT) return;
    std::lock_guard guard(tessera::attached_mutex);
    std::vector<shmem_internal_inline_map*>& maps = tessera::attached_maps();
    if (std::find(maps.begin(), maps.end(), map) != maps.end()) return;
    maps.push_back(map);
    if (tessera::address_map.npes != 0) *map = tessera::current_map();
}

TESSERA_FOR_PROGRAMS void shmem_internal_inline_detach(shmem_internal_inline_map* map) {
    std::lock_guard guard(tessera::attached_mutex);
    std::erase(tessera::attached_maps(), map);
    *map = {};
}

// For a PE of this node that the program has just found asleep.
TESSERA_FOR_PROGRAMS void shmem_internal_inline_wake(int pe) {
    tessera::address_map.peers[pe].sleeper->wake();
}
