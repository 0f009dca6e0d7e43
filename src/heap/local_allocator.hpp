// SPDX-License-Identifier: BSD-3-Clause
//
// Hands out blocks of a PE's local memory, as numbers of units of 16 bytes. memory/local_memory.cpp
// puts a cache of each thread in front of it. Never touches local memory itself, so a program that
// writes past its block cannot damage the bookkeeping.
//
// Design: a binary buddy system (Knuth, TAOCP 1, 2.5; the thesis on DART-MPI, 5.3.3), whose free
// blocks of 2^order units lie at multiples of their size and merge with their buddies at once. A
// block in use is not rounded up to a power of two: it has one of the sizes of size_classes.hpp,
// and the rest of the buddy that it was cut from is free. An allocation takes the free block of the
// lowest order that fits, the lowest one of equals. Where none is large enough, it looks for free
// neighbours that are no buddies; so it fails only if no run of free memory has room.
// The memory is opened from its start, twice as much each time that no open block fits: so blocks
// lie close together, and what lies behind them is untouched (memory/core_files.hpp).
//
// Bookkeeping: a byte for each unit says which block begins there, and a set for each order has the
// free blocks (bit_tree.hpp): 1/16 + 1/64 of the local memory that was ever used, private pages.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/fd.hpp"
#include "heap/bit_tree.hpp"
#include "heap/size_classes.hpp"

namespace tessera::heap {

using Unit = std::uint64_t;  // number of a unit: offset / kUnitBytes

// The state of a unit:  0                  no block begins here
//                       1 .. kSizeClassMax  a block in use, its class
//                       kFreeBlock | order  a free block
//                       kCachedBlock | class (< 64)  in the cache of a thread
using UnitState = std::uint8_t;
inline constexpr UnitState kFreeBlock = 0x80;
inline constexpr UnitState kCachedBlock = 0xc0;
inline constexpr SizeClass kCachedClassMax = 0x3f;

// THREADS: one at a time, but for state().
class LocalAllocator {
  public:
    // For `bytes` of local memory, a multiple of kUnitBytes. is_open() tells whether the system
    // gave address space for the bookkeeping.
    explicit LocalAllocator(std::size_t bytes);
    LocalAllocator(const LocalAllocator&) = delete;
    LocalAllocator& operator=(const LocalAllocator&) = delete;
    ~LocalAllocator();
    bool is_open() const { return states_ != nullptr; }

    // A block of the class, in use, at a multiple of 2^align_order units.
    // COST: O(orders); where only neighbours that are no buddies suffice, O(blocks).
    std::optional<Unit> try_take(SizeClass size_class, unsigned align_order = 0);
    // Blocks of the class, cached, in descending order: at least one if there is room for one, at
    // most blocks.size(). RETURNS: their number.
    std::size_t take_cached(SizeClass size_class, std::span<Unit> blocks);
    // Takes back a block, in use or cached. REQUIRES: it begins at `unit`, with the class.
    void give_back(Unit unit, SizeClass size_class);
    // Gives the rest of a block in use back. REQUIRES: smaller < the class of the block.
    void shrink(Unit unit, SizeClass smaller);

    // The caller changes it between "in use" and "cached" of one class. THREADS: those that hold
    // the block. REQUIRES: unit < units().
    UnitState& state(Unit unit) { return states_[unit]; }
    Unit units() const { return units_; }
    // Behind the last unit that has ever been in a block. THREADS: any.
    Unit highest_end() const { return highest_end_.load(std::memory_order_relaxed); }

    struct LiveBlock {
        Unit unit;
        SizeClass size_class;
    };
    // Calls visit(LiveBlock) for each block in use, in address order. COST: O(units used).
    template <class Visit>
    void for_each_live(Visit visit) const {
        for (Unit at = 0; at < opened_; at += units_at(at)) {
            if (states_[at] < kFreeBlock) visit(LiveBlock{at, states_[at]});
        }
    }
    // Whether the blocks tile the memory, and the sets have the free ones, none with a free buddy.
    // For tests. COST: O(blocks).
    bool is_valid() const;
    Unit units_free() const;

  private:
    static constexpr unsigned kOrders = 40;

    Unit units_at(Unit unit) const;
    bool is_free(Unit unit, unsigned order) const { return states_[unit] == (kFreeBlock | order); }
    void insert_free(Unit unit, unsigned order);
    void erase_free(Unit unit, unsigned order);
    void free_block(Unit unit, unsigned order);
    void free_run(Unit begin, Unit end);
    std::optional<Unit> try_take_run(std::uint64_t units, unsigned align_order);
    std::optional<Unit> find_run(std::uint64_t units, unsigned align_order);
    void open_more();
    std::optional<Unit> try_take_neighbours(std::uint64_t units, unsigned align_order);

    Unit units_;
    Unit opened_ = 0;  // The units behind are free, and in no block.
    std::atomic<Unit> highest_end_{0};
    char* memory_ = nullptr;
    std::size_t memory_bytes_ = 0;
    UnitState* states_ = nullptr;
    BitTree free_[kOrders];
    std::uint64_t nonempty_ = 0;  // bit i: free_[i] is not empty
};

}  // namespace tessera::heap
