// SPDX-License-Identifier: BSD-3-Clause
//
// Software coherence: every PE works on a private copy of its symmetric memory, and PEs reach each
// other's through public copies in shared memory that the hardware need not keep coherent
// (transports/noncoherent, docs/noncoherent.md). For PEs of one node, whose internal segments stay
// coherent.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/sleeper.hpp"
#include "transports/fabric_transport.hpp"

namespace tessera::noncoherent {

// The points at which private and public copies may have to meet; the table of the duties there is
// transports/noncoherent/duties.hpp.
enum class SyncPoint : std::uint8_t {
    kQuiet,
    kFence,
    kSyncBegin,
    kSyncEnd,
    kTellMember,
    kHearMember,
    kWaitEnd,
    kLockTaken,
    kEpochPost,
    kEpochEnd,
    kAtomicBegin,
    kAtomicEnd,
    kOwnGet,
    kCount
};

// How the library loads and stores public copies.
enum class Access : std::uint8_t {
    kCoherent,   // the hardware keeps them coherent (the emulation)
    kPastCache,  // loads drop the lines first, stores go past the caches
};

// The part of a segment from `begin` to end() may hold data; the rest is never looked at.
struct UsedPart {
    std::size_t begin = 0;
    std::function<std::size_t()> end;  // only grows
};

// The copies of a segment: symmetric heap or static data.
struct SegmentSetup {
    char* own = nullptr;  // the private copy; 8 divides its address
    std::size_t bytes = 0;
    int pe = 0;                  // of this process
    std::vector<char*> publics;  // by PE; nullptr: it has no such segment
    std::vector<UsedPart> parts;
    Access access = Access::kCoherent;
};

// The words of another PE that this transport needs, in coherent memory.
struct Neighbour {
    Sleeper* sleeper = nullptr;
    std::atomic<std::uint32_t>* lock = nullptr;  // of atomics on its memory
    char* internal = nullptr;                    // its internal segment
    bool runs_my_program = false;
};

struct Setup {
    int pe = 0;
    std::vector<Neighbour> neighbours;  // by PE, this one as well
    SegmentSetup heap;
    SegmentSetup statics;
    std::uint64_t seed = 0;  // of evictions; 0: none
};

// A fabric because fence, quiet and what is not mapped go to one already (core/context.hpp); PEs
// that map everything have none, and pay nothing for this one.
class NoncoherentTransport : public FabricTransport {
  public:
    // The routines of the library come here at their sync points.
    virtual void perform(SyncPoint point) = 0;

    // ---- For programs that load and store themselves (shmemx/coherence.h) ----

    // nullptr: `pe` has no copy of it, or no PE has.
    virtual char* public_address(const void* address, int pe) = 0;
    // Of an own private copy, or of any PE's public one; elsewhere they only order. `where`: the
    // routine, for messages.
    virtual void write_back(const void* start, std::size_t bytes, const char* where) = 0;
    virtual void invalidate(const void* start, std::size_t bytes, const char* where) = 0;
};

// nullptr: out of memory. The program's static data becomes public.
std::unique_ptr<NoncoherentTransport> make_transport(Setup setup);

}  // namespace tessera::noncoherent
