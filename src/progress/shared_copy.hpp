// SPDX-License-Identifier: BSD-3-Clause
//
// Long puts and gets on one node, done by two processors. One core moves half of what two can
// (docs/measurements/on-node.md), and often the other PE only waits, in a barrier for instance. So
// a PE that puts or gets at least kSharedCopyBytesMin between two symmetric heaps offers the other
// PE the pieces of the copy (shared_copy_offer.hpp). If that PE is in a slow wait, it takes some
// (base/wait_environment.hpp, help), and it is woken for that. The offering PE takes pieces, too,
// and waits only for a helper in the middle of a piece.
#pragma once

namespace tessera {

// Shares this PE's long copies with other PEs, until stop. Called by init, when the address map is
// filled. THREADS: one.
void start_sharing_copies();
// WaitEnvironment::help: copies a piece that is offered to this PE. RETURNS: whether there was one.
bool help_with_copies();
// Called by finalize. REQUIRES: no routine of this PE is running.
void stop_sharing_copies();

}  // namespace tessera
