// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: the memory of a PE that PEs of other nodes read and write, at the same offsets on all
// PEs. Messages name a byte of it by segment and offset. The checks here turn values from the
// network into addresses.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera {

struct FabricMemory {
    char* start = nullptr;
    std::size_t bytes = 0;
};

enum class Segment : std::uint8_t { kHeap, kStatics, kInternal };
inline constexpr std::size_t kSegments = 3;

struct SegmentOffset {
    Segment segment;
    std::size_t offset;
};

struct FabricSegments {
    FabricMemory heap;
    FabricMemory statics{};
    FabricMemory internal;  // the library's own

    const FabricMemory& operator[](Segment segment) const {
        switch (segment) {
            case Segment::kHeap: return heap;
            case Segment::kStatics: return statics;
            case Segment::kInternal: break;
        }
        return internal;
    }

    // REQUIRES: `address` lies in one of them.
    SegmentOffset offset_of(const void* address) const {
        const auto* at = static_cast<const char*>(address);
        auto offset_in = [at](const FabricMemory& memory) {
            return static_cast<std::size_t>(at - memory.start);
        };
        if (offset_in(heap) < heap.bytes) return {Segment::kHeap, offset_in(heap)};
        if (offset_in(statics) < statics.bytes) return {Segment::kStatics, offset_in(statics)};
        return {Segment::kInternal, offset_in(internal)};
    }

    // The address of `bytes` bytes that another PE has named, or nullptr: there are none such.
    char* checked_address(std::size_t segment, std::uint64_t offset, std::uint64_t bytes) const {
        if (segment >= kSegments) return nullptr;
        const FabricMemory& memory = (*this)[static_cast<Segment>(segment)];
        if (bytes > memory.bytes || offset > memory.bytes - bytes) return nullptr;
        return memory.start + offset;
    }
};

}  // namespace tessera
