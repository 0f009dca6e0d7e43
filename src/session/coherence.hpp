// SPDX-License-Identifier: BSD-3-Clause
//
// The part of a session that exists where software keeps the PEs' memory coherent.
#pragma once

namespace tessera {

// WaitEnvironment::progress where software keeps memory coherent.
void drive_coherence();

}  // namespace tessera
