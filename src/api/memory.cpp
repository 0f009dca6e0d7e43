// SPDX-License-Identifier: BSD-3-Clause
//
// Memory management (OpenSHMEM 1.6, 9.3). All calls are collective over the world team. Every PE
// runs the same allocator on its own bookkeeping, so an allocation needs no communication but the
// barrier that the specification demands; SHMEM_DEBUG compares the results of all PEs.
#include "shmem/memory.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include "api/allocation.hpp"
#include "api/entry.hpp"
#include "base/bits.hpp"
#include "base/fatal.hpp"
#include "collectives/barrier/barrier.hpp"
#include "core/context.hpp"
#include "core/internal_segment.hpp"
#include "core/pe_state.hpp"
#include "heap/allocator.hpp"
#include "memory/core_files.hpp"
#include "memory/external_heap.hpp"
#include "settings/config.hpp"
#include "shmem/deprecated.h"
#include "shmemx.h"

namespace tessera::api {
namespace {

using heap::Sharing;

void barrier(const char* where) { collectives::barrier(world_team, where); }

// A PE whose last collective allocation has another digest, or -1.
int pe_with_other_allocation(std::uint64_t digest) {
    for (int pe = 0; pe < pe_state.npes; ++pe) {
        std::uint64_t other = 0;
        if (is_on_this_node(pe)) {
            other = segment_of(pe_state.peers[pe].sleeper).allocation_digest;
        } else {
            pe_state.fabric->get(collective_context.transport_context(), &other,
                                 &pe_state.internal->allocation_digest, sizeof other, pe);
        }
        if (other != digest) return pe;
    }
    return -1;
}

// SHMEM_DEBUG: all PEs must have made the same call and received the same offset.
void compare_with_all(std::size_t bytes, std::size_t offset, const char* where) {
    if (!config().debug) return;
    std::uint64_t digest = mix_bits(mix_bits(bytes) ^ offset);
    pe_state.internal->allocation_digest = digest;
    barrier(where);
    int other = pe_with_other_allocation(digest);
    if (other >= 0) {
        fatal(
            "%s: PE %d did not make the same call: here %zu bytes at heap offset %zu; symmetric "
            "allocation is collective, with the same arguments in the same order on all PEs",
            where, other, bytes, offset);
    }
    barrier(where);  // No PE publishes the next one before all have compared.
}

// PE 0 says it for all: with SHMEM_DEBUG each time, with SHMEM_INFO the first time.
TESSERA_COLD void tell_no_room(std::size_t bytes, const char* where) {
    static bool is_told = false;
    const bool says_all = config().debug;
    if (pe_state.pe != 0 || !(says_all || (config().info && !is_told))) return;
    is_told = true;
    const heap::Allocator& allocator = heap_allocator();
    warn(
        "%s: the symmetric heap has no room for %zu bytes, so NULL is returned: %zu of its %zu "
        "bytes are in use by %zu blocks, the largest free piece has %zu; raise "
        "SHMEM_SYMMETRIC_SIZE%s",
        where, bytes, allocator.bytes_in_use(), allocator.heap_bytes(), allocator.live_blocks(),
        allocator.largest_free(), says_all ? "" : " (said once)");
}

// The address of a new block of `bytes`, or nullptr where the allocator found no room.
void* new_block(std::optional<std::size_t> offset, std::size_t bytes, const char* where) {
    if (!offset) {
        tell_no_room(bytes, where);
        return nullptr;
    }
    dump_up_to(UsedMemory::kHeap, heap_allocator().highest_end());
    return heap_address(*offset);
}

// The same answer on all PEs, nullptr when there is no room; others may not have called it yet.
void* allocate_apart(std::size_t bytes, std::size_t alignment, Sharing sharing, const char* where) {
    check_initialized(where);
    if (bytes == 0) return nullptr;
    const auto offset = heap_allocator().allocate(bytes, alignment, sharing);
    compare_with_all(bytes, offset.value_or(SIZE_MAX), where);
    return new_block(offset, bytes, where);
}

// Ends with a barrier, also when there is no room.
void* allocate(std::size_t bytes, std::size_t alignment, Sharing sharing, const char* where) {
    void* block = allocate_apart(bytes, alignment, sharing, where);
    if (bytes != 0) barrier(where);
    return block;
}

[[noreturn]] TESSERA_COLD void fail_block(const void* address, const char* where) {
    if (address_map.in_statics(address, 1)) {
        fatal(
            "%s: %p is static data of the program, which lasts as long as the program; only blocks "
            "of the symmetric heap can be freed or resized",
            where, address);
    }
    if (find_external_heap(address, 1) != nullptr) {
        fatal("%s: %p lies in memory that the program gave to shmemx_heap_create; free it there",
              where, address);
    }
    const AddressMap::Part part = address_map.part_of(address);
    if (part.name == nullptr) fail_address(address, 1, where);
    if (heap_offset(address) >= memory_range().team_begin()) {
        fatal("%s: %p lies in %s; only blocks of the symmetric heap can be freed or resized here",
              where, address, part.name);
    }
    fatal("%s: %p is not the start of an allocated block of the symmetric heap (freed twice?)",
          where, address);
}

// Programs exist that free an aligned address inside their block, which other libraries let pass.
// RETURNS: whether the address lies inside a block; the first time with a warning.
TESSERA_COLD bool is_inside_block(const void* address, const char* where) {
    const std::size_t offset = heap_offset(address);
    const auto block = heap_allocator().block_containing(offset);
    if (!block) return false;
    static bool is_told = false;
    if (!is_told) {
        warn(
            "%s: %p lies %zu bytes inside a block of %zu bytes, which stays allocated; pass the "
            "address that the allocation returned (said once)",
            where, address, offset - block->offset, block->bytes);
    }
    is_told = true;
    return true;
}

void* reallocate(void* address, std::size_t bytes, const char* where) {
    if (address == nullptr) return allocate(bytes, heap::kMinAlignment, Sharing::kPlain, where);
    if (bytes == 0) {
        free_block(address, where);
        return nullptr;
    }
    check_initialized(where);
    heap::Allocator& allocator = heap_allocator();
    const std::size_t offset = heap_offset(address);
    auto old_bytes = allocator.size_of(offset);
    if (!old_bytes) fail_block(address, where);
    barrier(where);  // Operations on the old block are complete.
    auto resized = allocator.reallocate(offset, bytes);
    compare_with_all(bytes, resized ? resized->offset : SIZE_MAX, where);
    void* block = new_block(resized ? std::optional(resized->offset) : std::nullopt, bytes, where);
    if (resized && resized->moved) {
        std::memcpy(block, address, *old_bytes < bytes ? *old_bytes : bytes);
        allocator.free(offset);
    }
    barrier(where);
    return block;
}

void* allocate_zeroed(std::size_t count, std::size_t size, const char* where) {
    std::size_t bytes = 0;
    check_initialized(where);
    if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
    if (bytes == 0) return nullptr;
    auto offset = heap_allocator().allocate(bytes);
    compare_with_all(bytes, offset.value_or(SIZE_MAX), where);
    void* block = new_block(offset, bytes, where);
    if (block != nullptr) std::memset(block, 0, bytes);
    barrier(where);
    return block;
}

void* allocate_aligned(std::size_t alignment, std::size_t bytes, const char* where) {
    check_initialized(where);
    if (is_power_of_two(alignment)) {
        alignment = std::max(alignment, heap::kMinAlignment);
    } else if (config().debug && bytes != 0) {
        // The allocator refuses it, the same on all PEs.
        warn("%s: alignment %zu is not a power of two, so NULL is returned", where, alignment);
    }
    return allocate(bytes, alignment, Sharing::kPlain, where);
}

}  // namespace

void* allocate_hinted(std::size_t bytes, long hints, const char* where) {
    constexpr long kByOthers = SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE;
    Sharing sharing = (hints & kByOthers) != 0 ? Sharing::kCacheLineOwned : Sharing::kPlain;
    void* block = allocate_apart(bytes, heap::kMinAlignment, sharing, where);
    if (bytes != 0 && (hints & SHMEMX_MALLOC_NO_BARRIER) == 0) barrier(where);
    return block;
}

void free_block(void* address, const char* where) {
    check_initialized(where);
    if (address == nullptr) return;
    const std::size_t offset = heap_offset(address);
    const bool is_block = heap_allocator().size_of(offset).has_value();
    if (!is_block && !is_inside_block(address, where)) fail_block(address, where);
    barrier(where);  // No PE uses the block any more.
    compare_with_all(0, offset, where);
    if (is_block) heap_allocator().free(offset);
}

}  // namespace tessera::api

