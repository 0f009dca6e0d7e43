// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: from a symmetric address of this PE to the same object of another PE. The bounds check
// that finds the segment is also the check of the program's arguments, so it is always on.
// Filled once by session/runtime.cpp during init, only read afterwards. npes is 0 before init and
// after finalize, so that one compare rejects a bad PE number and a call at the wrong time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/platform.hpp"
#include "base/section_copy.hpp"

namespace tessera {

namespace noncoherent {
class NoncoherentTransport;
}
class Transport;
class FabricTransport;
class Offload;
class Sleeper;

// For operations of at most this size only the first byte must be checked: an operation that begins
// below the inline limit of a segment ends in the segment.
inline constexpr std::size_t kShortBytesMax = 64;
constexpr std::size_t inline_limit_of(std::size_t segment_bytes) {
    return segment_bytes >= kShortBytesMax ? segment_bytes - (kShortBytesMax - 1) : 0;
}

// "Heap" in the names below is the whole range of a PE: symmetric heap, team memory, local memory
// (heap/node_file.hpp), which one bounds check covers.

// The way from this PE to another one (or to itself). Chosen at init, never searched. All null: a
// PE of another node, which the fabric reaches; so the table takes no memory for such PEs.
struct Peer {
    std::size_t heap_inline_limit = 0;  // inline_limit_of() its range, 0: no loads and stores
    char* heap = nullptr;               // its range in our address space, nullptr: not mapped
    char* statics = nullptr;            // its static data in our address space, nullptr: not mapped
    Sleeper* sleeper = nullptr;         // to be woken after an atomic on mapped memory
};
static_assert(sizeof(Peer) == 32, "the index of the table is one shift");

struct alignas(kCacheLineBytes) AddressMap {
    std::uint32_t npes = 0;
    // As npes; 0 where operations on mapped memory take their slow paths, which serve other nodes.
    std::uint32_t direct_npes = 0;
    std::uintptr_t heap_base = 0;         // this PE's heap
    const Peer* peers = nullptr;          // by world PE
    std::uintptr_t static_base = 0;       // this PE's static data
    std::size_t static_inline_limit = 0;  // inline_limit_of() static_bytes
    std::size_t heap_bytes = 0;           // once npes > 0: at least a huge page
    std::size_t static_bytes = 0;
    // By world PE, for memory that is not mapped and that the fabric does not reach: of PEs of this
    // node, or copies of all; nullptr: there is none.
    Transport* const* transports = nullptr;
    // Some symmetric memory of some PE is not mapped.
    bool needs_transport = false;
    // Operations may be under way when their calls have returned: always where a transport is
    // needed, else from the first copy that others take until all are complete
    // (progress/offload.hpp). Relaxed: a thread that completes an operation knows that it was
    // issued.
    std::atomic<bool> expects_completion{false};
    // SHMEM_PROGRESS=none, and there are other nodes: routines that a program may repeat until
    // another PE has done something serve these nodes (serve_other_nodes()).
    bool serves_in_calls = false;
    std::int32_t my_pe = -1;
    // Reaches other nodes; nullptr: there are none.
    FabricTransport* fabric = nullptr;
    // Keeps the symmetric memory of all PEs coherent by software, and is their entry in
    // `transports`; nullptr: the hardware does (session/coherence.hpp).
    noncoherent::NoncoherentTransport* coherence = nullptr;
    // By this the PE leaves transfers to others (progress/offload.hpp), nonblocking ones from the
    // size on; nullptr: it does all itself.
    Offload* offload = nullptr;
    std::size_t helper_bytes_min = SIZE_MAX;
    // Offsets in the range. Operations do not look at them.
    std::size_t team_begin = 0;
    std::size_t local_begin = 0;

    // The first choice, without a call, of operations of up to kShortBytesMax bytes: `pe`'s copy of
    // heap memory or static data, or nullptr: the PE number is bad, the memory is neither or not
    // mapped, the operation begins in the last bytes of a segment, or this PE serves other nodes in
    // its calls. The caller's slow path distinguishes these cases. COST: heap: two compares, four
    // loads, an addition; static data: two compares, three loads more.
    TESSERA_INLINE char* mapped(const void* address, int pe) const {
        const auto index = static_cast<std::uint32_t>(pe);
        if (index >= direct_npes) [[unlikely]]
            return nullptr;
        const Peer& peer = peers[index];
        const std::uintptr_t offset = offset_of(address);
        if (offset < peer.heap_inline_limit) [[likely]]
            return known_address(peer.heap + offset);
        return mapped_statics(address, peer);
    }
    // The same of any number of bytes of heap memory.
    TESSERA_INLINE char* mapped_heap(const void* address, std::size_t bytes, int pe) const {
        if (static_cast<std::uint32_t>(pe) >= direct_npes) [[unlikely]]
            return nullptr;
        return known_heap(address, bytes, pe);
    }
    // The same for collectives, which wait and so serve other nodes anyway: nullptr says that this
    // PE cannot load the memory. REQUIRES: a PE number in the world.
    TESSERA_INLINE char* known_heap(const void* address, std::size_t bytes, int pe) const {
        const Peer& peer = peers[static_cast<std::uint32_t>(pe)];
        const std::uintptr_t offset = offset_of(address);
        const bool is_mapped = offset < peer.heap_inline_limit && bytes <= heap_bytes - offset;
        return is_mapped ? peer.heap + offset : nullptr;
    }

