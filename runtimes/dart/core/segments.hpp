// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: the segments of a team, the allocations that the middle of a global pointer names. A
// number is an index of an array, so a lookup is two loads and a compare.
//
// The members of a team add and remove segments collectively, in the same order, so they choose the
// same numbers: the one that became free last, or the next one (a test of DASH wants the number of
// the last allocation again). Each use of a number is a generation, which pointers carry in their
// flags: the pointer of an allocation that has ended does not reach the next one. A number that has
// had all generations goes to the end of the line.
//
// THREADS: one thread at a time adds and removes; others may look segments up, but not those that
// are being added or removed. An array that has become too short therefore stays until the end.
#pragma once

#include <shmemx.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace tessera::dart {

enum class SegmentKind : std::uint8_t { kNone, kAllocated, kRegistered };

struct Segment {
    // Allocated: the address that OpenSHMEM takes. Registered: the own part.
    char* base = nullptr;
    // The part of each unit has so many; registered: 0, because each unit has its own number.
    std::size_t bytes = 0;
    // How many units of the node, from its first one on, may have it mapped: none or all
    // (node.hpp).
    std::uint32_t mapped_units = 0;
    std::uint16_t flags = 0;
    SegmentKind kind = SegmentKind::kNone;
    std::uint8_t generation = 0;  // 1 and up; 0: local memory
    shmemx_segment_t registered = SHMEMX_SEGMENT_INVALID;
};
static_assert(sizeof(Segment) == 32, "the index of the array is one shift");

// Number of segments and tables that have ended. A thread's notes of segments are void when it
// changes. Threads synchronize between the end of a segment and the next use of its number, which
// orders this word, too.
inline std::atomic<std::uint64_t> ended_segments{0};

class SegmentTable {
  public:
    static constexpr int kIdMax = INT16_MAX;

    // The first generation of all numbers: another one after each dart_init, the same on all units.
    explicit SegmentTable(std::uint8_t first_generation = 1)
        : first_generation_(first_generation) {}
    ~SegmentTable() { note_end(); }
    SegmentTable(const SegmentTable&) = delete;
    SegmentTable& operator=(const SegmentTable&) = delete;

    // RETURNS: nullptr: there is no such segment. Pairs with core/segments.cpp:place.
    Segment* find(std::int16_t id) const {
        const std::uint32_t index = index_of(id);
        if (index >= capacity_.load(std::memory_order_acquire)) [[unlikely]]
            return nullptr;
        Segment* segment = entries_.load(std::memory_order_relaxed) + index;
        return segment->kind != SegmentKind::kNone ? segment : nullptr;
    }

    // The same for callers that find out by `bytes` and `mapped_units`, which are 0 then.
    // RETURNS: nullptr, or an entry that may have no segment. Pairs with core/segments.cpp:place.
    const Segment* entry(std::int16_t id) const {
        const std::uint32_t index = index_of(id);
        if (index >= capacity_.load(std::memory_order_acquire)) [[unlikely]]
            return nullptr;
        return entries_.load(std::memory_order_relaxed) + index;
    }

    // RETURNS: the number: positive for allocated, negative for registered segments; 0: there are
    // as many as numbers. Chooses the generation.
    std::int16_t add(const Segment& segment);
    // Number 0, which only the team of all units has.
    void add_local(const Segment& segment);
    // REQUIRES: find(id) is not nullptr.
    void remove(std::int16_t id);

    // A segment, of those that are left, with the smallest index. RETURNS: 0: none is left.
    std::int16_t any() const;

  private:
    // 0, -1, 1, -2, 2, ... are 0, 1, 2, 3, 4, ...
    static std::uint32_t index_of(std::int16_t id) {
        return static_cast<std::uint16_t>((id * 2) ^ (id >> 15));
    }
    Segment& place(std::int16_t id);
    static void note_end() { ended_segments.fetch_add(1, std::memory_order_relaxed); }

    // Stored before the capacity, which is loaded before it.
    std::atomic<Segment*> entries_{nullptr};
    std::atomic<std::uint32_t> capacity_{0};
    std::vector<std::unique_ptr<Segment[]>> arrays_{};
    struct Numbers {
        std::vector<std::int16_t> free{};  // the last one comes first
        std::deque<std::int16_t> spent{};  // ids without another generation, by time
        int last = 0;
        int choose();  // RETURNS: 0: none is left
    };
    Numbers numbers_[2];  // allocated, registered
    const std::uint8_t first_generation_;
};

}  // namespace tessera::dart
