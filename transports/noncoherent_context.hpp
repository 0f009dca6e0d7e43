// SPDX-License-Identifier: BSD-3-Clause
//
// A context whose fence and quiet do not concern the program's own stores (SHMEM_CTX_NOSTORE), as
// software coherence tells it from others: it publishes nothing there. Operations on non-coherent
// memory are complete when they return, so its contexts have no other state.
#pragma once

#include "transports/transport.hpp"

namespace tessera::noncoherent {

class ContextWithoutStores final : public TransportContext {};

inline bool orders_stores(const TransportContext& context) {
    return dynamic_cast<const ContextWithoutStores*>(&context) == nullptr;
}

}  // namespace tessera::noncoherent
