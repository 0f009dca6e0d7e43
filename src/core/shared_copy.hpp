// SPDX-License-Identifier: BSD-3-Clause
//
// Long puts and gets on one node, done by two processors. One core moves half of what two can
// (docs/performance.md), and often the other PE only waits, in a barrier for instance. So who puts
// or gets at least kSharedCopyBytesMin between two symmetric heaps offers the other PE the pieces
// of the copy; if that PE is in a slow wait, it takes some (base/wait_environment.hpp, help), and
// it is woken for that. Who offers takes pieces, too, and waits for nobody but for a helper in the
// middle of a piece.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/platform.hpp"

namespace tessera {

// In the internal segment of the PE that may help; zero at first. One copy at a time: who finds it
// taken copies alone.
struct SharedCopyOffer {
    // 1: some PE uses this. Acquire and release: what follows belongs to one PE at a time.
    alignas(kFalseSharingBytes) std::atomic<std::uint32_t> is_taken;
    std::atomic<std::uint32_t> pieces_helped;  // release: the piece is copied
    // From which PE's heap into which, offsets and bytes. Release and acquire: a helper that has
    // read a later copy's numbers cannot claim a piece of an earlier one.
    std::atomic<std::uint32_t> source_pe;
    std::atomic<std::uint32_t> dest_pe;
    std::atomic<std::uint64_t> source_offset;
    std::atomic<std::uint64_t> dest_offset;
    std::atomic<std::uint64_t> bytes;  // 0: nothing is offered
    // The helper's own note of where it sleeps: WaitEnvironment::sleep_note, from the segment on.
    alignas(kFalseSharingBytes) std::atomic<std::int64_t> sleeping_on;
    // Number of the copy << 32 | next piece. Whoever raises it owns that piece.
    alignas(kFalseSharingBytes) std::atomic<std::uint64_t> next;
};

// Shares this PE's long copies with other PEs, until stop. Called by init, when the address map is
// filled. THREADS: one.
void start_sharing_copies();
// WaitEnvironment::help: copies a piece of what is offered to this PE. RETURNS: whether there was
// one.
bool help_with_copies();
// Called by finalize. REQUIRES: no routine of this PE is running.
void stop_sharing_copies();

}  // namespace tessera
