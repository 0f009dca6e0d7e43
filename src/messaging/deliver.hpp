// SPDX-License-Identifier: BSD-3-Clause
//
// Before a sync: what a context has put to others is visible there, and what it gets is here.
#pragma once

#include "core/context.hpp"

namespace tessera {

// COST: a load where all memory is mapped: the sync's own release and acquire complete what quiet
// would.
TESSERA_INLINE void deliver(const Context& context) {
    if (address_map.needs_transport) [[unlikely]]
        context.quiet();
}

}  // namespace tessera
