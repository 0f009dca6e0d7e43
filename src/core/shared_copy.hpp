// SPDX-License-Identifier: BSD-3-Clause
//
// Long puts and gets on one node, done by two processors. One core moves half of what two can
// (docs/measurements/on-node.md), and often the other PE only waits, in a barrier for instance. So
// a PE that puts or gets at least kSharedCopyBytesMin between two symmetric heaps offers the other
// PE the pieces of the copy. If that PE is in a slow wait, it takes some
// (base/wait_environment.hpp, help), and it is woken for that. The offering PE takes pieces, too,
// and waits only for a helper in the middle of a piece.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/platform.hpp"

namespace tessera {

// In the internal segment of the PE that may help; zero at first. One copy at a time: a PE that
// finds it taken copies alone.
struct SharedCopyOffer {
    // 1: some PE uses the offer. Acquire and release: the members below belong to one PE at a time.
    alignas(kFalseSharingBytes) std::atomic<std::uint32_t> is_taken;
    std::atomic<std::uint32_t> pieces_helped;  // release: the piece is copied
    // From which PE's heap into which, offsets and bytes. Release and acquire: a helper that has
    // read a later copy's numbers cannot claim a piece of an earlier one.
    std::atomic<std::uint32_t> source_pe;
    std::atomic<std::uint32_t> dest_pe;
    std::atomic<std::uint64_t> source_offset;
    std::atomic<std::uint64_t> dest_offset;
    std::atomic<std::uint64_t> bytes;  // 0: nothing is offered
    // The word on which the helper sleeps: WaitEnvironment::sleep_note, relative to the segment.
    alignas(kFalseSharingBytes) std::atomic<std::int64_t> sleeping_on;
    // Number of the copy << 32 | next piece. The PE that raises it owns that piece.
    alignas(kFalseSharingBytes) std::atomic<std::uint64_t> next;
};

// Shares this PE's long copies with other PEs, until stop. Called by init, when the address map is
// filled. THREADS: one.
void start_sharing_copies();
// WaitEnvironment::help: copies a piece that is offered to this PE. RETURNS: whether there was one.
bool help_with_copies();
// Called by finalize. REQUIRES: no routine of this PE is running.
void stop_sharing_copies();

}  // namespace tessera