    // Whether fence and quiet have something to wait for. COST: a load.
    TESSERA_INLINE bool needs_completion() const {
        return expects_completion.load(std::memory_order_relaxed);
    }
    // The general form: heap, static data, external heap or the name of registered memory. nullptr
    // when only a transport reaches it. A bad PE number and an address that is not symmetric end
    // the job. For a get, constants of the program are symmetric, too: the answer is this PE's own.
    char* remote(const void* address, std::size_t bytes, int pe, const char* where,
                 Direction direction = Direction::kPut) const;

    // Whether the bytes are symmetric on this PE, and it can load them; not so of names.
    bool contains(const void* address, std::size_t bytes) const {
        return in_heap(address, bytes) || in_statics(address, bytes) ||
               in_external_heap(address, bytes);
    }
    bool in_heap(const void* address, std::size_t bytes) const {
        std::uintptr_t offset = offset_of(address);
        return bytes <= heap_bytes && offset <= heap_bytes - bytes;
    }
    // The part of the range that holds the address, and the address behind it; a null name: none.
    struct Part {
        const char* name;
        std::uintptr_t end;
    };
    Part part_of(const void* address) const;
    bool in_statics(const void* address, std::size_t bytes) const {
        std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - static_base;
        return bytes <= static_bytes && offset <= static_bytes - bytes;
    }
    // Whether an external heap in memory of the host has the bytes (memory/external_heap.hpp).
    bool in_external_heap(const void* address, std::size_t bytes) const;
    // Whether this PE itself reaches these bytes of its own through a transport ("one word, one
    // path"). REQUIRES: contains().
    bool is_own_by_transport(const void* address, std::size_t bytes) const {
        if (in_statics(address, bytes)) return peers[my_pe].statics == nullptr;
        return in_heap(address, bytes) && peers[my_pe].heap_inline_limit == 0;
    }
    // Whether `pe` has this program's static data, as far as this node knows: other nodes' programs
    // are known to the fabric. REQUIRES: a number in the world.
    bool reaches_statics(int pe) const;
    // A PE of another program (MPMD) has a symmetric heap, but not this program's static data.
    bool runs_my_program(int pe) const;
    // Where the segment that holds the bytes begins. REQUIRES: contains().
    std::uintptr_t segment_base(const void* address, std::size_t bytes) const;

  private:
    TESSERA_INLINE std::uintptr_t offset_of(const void* address) const {
        return reinterpret_cast<std::uintptr_t>(address) - heap_base;
    }
    TESSERA_INLINE char* mapped_statics(const void* address, const Peer& peer) const {
        const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - static_base;
        if (offset >= static_inline_limit || peer.statics == nullptr) return nullptr;
        return known_address(peer.statics + offset);
    }
    // Tells compilers that the sum is not nullptr, so that they do not test it.
    TESSERA_INLINE static char* known_address(char* address) {
        if (address == nullptr) __builtin_unreachable();
        return address;
    }
};

// The map, and the table of peers of small jobs, at the end of a page of their own. Programs put
// most often to the beginnings of pages, and a processor that compares only the place in the page
// takes a load for dependent on an earlier store (4 KiB aliasing): a put of 512 bytes to the start
// of a page took three times as long while the map lay 64 bytes behind the start of another one.
inline constexpr std::size_t kAliasingBytes = 4096;
struct alignas(kAliasingBytes) AddressPage {
    static constexpr std::size_t kPeers = (kAliasingBytes - sizeof(AddressMap)) / sizeof(Peer);
    Peer peers[kPeers];  // the last ones are used
    AddressMap map;
};
static_assert(sizeof(AddressPage) == kAliasingBytes);

extern constinit AddressPage address_page;
inline constexpr AddressMap& address_map = address_page.map;

// Called by each routine that a program may repeat until another PE has done something, where that
// drives no progress otherwise (the table in docs/run/progress.md). COST: a load and a branch;
// where no thread serves other nodes, a look at the network in each kCallsPerLook of its calls.
TESSERA_COLD void look_at_other_nodes();
TESSERA_INLINE void serve_other_nodes() {
    if (address_map.serves_in_calls) [[unlikely]]
        look_at_other_nodes();
}

// Messages for a program's mistakes. `where` is the public routine.
[[noreturn]] TESSERA_COLD void fail_pe(int pe, const char* where);
[[noreturn]] TESSERA_COLD void fail_address(const void* address, std::size_t bytes,
                                            const char* where);
[[noreturn]] TESSERA_COLD void fail_alignment(const void* address, std::size_t bytes,
                                              const char* where);
[[noreturn]] TESSERA_COLD void fail_not_initialized(const char* where);

TESSERA_INLINE void check_pe(int pe, const char* where) {
    if (static_cast<std::uint32_t>(pe) >= address_map.npes) [[unlikely]]
        fail_pe(pe, where);
}

inline void check_symmetric(const void* address, std::size_t bytes, const char* where) {
    if (!address_map.contains(address, bytes)) fail_address(address, bytes, where);
}

// For routines without a PE argument.
TESSERA_INLINE void check_initialized(const char* where) {
    if (address_map.npes == 0) [[unlikely]]
        fail_not_initialized(where);
}

}  // namespace tessera
