// SPDX-License-Identifier: BSD-3-Clause
#include "core/segments.hpp"

#include <algorithm>

namespace tessera::dart {

namespace {
constexpr std::uint32_t kFirstCapacity = 8;

// 1, 2, ... 255, 1, ...
std::uint8_t next_generation(std::uint8_t generation) {
    return generation == UINT8_MAX ? 1 : static_cast<std::uint8_t>(generation + 1);
}
}  // namespace

Segment& SegmentTable::place(std::int16_t id) {
    const std::uint32_t index = index_of(id);
    const std::uint32_t old = capacity_.load(std::memory_order_relaxed);
    if (index >= old) {
        std::uint32_t capacity = std::max(old, kFirstCapacity);
        while (capacity <= index) capacity *= 2;
        Segment* entries = arrays_.emplace_back(new Segment[capacity]).get();
        std::copy_n(entries_.load(std::memory_order_relaxed), old, entries);
        // A larger capacity comes with its array. Pairs with core/segments.hpp:find and
        // core/segments.hpp:entry.
        entries_.store(entries, std::memory_order_release);
        capacity_.store(capacity, std::memory_order_release);
    }
    return entries_.load(std::memory_order_relaxed)[index];
}

int SegmentTable::Numbers::choose() {
    int number = 0;
    if (!free.empty()) {
        number = free.back();
        free.pop_back();
    } else if (last < kIdMax) {
        number = ++last;
    } else if (!spent.empty()) {
        number = spent.front();
        spent.pop_front();
    }
    return number;
}

std::int16_t SegmentTable::add(const Segment& segment) {
    const bool is_registered = segment.kind == SegmentKind::kRegistered;
    const int number = numbers_[is_registered ? 1 : 0].choose();
    if (number == 0) return 0;
    const auto id = static_cast<std::int16_t>(is_registered ? -number : number);
    Segment& entry = place(id);
    const std::uint8_t last = entry.generation;
    entry = segment;
    entry.generation = last == 0 ? first_generation_ : next_generation(last);
    return id;
}

void SegmentTable::add_local(const Segment& segment) { place(0) = segment; }

void SegmentTable::remove(std::int16_t id) {
    Segment& entry = place(id);
    const std::uint8_t generation = entry.generation;
    entry = Segment{.generation = generation};
    note_end();
    const auto number = static_cast<std::int16_t>(id < 0 ? -id : id);
    Numbers& numbers = numbers_[id < 0 ? 1 : 0];
    if (next_generation(generation) == first_generation_) {
        numbers.spent.push_back(number);
    } else {
        numbers.free.push_back(number);
    }
}

std::int16_t SegmentTable::any() const {
    const Segment* entries = entries_.load(std::memory_order_relaxed);
    const std::uint32_t capacity = capacity_.load(std::memory_order_relaxed);
    for (std::uint32_t index = 1; index < capacity; ++index) {
        if (entries[index].kind != SegmentKind::kNone) {
            const auto number = static_cast<std::int16_t>((index + 1) / 2);
            return static_cast<std::int16_t>(index % 2 != 0 ? -number : number);
        }
    }
    return 0;
}

}  // namespace tessera::dart
