// SPDX-License-Identifier: BSD-3-Clause
//
// Copies the pieces that a PE or a helper has claimed (heap/helper_ring.hpp).
#pragma once

#include "heap/helper_ring.hpp"

namespace tessera::heap {

// The files of the node as this process maps them.
struct NodeMaps {
    char* node = nullptr;
    char* heaps = nullptr;
};

// By the PE that has posted it: its addresses are its own.
void copy_own_piece(HelperRing& ring, const HelperRing::Piece& piece, const NodeMaps& maps);
// By another process, through the kernel where memory is private. A PE that is gone needs nothing.
// RETURNS: 0, or the errno of the kernel's refusal; then the piece is not finished.
int copy_piece_of_other(HelperRing& ring, const HelperRing::Piece& piece, const NodeMaps& maps);
// Whether this process can read the proof.
bool can_read(const HelperRing::Proof& proof);

}  // namespace tessera::heap
