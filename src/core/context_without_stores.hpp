// SPDX-License-Identifier: BSD-3-Clause
//
// Where software keeps memory coherent, fence and quiet publish the program's stores. Contexts with
// SHMEM_CTX_NOSTORE share this TransportContext, by which fence and quiet (core/context.cpp) know
// that there is nothing to do: operations on such memory are complete when they return.
#pragma once

#include "transports/transport.hpp"

namespace tessera {

// THREADS: any; it has no state.
TransportContext& context_without_stores();

}  // namespace tessera
