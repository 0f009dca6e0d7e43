// SPDX-License-Identifier: BSD-3-Clause
//
// Components in co_broadcast (component_broadcast.hpp).

#include "abi12/component_broadcast.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <unordered_set>
#include <utility>

#include "core/coarray.hpp"
#include "core/private_memory.hpp"
#include "core/remote_pointer.hpp"
#include "core/runtime.hpp"

namespace tessera::caf {
namespace {

// Whether the array may be a temporary descriptor of a component.
bool has_shape_of_component(const Descriptor& array) {
    return array.rank == 1 && array.dim[0].lower == 1 && array.dim[0].stride == 1;
}

// A temporary of gfortran has any offset; that of a variable is right.
bool has_right_offset(const Descriptor& array) {
    return static_cast<std::ptrdiff_t>(array.offset) == -1;
}

// Bytes that glibc's malloc takes from the system for a block, or 0 where `address` cannot be the
// start of one. The word with the size lies before the block, so on another page where the block
// begins a page.
std::size_t malloc_chunk_bytes(const void* address) {
    constexpr std::uintptr_t kPage = 4096;
    constexpr std::uintptr_t kHeader = 16;
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (at % kHeader != 0) return 0;
    const std::byte* place = static_cast<const std::byte*>(address) - sizeof(std::size_t);
    std::size_t size = 0;
    if (at % kPage != 0) {
        std::memcpy(&size, place, sizeof size);
    } else if (read_process(::getpid(), &size, reinterpret_cast<std::uintptr_t>(place),
                            sizeof size) != sizeof size) {
        return 0;
    }
    return size & ~std::size_t{7};
}

// Whether a block of memory at the address, from malloc or for components, has so many bytes, but
// for rounding.
bool is_block_of(const void* address, std::size_t bytes) {
    if (is_in_components(address)) return component_bytes_at(address) == bytes;
    constexpr std::size_t kSmallest = 32;
    constexpr std::size_t kSlack = 16;  // malloc does not cut less from a free block.
    constexpr std::size_t kMapped = 4096;
    constexpr std::size_t kMappedFrom = 64 * 1024;
    const std::size_t chunk = malloc_chunk_bytes(address);
    const std::size_t needed = std::max(kSmallest, (bytes + 8 + 15) / 16 * 16);
    return chunk >= needed && chunk - needed <= (bytes < kMappedFrom ? kSlack : kMapped);
}

// `span` is what the descriptor says, and may be left over from another descriptor that was at the
// same place of the stack. The size of the memory tells which. Of up to 24 bytes it may leave that
// open: a component is much more likely than a pointer to parts of elements of such an array.
bool has_left_over_span(const Descriptor& array, std::size_t elements) {
    const bool overlaps =
        array.span <= 0 || static_cast<std::size_t>(array.span) < array.element_bytes;
    return overlaps || is_block_of(array.base, elements * array.element_bytes);
}

[[noreturn]] void stop_without_length() {
    stop_with_error("co_broadcast",
                    "gfortran passes no length for a component that is a character of deferred "
                    "length; broadcast a variable of its length, and assign that to the component");
}

// The compiler's descriptors end behind their dimensions.
Descriptor copy_of(const Descriptor& passed) {
    Descriptor array{};
    std::memcpy(static_cast<void*>(&array), &passed, descriptor_bytes(passed.rank));
    return array;
}

// The compiler passes a scalar component of deferred length as an array of one element, which is
// the descriptor of the component.
Descriptor without_length(const Descriptor& passed) {
    Descriptor array = copy_of(passed);
    array.span = 0;
    if (array.base == nullptr || extent(array.dim[0]) == 0) return array;
    constexpr std::size_t kBytes = offsetof(Descriptor, dim);
    Descriptor inner{};
    std::memcpy(static_cast<void*>(&inner), passed.base, kBytes);
    if (extent(passed.dim[0]) == 1 && inner.element_bytes == 0 && inner.version == 0 &&
        inner.rank == 0 && inner.type == kCharacter) {
        if (inner.base != nullptr) stop_without_length();
        array.base = nullptr;
        return array;
    }
    // Characters of length 0 are data without bytes.
    if (!has_right_offset(passed) || passed.span != 0) stop_without_length();
    return array;
}

// Addresses of data that was broadcast: the newest, and those before.
constexpr std::size_t kAddresses = std::size_t{1} << 20;
std::unordered_set<const void*> newest;
std::unordered_set<const void*> before;
std::uintptr_t lowest = UINTPTR_MAX;
std::uintptr_t highest = 0;

bool was_broadcast(const void* address) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return at >= lowest && at <= highest && (newest.contains(address) || before.contains(address));
}

}  // namespace

Descriptor broadcast_descriptor(const Descriptor& passed) {
    if (!has_shape_of_component(passed)) return copy_of(passed);
    if (passed.type == kCharacter && passed.element_bytes == 0) return without_length(passed);
    Descriptor array = copy_of(passed);
    const std::size_t elements = extent(array.dim[0]);
    const auto contiguous = static_cast<std::ptrdiff_t>(array.element_bytes);
    if (array.base != nullptr && elements > 1 && array.span != contiguous &&
        (!has_right_offset(array) || has_left_over_span(array, elements))) {
        array.span = contiguous;
    }
    return array;
}

void note_broadcast(const void* data) {
    if (newest.size() >= kAddresses) before = std::exchange(newest, {});
    newest.insert(data);
    lowest = std::min(lowest, reinterpret_cast<std::uintptr_t>(data));
    highest = std::max(highest, reinterpret_cast<std::uintptr_t>(data));
}

OwnAddresses::OwnAddresses(const void* object, std::size_t bytes) {
    const auto at = reinterpret_cast<std::uintptr_t>(object);
    if (newest.empty() || at % sizeof(void*) != 0) return;
    const bool has_tokens = is_in_coarray_memory(object);
    auto** words = static_cast<void**>(const_cast<void*>(object));
    for (std::size_t i = 0; i < bytes / sizeof(void*); ++i) {
        void* value = words[i];
        if (was_broadcast(value) || (has_tokens && is_component(value)))
            kept_.push_back({words + i, value});
    }
}

void OwnAddresses::restore() const {
    for (const Address& address : kept_) *address.place = address.value;
}

}  // namespace tessera::caf
