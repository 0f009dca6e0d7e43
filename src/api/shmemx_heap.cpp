// SPDX-License-Identifier: BSD-3-Clause
//
// External heaps: memory of the program that becomes symmetric (include/shmemx.h,
// docs/runtimes/shmemx.md). Collective over the world team. Memory of the host becomes a registered
// segment (collectives/segments.hpp), whose bytes this PE's own addresses name, too
// (memory/external_heap.hpp).
#include <cstdint>
#include <vector>

#include "api/entry.hpp"
#include "base/fatal.hpp"
#include "collectives/barrier/barrier.hpp"
#include "collectives/segments.hpp"
#include "collectives/shown_lines.hpp"
#include "heap/address_space.hpp"
#include "memory/external_heap.hpp"
#include "pshmem.h"
#include "shmemx.h"

namespace tessera::api {
namespace {

struct Request {
    void* base;
    std::size_t bytes;
    int kind;
};

const char* name_of(int kind) {
    switch (kind) {
        case SHMEMX_EXTERNAL_HEAP_ZE: return "Level Zero";
        case SHMEMX_EXTERNAL_HEAP_CUDA: return "CUDA";
        case SHMEMX_EXTERNAL_HEAP_HOST: return "host";
        default: return nullptr;
    }
}

// Why other PEs cannot write to the memory, or nullptr.
const char* obstacle(std::uintptr_t begin, std::size_t bytes) {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    if (here - begin < bytes) return "it holds the stack of the calling thread";
    const auto mappings = heap::mappings_of(begin, begin + bytes);
    if (mappings.empty()) return "part of it is not mapped";
    for (const heap::MappedRange& range : mappings) {
        if (!range.is_data) return "part of it is not for reading and writing";
    }
    return nullptr;
}

void check_memory(const Request& request, const char* where) {
    const char* why = obstacle(reinterpret_cast<std::uintptr_t>(request.base), request.bytes);
    if (why == nullptr) return;
    fatal(
        "%s: the memory at %p cannot be used by other PEs: %s; give memory from mmap, malloc or "
        "aligned_alloc",
        where, request.base, why);
}

// Whether [start, start + bytes) and [other, other + other_bytes) have bytes in common.
bool overlap(std::uintptr_t start, std::size_t bytes, std::uintptr_t other,
             std::size_t other_bytes) {
    return start < other + other_bytes && other < start + bytes;
}

void check_not_symmetric(const Request& request, const char* where) {
    const auto start = reinterpret_cast<std::uintptr_t>(request.base);
    const std::size_t bytes = request.bytes;
    const AddressMap& map = address_map;
    if (overlap(start, bytes, map.heap_base, map.heap_bytes) ||
        overlap(start, bytes, map.static_base, map.static_bytes) ||
        overlaps_external_heap(start, bytes) || segments().owner_of_view(start) >= 0) {
        fatal(
            "%s: [%p, %p) is already symmetric, at least in part; give memory that is not from "
            "shmem_malloc, no static data, and given only once",
            where, request.base, reinterpret_cast<void*>(start + bytes));
    }
}

void check(const Request& request, const char* where) {
    check_initialized(where);
    if (name_of(request.kind) == nullptr) {
        fatal("%s: device_type %d is none of SHMEMX_EXTERNAL_HEAP_ZE, _CUDA, _HOST", where,
              request.kind);
    }
    const auto start = reinterpret_cast<std::uintptr_t>(request.base);
    if (request.base == nullptr || request.bytes == 0 || start + request.bytes < start)
        fatal("%s: base %p with size %zu is no memory", where, request.base, request.bytes);
    check_not_symmetric(request, where);
    if (request.kind == SHMEMX_EXTERNAL_HEAP_HOST) check_memory(request, where);
}

void check_agreement(const Request& request, const char* where) {
    struct Shown {
        std::uint64_t shift;
        std::int64_t kind;
    };
    const Shown mine{reinterpret_cast<std::uintptr_t>(request.base) % kPartAlignment, request.kind};
    const std::vector<Shown> all = collectives::show_to_all(world_team, mine, where);
    for (std::size_t pe = 0; pe < all.size(); ++pe) {
        const auto& [shift, kind] = all[pe];
        if (kind != mine.kind) {
            fatal("%s: PE %zu gives memory of kind %s, this PE %s; all PEs must give the same kind",
                  where, pe, name_of(static_cast<int>(kind)), name_of(request.kind));
        }
        if (shift == mine.shift || request.kind != SHMEMX_EXTERNAL_HEAP_HOST) continue;
        fatal(
            "%s: base is %zu bytes beyond a multiple of %zu, that of PE %zu %zu; give memory of "
            "the same alignment on all PEs",
            where, static_cast<std::size_t>(mine.shift), kPartAlignment, pe,
            static_cast<std::size_t>(shift));
    }
}

// RETURNS: the name of its first byte.
std::size_t register_memory(const Request& request, const char* where) {
    const auto address = reinterpret_cast<std::uintptr_t>(request.base);
    constexpr std::size_t kAnyPages = 1;
    const auto begin = collectives::register_segment(
        world_team, {.address = address, .bytes = request.bytes}, kAnyPages, where);
    if (!begin) fatal("%s: the registered segments have used up all names", where);
    return *begin + address % kPartAlignment;
}

void create(const Request& request, const char* where) {
    check(request, where);
    check_agreement(request, where);
    const bool is_host = request.kind == SHMEMX_EXTERNAL_HEAP_HOST;
    add_external_heap({.base = reinterpret_cast<std::uintptr_t>(request.base),
                       .bytes = request.bytes,
                       .device = is_host ? nullptr : name_of(request.kind),
                       .first_name = is_host ? register_memory(request, where) : 0});
}

}  // namespace
}  // namespace tessera::api

// Communication needs no second phase, so initialization is complete here.
SHMEM_ENTRY(void, shmemx_heap_preinit, void) { pshmem_init(); }
SHMEM_ENTRY(int, shmemx_heap_preinit_thread, int requested, int* provided) {
    return pshmem_init_thread(requested, provided);
}

// The index is for a transport that reaches devices.
SHMEM_ENTRY(void, shmemx_heap_create, void* base, size_t size, int device_type,
            [[maybe_unused]] int device_index) {
    tessera::api::create({base, size, device_type}, SHMEM_WHERE);
}

SHMEM_ENTRY(void, shmemx_heap_postinit, void) {
    tessera::check_initialized(SHMEM_WHERE);
    tessera::collectives::barrier(tessera::world_team, SHMEM_WHERE);
}
