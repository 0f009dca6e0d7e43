// SPDX-License-Identifier: BSD-3-Clause
//
// The two files that the PEs of one node share, and their layout. Both are memfds: no name, nothing
// left behind when the last process is gone. oshrun makes them, or the first local PE under a
// foreign launcher; every PE maps them once. Sparse: a page exists once a process has touched it.
//
//   node file                                              heap file
//   +-----------------------+ 0                            +------------------+ 0
//   | NodeHeader            |                              | range of PE 0    |
//   +-----------------------+ records_offset               +------------------+ heap_stride
//   | PeRecord x npes       |                              | range of PE 1    |
//   +-----------------------+ facts_offset                 +------------------+ 2 * heap_stride
//   | topology facts        |                              | ...              |
//   +-----------------------+ endpoints_offset             +------------------+
//   | EndpointInfo x PEs    |   of the job: how to reach
//   |                       |   other nodes, filled as
//   |                       |   it is learnt               range of a PE (MemoryRange)
//   +-----------------------+ inline_limits_offset         +------------------+ 0
//   | InlineLimit x         |   pages of their own         | symmetric heap   |
//   |         kInlineLimits |   (memory/inline_maps.hpp)     +------------------+ team_begin()
//   +-----------------------+ locations_offset()           |                  |
//   | PeLocation x PEs      |   of the job: those of       |                  |
//   |                       |   other nodes, filled as     |                  |
//   |                       |   they are asked for         |                  |
//   +-----------------------+ offload_offset()             | team memory      |
//   | OffloadBoard          |   transfers that others do   |                  |
//   | OffloadRing x npes    |   for a PE                   |                  |
//   +-----------------------+ internal_offset              |                  |
//   | internal seg. x npes  |   flags, locks, buffers      +------------------+ local_begin()
//   |                       |   of the library             | local memory     |
//   +-----------------------+ static_offset                +------------------+ bytes()
//   | static slot x npes    |   replaces the main program's .data/.bss (static_data.hpp)
//   +-----------------------+
// "PE" means the index among the PEs of this node. Everything below static_offset is mapped by all.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "base/central_sync.hpp"
#include "base/failures.hpp"
#include "base/fd.hpp"
#include "base/platform.hpp"
#include "base/wait.hpp"
#include "heap/offload_board.hpp"
#include "heap/pe_location.hpp"

namespace tessera::heap {

inline constexpr std::uint64_t kNodeMagic = 0x5445535345524139;  // "TESSERA9": layout version 9
// Address space for the flags of some 48,000 teams, lists of members, the mailboxes of 600
// teams, the streams of 256, and the nodes of 262,144 locks; only those that exist take memory.
// Behind it: slots for the epochs with each PE of the job (core/internal_segment.hpp).
inline constexpr std::size_t kInternalBytes = std::size_t{912} << 20;

// The words by which one PE tells another one, their owner, about the epochs between them on one
// window of the owner, or on none (progress/epochs.hpp). Only the first PE writes them.
struct EpochGates {
    Gate posted;     // number of exposure epochs that it has opened for the owner
    Gate completed;  // number of access epochs towards the owner that it has completed
};
// The gates of a pair of PEs for some windows of the owner, on a line of their own.
struct alignas(kCacheLineBytes) EpochSlot {
    static constexpr std::uint32_t kWindows = kCacheLineBytes / sizeof(EpochGates);
    EpochGates windows[kWindows];
};
static_assert(sizeof(EpochSlot) == kCacheLineBytes);
// Number 0 stands for no window.
inline constexpr std::uint32_t kWindowNumbers = 64;
inline constexpr std::size_t kEpochSlotsOfPair = kWindowNumbers / EpochSlot::kWindows;
// A PE's inline limit is as far behind that of the node's first PE as its number in the world is
// behind that PE's number. The last one has no owner; PEs beyond it have none.
inline constexpr std::size_t kInlineLimits = 512;
inline constexpr std::size_t kNoInlineLimit = kInlineLimits - 1;
inline std::size_t inline_limit_index(int pe, std::span<const int> local_pes) {
    return std::min(static_cast<std::size_t>(pe - local_pes.front()), kNoInlineLimit);
}
inline constexpr std::size_t kStaticSlotBytes = std::size_t{64} << 30;

// The kind of pages of the heap file; the tiers are tried from the last to the first.
enum class PageKind : std::uint32_t { kSmall = 0, kTransparentHuge = 1, kHugetlb = 2 };
const char* page_kind_name(PageKind kind);

// The parts of a PE's range of the heap file, one behind the other, at the same offsets on all PEs
// of the job; multiples of kHugePageBytes. One bounds check covers them (core/address_map.hpp), and
// each has an allocator of its own. Sparse, as all of the file.
struct MemoryRange {
    std::uint64_t heap_bytes;   // symmetric heap: every PE makes the same allocations
    std::uint64_t team_bytes;   // team memory: the members of a team agree on a block
    std::uint64_t local_bytes;  // local memory: each PE allocates for itself

