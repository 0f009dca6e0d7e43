// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: the duties of this PE at a sync point where software keeps its memory coherent
// (transports/noncoherent/duties.hpp has the table).
#pragma once

#include "core/address_map.hpp"
#include "transports/noncoherent_transport.hpp"

namespace tessera {

struct Team;

using noncoherent::SyncPoint;

// COST where the hardware keeps memory coherent: a load and a branch.
TESSERA_INLINE void perform_duty(SyncPoint point) {
    if (address_map.coherence != nullptr) [[unlikely]]
        address_map.coherence->perform(point);
}

// For a new team: where software keeps memory coherent, the duties come around its sync.
void add_duties_to_sync(Team& team);

// WaitEnvironment::progress where software keeps memory coherent.
void drive_coherence();

}  // namespace tessera
