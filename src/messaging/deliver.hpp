// SPDX-License-Identifier: BSD-3-Clause
//
// To be called before a sync: a context's puts are visible at their targets, and its gets are
// complete.
#pragma once

#include "core/context.hpp"

namespace tessera {

// COST: a load where all memory is mapped: the sync's own release and acquire then have the effect
// of quiet.
TESSERA_INLINE void deliver(const Context& context) {
    if (address_map.needs_completion()) [[unlikely]]
        context.quiet();
}

}  // namespace tessera