using tessera::heap::kMinAlignment;
using tessera::heap::Sharing;
namespace api = tessera::api;

SHMEM_ENTRY(void*, shmem_malloc, size_t size) {
    return api::allocate(size, kMinAlignment, Sharing::kPlain, SHMEM_WHERE);
}
SHMEM_ENTRY(void, shmem_free, void* ptr) { api::free_block(ptr, SHMEM_WHERE); }
SHMEM_ENTRY(void*, shmem_realloc, void* ptr, size_t size) {
    return api::reallocate(ptr, size, SHMEM_WHERE);
}
SHMEM_ENTRY(void*, shmem_align, size_t alignment, size_t size) {
    return api::allocate_aligned(alignment, size, SHMEM_WHERE);
}
SHMEM_ENTRY(void*, shmem_malloc_with_hints, size_t size, long hints) {
    return api::allocate_hinted(size, hints, SHMEM_WHERE);
}
SHMEM_ENTRY(void*, shmem_calloc, size_t count, size_t size) {
    return api::allocate_zeroed(count, size, SHMEM_WHERE);
}

// Deprecated since 1.2.
SHMEM_ENTRY(void*, shmalloc, size_t size) {
    return api::allocate(size, kMinAlignment, Sharing::kPlain, SHMEM_WHERE);
}
SHMEM_ENTRY(void, shfree, void* ptr) { api::free_block(ptr, SHMEM_WHERE); }
SHMEM_ENTRY(void*, shrealloc, void* ptr, size_t size) {
    return api::reallocate(ptr, size, SHMEM_WHERE);
}
SHMEM_ENTRY(void*, shmemalign, size_t alignment, size_t size) {
    return api::allocate_aligned(alignment, size, SHMEM_WHERE);
}
