// SPDX-License-Identifier: BSD-3-Clause
//
// See extents.hpp. The messages name the arguments as the specification does.
#include "api/extents.hpp"

#include <cstdio>

#include "base/fatal.hpp"
#include "memory/external_heap.hpp"
#include "memory/segments.hpp"

namespace tessera::api {
namespace {

// No processor gives a program more addresses than this.
constexpr std::size_t kAddressSpaceBytes = std::size_t{1} << 57;

struct Segment {
    const char* name;
    std::uintptr_t end;
};

Segment segment_of(const void* address) {
    const AddressMap& map = address_map;
    const AddressMap::Part part = map.part_of(address);
    if (part.name != nullptr) return {part.name, part.end};
    if (map.in_statics(address, 1))
        return {"program's static data", map.static_base + map.static_bytes};
    const ExternalHeap* external = find_external_heap(address, 1);
    if (external != nullptr) return {"external heap", external->base + external->bytes};
    return {nullptr, 0};
}

[[noreturn]] void fail_count(const Array& array, const Elements& elements, const Layout& layout,
                             const Segment& segment, const char* where) {
    char blocks[48] = "";
    if (layout.blocks > 1)
        std::snprintf(blocks, sizeof blocks, " for each of %zu PEs", layout.blocks);
    const char* strided = layout.stride > 1 ? ", strided" : "";
    if (segment.name == nullptr) {
        fatal(
            "%s: %s %zu of %zu bytes%s%s do not fit into any memory (%s %p); check the number of "
            "elements",
            where, elements.name, elements.count, elements.bytes, blocks, strided, array.name,
            array.start);
    }
    fatal(
        "%s: %s %zu of %zu bytes%s%s do not fit behind %s %p: the %s ends %zu bytes behind that "
        "address; check the number of elements",
        where, elements.name, elements.count, elements.bytes, blocks, strided, array.name,
        array.start, segment.name,
        static_cast<std::size_t>(segment.end - reinterpret_cast<std::uintptr_t>(array.start)));
}

}  // namespace

void fail_null(const char* array, const char* count_name, std::size_t count, const char* where) {
    check_initialized(where);
    fatal("%s: %s is NULL, with %s %zu; pass an array", where, array, count_name, count);
}

void look_closer(const Array& array, const Elements& elements, const Layout& layout,
                 const char* where) {
    const std::size_t bytes = extent_of(elements, layout);
    if (bytes == 0) return;
    if (array.start == nullptr) fail_null(array.name, elements.name, elements.count, where);
    if (is_segment_name(array.start)) fail_address(array.start, bytes, where);
    const Segment segment = segment_of(array.start);
    // This PE cannot read the memory of devices, but it has bounds all the same.
    if (segment.name != nullptr &&
        segment.end - reinterpret_cast<std::uintptr_t>(array.start) >= bytes) {
        return;
    }
    if (segment.name != nullptr || bytes > kAddressSpaceBytes)
        fail_count(array, elements, layout, segment, where);
}

}  // namespace tessera::api
