// SPDX-License-Identifier: BSD-3-Clause
//
// External heaps: memory of the program that becomes symmetric (include/shmemx.h, docs/shmemx.md).
// Collective over the world team. The PEs compare their arguments. Each PE replaces its pages
// (heap/external_pages.hpp) and shows the place of its file, and all map the files of the others.
// The shown values lie in the team's exchange words: one sync before reading, one after.
#include <unistd.h>

#include <cstdint>

#include "api/entry.hpp"
#include "base/fatal.hpp"
#include "collectives/select.hpp"
#include "core/external_heap.hpp"
#include "heap/external_pages.hpp"
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

void check_pages(const Request& request, const char* where) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const auto start = reinterpret_cast<std::uintptr_t>(request.base);
    if (start % page != 0 || request.bytes % page != 0) {
        fatal(
            "%s: base %p and size %zu must be multiples of the page size, %zu, for memory of the "
            "host; use mmap, or aligned_alloc(%zu, ...)",
            where, request.base, request.bytes, page, page);
    }
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
        overlaps_external_heap(start, bytes)) {
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
    if (request.base == nullptr || request.bytes == 0 || start + request.bytes < start) {
        fatal("%s: base %p with size %zu is no memory", where, request.base, request.bytes);
    }
    if (request.kind == SHMEMX_EXTERNAL_HEAP_HOST) check_pages(request, where);
    check_not_symmetric(request, where);
}

// Two numbers for the others to read between this and done_reading().
void show(std::uint64_t first, std::uint64_t second, const char* where) {
    TeamFlags& mine = world_team.my_flags();
    mine.exchange[0] = first;
    mine.exchange[1] = second;
    collectives::sync(world_team, where);
}

void done_reading(const char* where) { collectives::sync(world_team, where); }

void check_agreement(const Request& request, const char* where) {
    show(request.bytes, static_cast<std::uint64_t>(request.kind), where);
    for (int pe = 0; pe < world_team.npes; ++pe) {
        const Team::Shown shown = world_team.shown_by(pe);
        const char* kind = name_of(static_cast<int>(shown.words[1]));
        if (shown.words[0] == request.bytes && static_cast<int>(shown.words[1]) == request.kind)
            continue;
        fatal(
            "%s: PE %d gives %llu bytes (%s), this PE %zu (%s); all PEs must give the same size "
            "and kind",
            where, pe, static_cast<unsigned long long>(shown.words[0]), kind, request.bytes,
            name_of(request.kind));
    }
    done_reading(where);
}

[[noreturn]] void fail_sharing(const Request& request, const std::string& why, const char* where) {
    fatal(
        "%s: the memory at %p cannot be shared with the other PEs of the node: %s; give private "
        "memory from mmap or aligned_alloc, or use shmem_malloc",
        where, request.base, why.c_str());
}

// Makes the memory of all PEs available to all.
void map_all(const Request& request, ExternalHeap& heap, const char* where) {
    heap.peers.assign(static_cast<std::size_t>(world_team.npes), nullptr);
    heap.peers[static_cast<std::size_t>(world_team.my_index)] = static_cast<char*>(request.base);
    if (world_team.npes == 1) return;
    const heap::ExternalPages mine = heap::share_external_pages(request.base, request.bytes);
    if (!mine.file) fail_sharing(request, mine.error, where);
    const heap::PagesOffer offer = heap::offer_of(mine);
    show(static_cast<std::uint64_t>(offer.pid) << 32 | static_cast<std::uint32_t>(offer.fd),
         offer.inode, where);
    for (int pe = 0; pe < world_team.npes; ++pe) {
        if (pe == world_team.my_index) continue;
        const Team::Shown shown = world_team.shown_by(pe);
        heap::PeerPages theirs =
            heap::map_external_pages({.pid = static_cast<std::int32_t>(shown.words[0] >> 32),
                                      .fd = static_cast<std::int32_t>(shown.words[0] & 0xffffffffU),
                                      .inode = shown.words[1]},
                                     request.bytes);
        if (!theirs.mapping.is_mapped()) fail_sharing(request, theirs.error, where);
        heap.peers[static_cast<std::size_t>(pe)] = theirs.start;
        heap.mappings.push_back(std::move(theirs.mapping));
    }
    done_reading(where);  // Before that no PE may close its file.
}

void create(const Request& request, const char* where) {
    check(request, where);
    if (!world_team.is_on_one_node) {
        fatal("%s: external heaps reach the PEs of one node only; use shmem_malloc in this job",
              where);
    }
    check_agreement(request, where);
    ExternalHeap heap;
    heap.base = reinterpret_cast<std::uintptr_t>(request.base);
    heap.bytes = request.bytes;
    if (request.kind == SHMEMX_EXTERNAL_HEAP_HOST) {
        map_all(request, heap, where);
    } else {
        heap.device = name_of(request.kind);
    }
    if (!add_external_heap(std::move(heap))) {
        fatal("%s: a program can have %d external heaps at most", where, kExternalHeapsMax);
    }
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
