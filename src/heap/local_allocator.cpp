// SPDX-License-Identifier: BSD-3-Clause
//
// See local_allocator.hpp. Invariant: the blocks, in use, cached or free, tile the opened units;
// each has its state at its first unit, and 0 at all others.
#include "heap/local_allocator.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>

namespace tessera::heap {
namespace {

constexpr Unit kOne = 1;
constexpr Unit kFirstUnits = 4096;  // to open at first: 64 KiB

unsigned order_that_holds(std::uint64_t units) {
    return static_cast<unsigned>(std::bit_width(units - 1));
}

// The order of the largest aligned block that begins at `begin` and ends at `end` or before.
unsigned largest_order(Unit begin, Unit end) {
    const auto fits = static_cast<unsigned>(std::bit_width(end - begin)) - 1;
    return begin == 0 ? fits : std::min(fits, static_cast<unsigned>(std::countr_zero(begin)));
}

}  // namespace

LocalAllocator::LocalAllocator(std::size_t bytes) : units_(bytes / kUnitBytes) {
    std::size_t words = 0;
    for (unsigned order = 0; order < kOrders; ++order) words += BitTree::words(units_ >> order);
    const std::size_t state_bytes = (units_ + 7) / 8 * 8;
    memory_bytes_ = state_bytes + words * sizeof(std::uint64_t);
    void* memory = ::mmap(nullptr, memory_bytes_, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;
    ::madvise(memory, memory_bytes_, MADV_DONTDUMP);  // Most of it is never touched.
    memory_ = static_cast<char*>(memory);
    states_ = reinterpret_cast<UnitState*>(memory_);
    auto* next = reinterpret_cast<std::uint64_t*>(memory_ + state_bytes);
    for (unsigned order = 0; order < kOrders; ++order) {
        free_[order] = BitTree(next, units_ >> order);
        next += BitTree::words(units_ >> order);
    }
}

LocalAllocator::~LocalAllocator() {
    if (memory_ != nullptr) ::munmap(memory_, memory_bytes_);
}

Unit LocalAllocator::units_at(Unit unit) const {
    const UnitState state = states_[unit];
    if (state >= kCachedBlock) return units_of_class(state & kCachedClassMax);
    if (state >= kFreeBlock) return kOne << (state & 0x3f);
    return units_of_class(state);
}

void LocalAllocator::insert_free(Unit unit, unsigned order) {
    states_[unit] = static_cast<UnitState>(kFreeBlock | order);
    free_[order].insert(unit >> order);
    nonempty_ |= std::uint64_t{1} << order;
}

void LocalAllocator::erase_free(Unit unit, unsigned order) {
    states_[unit] = 0;
    free_[order].erase(unit >> order);
    if (free_[order].empty()) nonempty_ &= ~(std::uint64_t{1} << order);
}

void LocalAllocator::free_block(Unit unit, unsigned order) {
    while (true) {
        const Unit buddy = unit ^ (kOne << order);
        if (buddy >= units_ || !is_free(buddy, order)) break;
        erase_free(buddy, order);
        unit = std::min(unit, buddy);
        ++order;
    }
    insert_free(unit, order);
}

void LocalAllocator::free_run(Unit begin, Unit end) {
    while (begin < end) {
        const unsigned order = largest_order(begin, end);
        free_block(begin, order);
        begin += kOne << order;
    }
}

// RETURNS: a run that no block covers; the caller sets its states.
std::optional<Unit> LocalAllocator::try_take_run(std::uint64_t units, unsigned align_order) {
    const std::optional<Unit> unit = find_run(units, align_order);
    if (unit) highest_end_.store(std::max(highest_end(), *unit + units), std::memory_order_relaxed);
    return unit;
}

void LocalAllocator::open_more() {
    const Unit begin = opened_;
    opened_ = std::min(units_, std::max(2 * begin, kFirstUnits));
    free_run(begin, opened_);
}

std::optional<Unit> LocalAllocator::find_run(std::uint64_t units, unsigned align_order) {
    const unsigned least = std::max(order_that_holds(units), align_order);
    if (least >= kOrders) return try_take_neighbours(units, align_order);
    while (nonempty_ >> least == 0 && opened_ < units_) open_more();
    const std::uint64_t candidates = nonempty_ >> least;
    if (candidates == 0) return try_take_neighbours(units, align_order);
    const unsigned order = least + static_cast<unsigned>(std::countr_zero(candidates));
    const Unit unit = free_[order].smallest() << order;
    erase_free(unit, order);
    free_run(unit + units, unit + (kOne << order));
    return unit;
}

std::optional<Unit> LocalAllocator::try_take_neighbours(std::uint64_t units, unsigned align_order) {
    const Unit align_mask = (kOne << align_order) - 1;
    Unit begin = 0;  // start of the run of free blocks before `at`
    for (Unit at = 0; at < units_;) {
        const Unit next = at + units_at(at);
        if ((states_[at] & kCachedBlock) != kFreeBlock) {
            begin = at = next;
            continue;
        }
        at = next;
        const Unit aligned = (begin + align_mask) & ~align_mask;
        if (aligned > at || at - aligned < units) continue;
        for (Unit block = begin; block < at;) {
            const unsigned order = states_[block] & 0x3f;
            erase_free(block, order);
            block += kOne << order;
        }
        free_run(begin, aligned);
        free_run(aligned + units, at);
        return aligned;
    }
    return std::nullopt;
}

std::optional<Unit> LocalAllocator::try_take(SizeClass size_class, unsigned align_order) {
    const std::optional<Unit> unit = try_take_run(units_of_class(size_class), align_order);
    if (unit) states_[*unit] = size_class;
    return unit;
}

std::size_t LocalAllocator::take_cached(SizeClass size_class, std::span<Unit> blocks) {
    const std::uint64_t units = units_of_class(size_class);
    std::size_t count = blocks.size();
    std::optional<Unit> first;
    while (count > 0 && !(first = try_take_run(units * count, 0))) count /= 2;
    for (std::size_t i = 0; i < count; ++i) {
        const Unit unit = *first + units * (count - 1 - i);
        states_[unit] = static_cast<UnitState>(kCachedBlock | size_class);
        blocks[i] = unit;
    }
    return count;
}

void LocalAllocator::give_back(Unit unit, SizeClass size_class) {
    states_[unit] = 0;
    free_run(unit, unit + units_of_class(size_class));
}

void LocalAllocator::shrink(Unit unit, SizeClass smaller) {
    const Unit end = unit + units_at(unit);
    states_[unit] = smaller;
    free_run(unit + units_of_class(smaller), end);
}

bool LocalAllocator::is_valid() const {
    Unit free_in_sets = 0;
    for (unsigned order = 0; order < kOrders; ++order) {
        const bool has_any = !free_[order].empty();
        if (has_any != ((nonempty_ >> order & 1) != 0)) return false;
    }
    Unit at = 0;
    while (at < opened_) {
        const UnitState state = states_[at];
        if (state == 0) return false;
        const Unit next = at + units_at(at);
        if (next > opened_) return false;
        for (Unit inside = at + 1; inside < next; ++inside) {
            if (states_[inside] != 0) return false;
        }
        if ((state & kCachedBlock) == kFreeBlock) {
            const unsigned order = state & 0x3f;
            const Unit buddy = at ^ (kOne << order);
            if (at % (kOne << order) != 0 || !free_[order].test(at >> order)) return false;
            if (buddy < units_ && is_free(buddy, order)) return false;
            free_in_sets += next - at;
        }
        at = next;
    }
    return at == opened_ && free_in_sets + (units_ - opened_) == units_free();
}

Unit LocalAllocator::units_free() const {
    Unit all = units_ - opened_;
    for (unsigned order = 0; order < kOrders; ++order) {
        for (Unit block = 0; block < units_ >> order; ++block) {
            if (free_[order].test(block)) all += kOne << order;
        }
    }
    return all;
}

}  // namespace tessera::heap
