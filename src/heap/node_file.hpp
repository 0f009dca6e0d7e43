// SPDX-License-Identifier: BSD-3-Clause
//
// The two files that the PEs of one node share, and their layout. Both are memfds: no name, nothing
// left behind when the last process is gone. oshrun makes them, or the first local PE under a
// foreign launcher; every PE maps them once. Sparse: a page exists once a process has touched it.
//
//   node file                                              heap file
//   +-----------------------+ 0                            +------------------+ 0
//   | NodeHeader            |                              | heap of PE 0     |
//   +-----------------------+ records_offset               +------------------+ heap_stride
//   | PeRecord x npes       |                              | heap of PE 1     |
//   +-----------------------+ facts_offset                 +------------------+ 2 * heap_stride
//   | topology facts        |                              | ...              |
//   +-----------------------+ endpoints_offset             +------------------+
//   | EndpointInfo x PEs    |   of the job: how to reach other nodes, filled as it is learnt
//   +-----------------------+ inline_limits_offset
//   | InlineLimit x kInlineLimits         |   pages of their own (core/inline_maps.hpp)
//   +-----------------------+ internal_offset
//   | internal seg. x npes  |   flags, locks, buffers of the library
//   +-----------------------+ static_offset
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
#include "base/fd.hpp"
#include "base/platform.hpp"
#include "base/wait.hpp"

namespace tessera::heap {

inline constexpr std::uint64_t kNodeMagic = 0x5445535345524133;  // "TESSERA3": layout version 3
// Address space for the flags of some 58,000 teams, and the mailboxes of 600 (of 90,
// SHMEM_COLLECTIVE_BUFFER=64K); only those that exist take memory.
inline constexpr std::size_t kInternalBytes = std::size_t{512} << 20;
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

// Where everything lies; written before the file is shared, then constant.
struct NodeLayout {
    std::uint64_t magic;
    std::int32_t npes;  // PEs of this node
    PageKind page_kind;
    std::uint64_t heap_bytes;   // per PE, multiple of kHugePageBytes
    std::uint64_t heap_stride;  // distance of two heaps in the heap file
    std::uint64_t records_offset;
    std::uint64_t facts_offset;
    std::uint64_t facts_bytes;
    std::uint64_t internal_offset;
    std::uint64_t internal_bytes;  // per PE
    std::uint64_t static_offset;
    std::uint64_t static_slot_bytes;  // per PE
    std::uint32_t usable_cores;       // what the job may use; decides how PEs wait (base/wait.hpp)
    std::uint32_t npes_of_job;
    std::uint64_t endpoints_offset;
    std::uint64_t inline_limits_offset;
};
static_assert(std::is_trivially_copyable_v<NodeLayout> && sizeof(NodeLayout) == 112);

// The start of the node file.
struct NodeHeader : NodeLayout {
    alignas(kFalseSharingBytes)
        CentralSync startup;  // the node's PEs meet during init and finalize
    alignas(kFalseSharingBytes) std::atomic<std::uint64_t> oversubscribed_until_ns;  // WaitPolicy
};
static_assert(sizeof(NodeHeader) == 4 * kFalseSharingBytes);

// kStarting: in shmem_init, but not yet with the others (core/pe_record_lock.hpp).
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
    std::uint64_t program_digest;   // of the executable: equal for PEs that run the same one
    std::uint64_t settings_digest;  // of the settings that must agree; compared by every PE
    char waiting_in[48];            // routine that a slow wait is in, "" when none; for oshrun
    std::uint32_t inits;            // how often this place has initialized, for oshrun
    std::int32_t thread_level;      // written before the sync that ends init
};
static_assert(sizeof(PeRecord) == kFalseSharingBytes);
static_assert(std::atomic<PeState>::is_always_lock_free);

struct NodeFiles {
    Fd node;
    Fd heap;
};

struct NodePlan {
    int npes = 1;  // of this node
    int npes_of_job = 1;
    std::size_t heap_bytes = 0;  // per PE; rounded up to kHugePageBytes
    bool try_huge_pages = true;
    std::size_t facts_bytes = 0;
    std::uint32_t usable_cores = 1;
};

// Makes both files and writes the header. On failure both descriptors are empty and `error` says
// why, with the remedy. COST: microseconds, whatever the heap size.
NodeFiles create_node_files(const NodePlan& plan, std::string& error);

// The rule for the default heap: half of the memory that the job may use, divided by the PEs of the
// node, at most 64 GiB each, at least 2 MiB. Sparse: costs nothing until touched, and all heaps
// together can never exceed the memory.
std::size_t default_heap_bytes(std::uint64_t memory_bytes, int npes_local);

// The alignment of a PE's own heap: the largest one that a program can ask for in it.
constexpr std::size_t heap_alignment(std::size_t heap_bytes) { return std::bit_floor(heap_bytes); }

// "" if `heap_bytes` for each of `npes_local` PEs fits into `memory_bytes`; otherwise the
// complaint.
std::string heap_size_complaint(std::size_t heap_bytes, std::uint64_t memory_bytes, int npes_local);

}  // namespace tessera::heap
