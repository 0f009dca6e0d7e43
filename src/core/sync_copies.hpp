// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: the duties of this PE at a sync point where software keeps its memory coherent
// (transports/noncoherent/duties.hpp has the table).
#pragma once

#include <cstddef>

#include "core/address_map.hpp"
#include "transports/noncoherent_transport.hpp"

namespace tessera {

using noncoherent::SyncPoint;

// Whether the hardware keeps the memory of PEs coherent.
inline bool memory_is_coherent() { return address_map.coherence == nullptr; }

// COST where the hardware keeps memory coherent: a load and a branch.
TESSERA_INLINE void sync_copies(SyncPoint point) {
    if (address_map.coherence != nullptr) [[unlikely]]
        address_map.coherence->perform(point);
}

// The same for these bytes of this PE's symmetric memory alone.
inline void sync_copies(SyncPoint point, const void* start, std::size_t bytes) {
    if (address_map.coherence != nullptr) address_map.coherence->perform(point, start, bytes);
}

}  // namespace tessera