    std::uint64_t team_begin() const { return heap_bytes; }
    std::uint64_t local_begin() const { return heap_bytes + team_bytes; }
    std::uint64_t bytes() const { return heap_bytes + team_bytes + local_bytes; }
};

// The places of all parts. The maker of the file writes them before the file is shared. Then they
// are constant, but for the range: the hosts may agree on a smaller one (session/connect.cpp).
struct NodeLayout {
    std::uint64_t magic;
    std::int32_t npes;  // PEs of this node
    PageKind page_kind;
    MemoryRange range;          // memory range of each PE
    std::uint64_t heap_stride;  // distance of two ranges in the heap file; range.bytes() at first
    std::uint64_t records_offset;
    std::uint64_t facts_offset;
    std::uint64_t facts_bytes;
    std::uint64_t internal_offset;
    std::uint64_t internal_bytes;  // per PE
    std::uint64_t static_offset;
    std::uint64_t static_slot_bytes;  // per PE
    std::uint32_t usable_cores;       // the job may use them; decides how PEs wait (base/wait.hpp)
    std::uint32_t npes_of_job;
    std::uint64_t endpoints_offset;
    std::uint64_t inline_limits_offset;
};
static_assert(std::is_trivially_copyable_v<NodeLayout> && sizeof(NodeLayout) == 128);

// The table of PeLocations, by number in the world, behind the pages of the inline limits.
inline std::uint64_t locations_offset(const NodeLayout& layout) {
    return layout.inline_limits_offset + kInlineLimits * sizeof(InlineLimit);
}
static_assert(kInlineLimits * sizeof(InlineLimit) % 4096 == 0, "the inline limits fill pages");
// The board and the rings of the PEs, behind that table.
inline std::uint64_t offload_offset(const NodeLayout& layout) {
    return locations_offset(layout) + layout.npes_of_job * sizeof(PeLocation);
}
static_assert(sizeof(PeLocation) % alignof(OffloadBoard) == 0);

// The start of the node file.
struct NodeHeader : NodeLayout {
    alignas(kFalseSharingBytes)
        CentralSync startup;  // the node's PEs meet during init and finalize
    alignas(kFalseSharingBytes) std::atomic<std::uint64_t> oversubscribed_until_ns;  // WaitPolicy
    std::atomic<std::uint64_t> hang_report_at_ns;     // the last report (session/hang_report.hpp)
    alignas(kFalseSharingBytes) FailureLog failures;  // PEs of the whole job; written by oshrun
};
static_assert(sizeof(NodeHeader) == 6 * kFalseSharingBytes);

// kStarting: in shmem_init, but not yet with the others (session/pe_record_lock.hpp).
enum class PeState : std::uint32_t {
    kNotStarted = 0,
    kInitialized = 1,
    kFinalized = 2,
    kStarting = 3
};

// The facts about a PE for the others of its node, and for oshrun. Written by its PE before the
// startup sync (except state and waiting_in), read by the others after it.
struct alignas(kFalseSharingBytes) PeRecord {
    std::atomic<PeState> state;  // written by the PE, read by oshrun when the PE has ended
    std::int32_t pid;
    std::uint64_t static_base;  // address of the static range in that PE
    std::uint64_t static_bytes;
    std::uint64_t static_file_offset;  // in the node file, or in the PE's own memfd
    std::uint32_t static_is_shared;    // 0: reach it with process_vm_readv/writev
    std::uint32_t static_in_node_file;
    std::uint64_t program_digest;   // equal for PEs that run the same executable
    std::uint64_t settings_digest;  // the settings that must agree; compared by every PE
    char waiting_in[48];            // routine that a slow wait is in, "" when none; for oshrun
    std::uint32_t inits;            // how often this place has initialized, for oshrun
    std::int32_t thread_level;      // written before the sync that ends init
    // The program goes on when other PEs die (session/failures.hpp); read by oshrun.
    std::atomic<std::uint32_t> survives_failures;
    // Bit i: the address of this number was not free for the PE's heap (session/node_heaps.cpp).
    // Written before the sync that lets the others read it.
    std::uint32_t heap_obstructions;
};
static_assert(sizeof(PeRecord) == kFalseSharingBytes);
static_assert(std::atomic<PeState>::is_always_lock_free);

struct NodeFiles {
    Fd node;
    Fd heap;
};

struct NodePlan {
    int npes = 1;  // PEs of this node
    int npes_of_job = 1;
    // Per PE; rounded up to kHugePageBytes.
    std::size_t heap_bytes = 0;
    std::size_t team_memory_bytes = 0;   // 0: heap_bytes
    std::size_t local_memory_bytes = 0;  // 0: heap_bytes
    bool try_huge_pages = true;
    std::size_t facts_bytes = 0;
    std::uint32_t usable_cores = 1;
    HelperPlan helpers{};
};

// Makes both files and writes the header. On failure both descriptors are empty and `error` says
// why, with the remedy. COST: microseconds, whatever the heap size.
NodeFiles create_node_files(const NodePlan& plan, std::string& error);

// The rule for the default heap: half of the memory that the job may use, divided by the PEs of the
// node, at most 64 GiB each, at least 2 MiB. Sparse: costs nothing until touched, and all heaps
// together can never exceed the memory.
std::size_t default_heap_bytes(std::uint64_t memory_bytes, int npes_local);

// Lays out a PE's range. A size of 0 means `heap_bytes`.
MemoryRange memory_range(std::size_t heap_bytes, std::size_t team_memory_bytes,
                         std::size_t local_memory_bytes);

// The alignment of a PE's own heap: the largest one that a program can ask for in it. Team memory
// and local memory begin at multiples of kHugePageBytes.
constexpr std::size_t heap_alignment(std::size_t heap_bytes) { return std::bit_floor(heap_bytes); }

// "" if `heap_bytes` for each of `npes_local` PEs fits into `memory_bytes`; otherwise the
// complaint, with the name of the variable that asks for them.
std::string heap_size_complaint(std::size_t heap_bytes, std::uint64_t memory_bytes, int npes_local,
                                const char* variable = "SHMEM_SYMMETRIC_SIZE");

// The sizes in `plan`, as the settings have them (0: the default), become those of the files.
// RETURNS: "", or the complaint about one of them.
std::string choose_sizes(NodePlan& plan, std::uint64_t memory_bytes, int npes_of_host);

}  // namespace tessera::heap
