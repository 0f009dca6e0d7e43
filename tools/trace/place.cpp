// SPDX-License-Identifier: BSD-3-Clause
//
// See place.hpp.
#include "place.hpp"

#include <dlfcn.h>

#include "shmem/inline.h"

namespace tessera::trace {
namespace {

shmem_internal_inline_map map;
const InlineLimit kNoLimit = 0;
using Attach = void(shmem_internal_inline_map*, int);
using Wake = void(int);
Wake* wake_in_library = nullptr;

// The library's own: this one has a routine of the same name (tools/interpose/inline.cpp), and is
// also loaded into programs without the library.
template <class Function>
Function* find_in_library(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

// The map is never given back: threads may read the limits at any time, also while the process
// exits.
void attach_map() {
    static bool has_asked = false;
    if (has_asked) return;
    has_asked = true;
    auto* attach = find_in_library<Attach>("shmem_internal_inline_attach");
    wake_in_library = find_in_library<Wake>("shmem_internal_inline_wake");
    if (attach == nullptr || wake_in_library == nullptr) return;
    attach(&map, SHMEM_INTERNAL_INLINE_LAYOUT);
}

void find_routes(std::span<Row> rows) {
    for (std::size_t pe = 0; pe < rows.size(); ++pe) {
        const std::size_t index = pe - SHMEM_INTERNAL_INLINE_ORIGIN + map.origin;
        Route& route = rows[pe].route;
        if (index >= SHMEM_INTERNAL_INLINE_PEERS || map.heaps[index] == 0) {
            route = {.base = 0, .limit = &kNoLimit, .heap = 0};
            continue;
        }
        // Unsigned: the limits may lie before the map.
        const std::size_t limits = reinterpret_cast<std::size_t>(map.no_limits) + map.limits;
        route = {.base = map.heap_base,
                 .limit = reinterpret_cast<const InlineLimit*>(
                     limits + index * SHMEM_INTERNAL_INLINE_LIMIT_BYTES),
                 .heap = map.heaps[index]};
    }
}

void wake(int pe) { wake_in_library(pe); }

}  // namespace tessera::trace
