// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: the memory of a PE that PEs of other nodes read and write, at the same offsets on all
// PEs. Messages name a byte of it by segment and offset. The checks here turn values from the
// network into addresses. Registered segments lie anywhere, and are named (segment_names.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "transports/segment_names.hpp"

namespace tessera {

struct FabricMemory {
    char* start = nullptr;
    std::size_t bytes = 0;
};

enum class Segment : std::uint8_t { kHeap, kStatics, kInternal, kNamed };
inline constexpr std::size_t kSegments = 3;  // with a place of their own: all but kNamed

struct SegmentOffset {
    Segment segment;
    std::size_t offset;
};

struct FabricSegments {
    FabricMemory heap;
    FabricMemory statics{};
    FabricMemory internal;                // the library's own
    const SegmentNames* names = nullptr;  // nullptr: nothing can be registered

    // REQUIRES: not kNamed.
    const FabricMemory& operator[](Segment segment) const {
        switch (segment) {
            case Segment::kHeap: return heap;
            case Segment::kStatics: return statics;
            case Segment::kInternal:
            case Segment::kNamed: break;
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
        const std::size_t offset = offset_in(internal);
        if (offset < internal.bytes || names == nullptr) return {Segment::kInternal, offset};
        return {Segment::kNamed, names->position_of(address)};
    }

    // The address of `bytes` bytes that another PE has named, or nullptr: there are none such. A
    // name of memory that is not registered ends the job, because its sender waits for an answer.
    char* checked_address(std::size_t segment, std::uint64_t offset, std::uint64_t bytes) const {
        if (segment == static_cast<std::size_t>(Segment::kNamed) && names != nullptr)
            return names->memory_here(offset, bytes);
        if (segment >= kSegments) return nullptr;
        const FabricMemory& memory = (*this)[static_cast<Segment>(segment)];
        if (bytes > memory.bytes || offset > memory.bytes - bytes) return nullptr;
        return memory.start + offset;
    }
};

}  // namespace tessera
