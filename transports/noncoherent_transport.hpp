// SPDX-License-Identifier: BSD-3-Clause
//
// Software coherence: every PE works on a private copy of its symmetric memory, and PEs reach each
// other's through public copies in shared memory that the hardware need not keep coherent
// (transports/noncoherent, docs/runtimes/noncoherent.md). The copies may be shared by several
// nodes; only the PEs of one have coherent memory in common.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/platform.hpp"
#include "base/sleeper.hpp"
#include "transports/transport.hpp"

namespace tessera::noncoherent {

// The points at which private and public copies may have to meet; the table of the duties there is
// transports/noncoherent/duties.hpp.
enum class SyncPoint : std::uint8_t {
    kQuiet,
    kFence,
    kNoStore,
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
    kNoCache,    // the mapping has no caches: uncached or write-combining
};

// The part of a segment from `begin` to end() may hold data; the rest is never looked at.
struct UsedPart {
    std::size_t begin = 0;
    std::function<std::size_t()> end;  // only grows
};

// The bytes of the marks of a segment, by which other PEs of the node tell its owner which pages
// they changed, and of a table of stamps, by which one PE of another node does.
std::size_t page_marks_bytes(std::size_t segment_bytes);
std::size_t page_stamps_bytes(std::size_t segment_bytes);

// In the memory that the nodes share, zeros at first. nullptr: the other PE is on this node.
struct StampTables {
    char* there = nullptr;  // in the other PE's part: this PE stamps what it changes there
    char* here = nullptr;   // in this PE's part: the other one does
};

// The copies of a segment: symmetric heap or static data.
struct SegmentSetup {
    char* own = nullptr;  // the private copy; 8 divides its address
    std::size_t bytes = 0;
    int pe = 0;                  // this process
    std::vector<char*> publics;  // by PE; nullptr: it has no such segment
    std::vector<UsedPart> parts;
    // By PE, page_marks_bytes() of coherent memory that the PEs of the node map, zeros at first;
    // nullptr: it is on another node, and `stamps` tells. Empty: the owner compares all memory.
    std::vector<char*> marks;
    std::vector<StampTables> stamps;  // by PE; empty: there is one node
    Access access = Access::kCoherent;
};

// A line of a BakeryLock (transports/noncoherent/bakery_lock.hpp), which one node writes.
struct alignas(kCacheLineBytes) BakeryLine {
    std::uint64_t is_choosing;
    std::uint64_t ticket;  // 0: the node neither has the lock nor waits for it
};
static_assert(sizeof(BakeryLine) == kCacheLineBytes);

// A PE that this transport reaches, beside its public copies.
struct Neighbour {
    Sleeper* sleeper = nullptr;  // nullptr: a PE of another node, which polls
    // By these, PEs exclude each other in atomics on this PE's memory: first those of this node, by
    // a word of coherent memory, then the nodes, by a line for each; nullptr: there is one node.
    std::atomic<std::uint32_t>* lock = nullptr;
    BakeryLine* lines = nullptr;
};

struct Setup {
    int pe = 0;
    int node = 0;  // this PE's node
    int nodes = 1;
    std::vector<Neighbour> neighbours;  // by PE, this one as well
    SegmentSetup heap;
    SegmentSetup statics;
    std::uint64_t seed = 0;  // seed of evictions; 0: none
    // Called at barriers and while this PE waits. nullptr: no other job can take the memory.
    std::function<void(const char* where)> show_life;
};

// Reaches the symmetric memory of all PEs. The library's own flags and buffers lie elsewhere: they
// are mapped on the node, and a fabric reaches those of other nodes.
class NoncoherentTransport : public Transport {
  public:
    // The routines of the library come here at their sync points.
    virtual void perform(SyncPoint point) = 0;
    // The same for these bytes of this PE's memory alone. Memory that has no copies: only orders.
    virtual void perform(SyncPoint point, const void* start, std::size_t bytes) = 0;
    // Whether PE `pe` has the static data of this PE's program.
    virtual bool has_statics_of(int pe) const = 0;
    // One line for SHMEM_INFO.
    virtual std::string description() const = 0;

    // ---- For programs that load and store themselves (shmemx/coherence.h) ----

    // nullptr: `pe` has no copy of it, or no PE has.
    virtual char* public_address(const void* address, int pe) = 0;
    // Both act on an own private copy or on any PE's public one; elsewhere they only order.
    // `where`: the routine, for messages.
    virtual void write_back(const void* start, std::size_t bytes, const char* where) = 0;
    virtual void invalidate(const void* start, std::size_t bytes, const char* where) = 0;
};

// nullptr: out of memory. The program's static data becomes public.
std::unique_ptr<NoncoherentTransport> make_transport(Setup setup);

}  // namespace tessera::noncoherent
