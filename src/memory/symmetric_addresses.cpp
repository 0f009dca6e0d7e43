// SPDX-License-Identifier: BSD-3-Clause
//
// The second choice of AddressMap (core/address_map.hpp): static data, external heaps and
// registered segments; and the messages on addresses that are not symmetric. It lies here because
// core/ knows no such memory.
#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "base/fatal.hpp"
#include "core/address_map.hpp"
#include "core/internal_segment.hpp"
#include "core/pe_state.hpp"
#include "heap/static_data.hpp"
#include "memory/external_heap.hpp"
#include "memory/segments.hpp"

namespace tessera {
namespace {

// The PE whose mapped heap holds the address, or -1: the usual mistake is an address that
// shmem_ptr returned.
int owner_of_mapped_address(std::uintptr_t address) {
    for (std::uint32_t pe = 0; pe < address_map.npes; ++pe) {
        const Peer& peer = address_map.peers[pe];
        auto heap = reinterpret_cast<std::uintptr_t>(peer.heap);
        auto statics = reinterpret_cast<std::uintptr_t>(peer.statics);
        if (heap != 0 && address - heap < address_map.heap_bytes) return static_cast<int>(pe);
        if (statics != 0 && address - statics < address_map.static_bytes)
            return static_cast<int>(pe);
    }
    return segments().owner_of_view(address);
}

[[noreturn]] TESSERA_COLD void fail_overrun(const char* segment, std::uintptr_t address,
                                            std::uintptr_t end, std::size_t bytes,
                                            const char* where) {
    fatal(
        "%s: %zu bytes at %p run past the end of the %s, which ends %zu bytes behind that address; "
        "check the number of elements",
        where, bytes, reinterpret_cast<void*>(address), segment,
        static_cast<std::size_t>(end - address));
}

// gfortran keeps variables of the main program on the stack, C the local ones.
bool is_on_own_stack(std::uintptr_t address) {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
    void* start = nullptr;
    std::size_t bytes = 0;
    const bool is_known = pthread_attr_getstack(&attributes, &start, &bytes) == 0;
    pthread_attr_destroy(&attributes);
    return is_known && address - reinterpret_cast<std::uintptr_t>(start) < bytes;
}

const char* hint_at(std::uintptr_t address) {
    if (is_on_own_stack(address))
        return " (it is on the stack; in Fortran, give it the attribute save)";
    if (pe_state.internal == nullptr || pe_state.internal->heaps_differ == 0) return "";
    return " of this PE: here the addresses differ from PE to PE (SHMEM_INFO=1 says why), so "
           "another PE's pointer is not this PE's";
}

}  // namespace

char* AddressMap::remote(const void* address, std::size_t bytes, int pe, const char* where,
                         Direction direction) const {
    serve_other_nodes();
    if (static_cast<std::uint32_t>(pe) >= npes) fail_pe(pe, where);
    const Peer& peer = peers[pe];
    if (in_heap(address, bytes))
        return peer.heap_inline_limit != 0 ? peer.heap + offset_of(address) : nullptr;
    if (!in_statics(address, bytes)) {
        if (is_segment_name(address)) return segments().remote(address, bytes, pe, where);
        const ExternalHeap* external = find_external_heap(address, bytes);
        if (external != nullptr) return remote_of(*external, address, bytes, pe, where);
        const bool is_constant = direction == Direction::kGet && heap::is_constant(address, bytes);
        if (!is_constant || !runs_my_program(pe)) fail_address(address, bytes, where);
        return static_cast<char*>(const_cast<void*>(address));
    }
    if (peer.statics != nullptr)
        return peer.statics + (reinterpret_cast<std::uintptr_t>(address) - static_base);
    if (!reaches_statics(pe)) {
        fatal(
            "%s: %p is static data, and PE %d runs another program, so it has no such variable; "
            "use memory from shmem_malloc between different programs",
            where, address, pe);
    }
    return nullptr;
}

bool AddressMap::in_external_heap(const void* address, std::size_t bytes) const {
    const ExternalHeap* external = find_external_heap(address, bytes);
    return external != nullptr && external->device == nullptr;
}

std::uintptr_t AddressMap::segment_base(const void* address, std::size_t bytes) const {
    if (in_heap(address, bytes)) return heap_base;
    if (in_statics(address, bytes)) return static_base;
    return find_external_heap(address, bytes)->base;
}

void fail_address(const void* address, std::size_t bytes, const char* where) {
    check_initialized(where);
    auto start = reinterpret_cast<std::uintptr_t>(address);
    const AddressMap& map = address_map;
    const AddressMap::Part part = map.part_of(address);
    if (part.name != nullptr) fail_overrun(part.name, start, part.end, bytes, where);
    if (start - map.static_base < map.static_bytes) {
        fail_overrun("program's static data", start, map.static_base + map.static_bytes, bytes,
                     where);
    }
    if (const ExternalHeap* external = find_external_heap(address, 1)) {
        if (external->device != nullptr) remote_of(*external, address, 1, map.my_pe, where);
        fail_overrun("external heap", start, external->base + external->bytes, bytes, where);
    }
    if (is_segment_name(address)) {
        // The routine takes this PE's memory only, or no registered memory at all.
        if (segments().find_here(address, bytes) == nullptr)
            segments().fail(address, bytes, map.my_pe, where);
        fatal(
            "%s: %p is the name of memory of a registered segment, which this routine does not "
            "take; pass the memory itself, or use memory from shmem_malloc",
            where, address);
    }
    int owner = owner_of_mapped_address(start);
    if (owner >= 0) {
        fatal(
            "%s: %p lies in the memory of PE %d (from shmem_ptr?); pass this PE's own address of "
            "the object and the PE number",
            where, address, owner);
    }
    fatal(
        "%s: address %p is not symmetric: it is neither in the symmetric heap [%p, %p) nor static "
        "data of the program [%p, %p); use shmem_malloc or a global or static variable%s",
        where, address, reinterpret_cast<void*>(map.heap_base),
        reinterpret_cast<void*>(map.heap_base + map.team_begin),
        reinterpret_cast<void*>(map.static_base),
        reinterpret_cast<void*>(map.static_base + map.static_bytes), hint_at(start));
}

}  // namespace tessera
