// SPDX-License-Identifier: BSD-3-Clause
//
// The blocks of this PE's team memory (heap/node_file.hpp: MemoryRange), as offsets. The members of
// a team put a block at an offset that is free on all of them: the lowest one. To find it each
// member lists its lowest free extents, an offer, and the members intersect these lists
// (collectives/team_memory.cpp). Never touches the memory itself.
//
// While an offer is open its extents are taken: two threads that allocate for two teams at the same
// time never offer the same bytes. So the offset that the members find is free on each without a
// second look.
//
// Blocks are multiples of kUnit, so at most kUnit - 1 bytes of a block are lost. Address-ordered
// first fit is among the designs that waste least (Johnstone and Wilson, 1998). Bound: a request of
// b bytes without alignment fails only if in each b + kUnit successive bytes of the memory a member
// holds a byte of a block, so always succeeds while
//   (bytes of the blocks that members hold) + (number of these blocks + 1) * (b + kUnit) <= size.
// In the long run first fit needs at most lg(largest block / smallest block) + 1 times the most
// bytes that are held at once (Robson, "Worst case fragmentation of first fit and best fit storage
// allocation strategies", 1977).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/mutexes.hpp"
#include "base/platform.hpp"

namespace tessera::heap {

// THREADS: any. Out of private memory for the bookkeeping: std::bad_alloc.
class TeamMemory {
  public:
    // Blocks begin and end on cache lines, so that members that write theirs do not slow down
    // writers of other blocks.
    static constexpr std::size_t kUnit = kCacheLineBytes;
    static constexpr std::size_t kExtentsMax = 6;
    static constexpr std::size_t kNoLimit = ~std::size_t{0};

    struct Extent {
        std::size_t begin = 0;
        std::size_t end = 0;
    };
    // The free extents in [from, limit) that have room for a block; kNoLimit: there are no others.
    struct Offer {
        std::size_t limit = kNoLimit;
        std::size_t count = 0;
        std::array<Extent, kExtentsMax> extents;
    };
    // A place for `bytes`, a multiple of `alignment`.
    struct Request {
        std::size_t bytes = 0;  // a multiple of kUnit
        std::size_t alignment = kUnit;
        std::size_t from = 0;
        // Bytes of an extent to offer at most: less where other threads allocate, too.
        std::size_t extent_max = kNoLimit;

        // The first place in the extent; kNoLimit: none.
        std::size_t place_in(const Extent& extent) const;
    };

    // Offsets from `begin` to `begin + bytes`.
    TeamMemory(std::size_t begin, std::size_t bytes);

    // Takes the offered extents. `is_contended`: another offer is open, which may hide free bytes.
    Offer open_offer(const Request& request, bool& is_contended);
    // Puts the extents back, but for a block of team `team` at `offset`.
    // REQUIRES: the block lies in one of the extents; kNoLimit: no block.
    void close_offer(const Offer& offer, std::size_t offset, std::size_t bytes, const void* team);

    struct Block {
        std::size_t begin = 0;
        std::size_t bytes = 0;
        const void* team = nullptr;
    };
    // The block that holds the byte at `offset`.
    std::optional<Block> block_containing(std::size_t offset) const;
    // REQUIRES: a block begins there.
    void free(std::size_t offset);
    // All blocks of a team. RETURNS: their number.
    std::size_t free_all_of(const void* team);

    // Behind the last byte that has ever been in a block.
    std::size_t highest_end() const { return highest_end_.load(std::memory_order_relaxed); }
    std::size_t blocks() const;
    std::size_t bytes_in_use() const;
    std::size_t free_extents() const;
    // Whether blocks, offers and free extents tile the memory, and no two neighbours are free.
    bool is_valid() const;

  private:
    // Free extents by the power of two of their sizes.
    static std::size_t class_of(std::size_t bytes);
    std::optional<Extent> next_free(std::size_t from, const Request& request) const;
    std::optional<Extent> next_of_class(std::size_t size_class, std::size_t from,
                                        const Request& request) const;
    void insert_free(std::size_t begin, std::size_t end);
    void remove_free(std::size_t begin);

    mutable ShortMutex lock_;  // Held for one call; never while waiting for another PE.
    std::size_t begin_;
    std::size_t end_;
    std::size_t open_offers_ = 0;
    std::map<std::size_t, std::size_t> free_;             // begin -> end
    std::array<std::set<std::size_t>, 64> free_classes_;  // begins
    std::map<std::size_t, Block> blocks_;                 // by offset
    std::size_t bytes_in_use_ = 0;
    std::atomic<std::size_t> highest_end_{0};
};

}  // namespace tessera::heap
