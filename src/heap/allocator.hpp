// SPDX-License-Identifier: BSD-3-Clause
//
// Hands out pieces of a symmetric heap as offsets. Called by api/memory.cpp and by finalize's leak
// report; never touches heap memory, so a program that writes past its block cannot damage it.
//
// Every PE runs its own copy and makes the same calls in the same order (OpenSHMEM 1.6, 9.3). The
// answers must agree everywhere, so they depend on the calls alone, not on addresses or time.
//
// Design: the heap is tiled by blocks kept in address order; a freed block merges with its free
// neighbours at once; an allocation takes the smallest free block that fits, the lowest one of
// equals. Best fit with immediate merging is among the designs that waste least (Johnstone and
// Wilson, "The memory fragmentation problem: solved?", ISMM 1998), and its O(log n) trees cost
// little beside the barrier of every collective allocation. A constant-time scheme with size
// classes (TLSF) would save no time that matters, and pack worse.
//
// Blocks of kLineBlockBytesMin and more start on a cache line where there is room, because copies
// run best so. There is no page step for large blocks: the pages of a heap belong to one PE anyway,
// and arrays with equal low address bits collide in the first-level cache.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/platform.hpp"

namespace tessera::heap {

// Also the size step of blocks: suits every C type, and the 16-byte elements of shmem_put128.
inline constexpr std::size_t kMinAlignment = 16;
// From this size on a block starts and ends on a cache line, unless only a tighter place is left.
inline constexpr std::size_t kLineBlockBytesMin = 1024;

// The data that may share cache lines with a block.
enum class Sharing {
    kPlain,           // any other blocks
    kCacheLineOwned,  // none: the block starts and ends on kFalseSharingBytes. For the hints
                      // SHMEM_MALLOC_ATOMICS_REMOTE and SHMEM_MALLOC_SIGNAL_REMOTE.
};

// A block that the program holds.
struct LiveBlock {
    std::size_t offset;
    std::size_t bytes;  // as requested
    Sharing sharing;
};

// THREADS: none. The calls are collective over the world team, so the caller orders them anyway.
// Out of private memory for the bookkeeping (about 80 bytes a block): std::bad_alloc.
class Allocator {
  public:
    // No alignment beyond that of the heap's base can be promised; allocate() refuses it.
    // REQUIRES: base_alignment is a power of two, the same on all PEs, and divides the address at
    // which every PE maps its own heap. heap_bytes is cut down to a multiple of kMinAlignment.
    explicit Allocator(std::size_t heap_bytes, std::size_t base_alignment = kHugePageBytes);

    // Offset of a new block of `bytes`, a multiple of `alignment`; nullopt when there is no room,
    // when bytes is 0, or when alignment is not a power of two up to base_alignment.
    // COST: O(log blocks), except that an alignment above kMinAlignment may make it look at every
    // free block when the heap is nearly full.
    std::optional<std::size_t> allocate(std::size_t bytes, std::size_t alignment = kMinAlignment,
                                        Sharing sharing = Sharing::kPlain);

    // Takes back the block that starts at `offset`. False: no live block starts there.
    // COST: O(log blocks).
    bool free(std::size_t offset);

    struct Resized {
        std::size_t offset;
        bool moved;
    };
    // Gives the live block at `offset` the size `bytes`, in place when shrinking or when the free
    // space behind it suffices. Else allocates a second block: the caller copies, then frees the
    // old one. Keeps the sharing, not the alignment. nullopt, and nothing changed, when there is no
    // room, when bytes is 0, or when no live block starts at `offset`.
    std::optional<Resized> reallocate(std::size_t offset, std::size_t bytes);

    // Requested bytes of the live block that starts at `offset`.
    std::optional<std::size_t> size_of(std::size_t offset) const;
    // The live block of which `offset` is one of the requested bytes. For messages.
    std::optional<LiveBlock> block_containing(std::size_t offset) const;
    // True when [offset, offset + bytes) lies in the requested bytes of one live block.
    // REQUIRES: bytes > 0.
    bool contains(std::size_t offset, std::size_t bytes) const;

    std::size_t heap_bytes() const { return heap_bytes_; }
    // The bytes that live blocks occupy, rounding included. bytes_in_use() + bytes_free() ==
    // heap_bytes().
    std::size_t bytes_in_use() const { return bytes_in_use_; }
    std::size_t bytes_free() const { return heap_bytes_ - bytes_in_use_; }
    // Size of the largest allocation of alignment kMinAlignment that would succeed now.
    std::size_t largest_free() const { return free_.empty() ? 0 : free_.rbegin()->first; }
    // Behind the last byte that has ever been in a block. THREADS: any.
    std::size_t highest_end() const { return highest_end_.load(std::memory_order_relaxed); }
    std::size_t live_blocks() const { return blocks_.size() - free_.size(); }

    // Calls visit(const LiveBlock&) for every live block, in address order.
    template <class Visit>
    void for_each_live(Visit visit) const {
        for (const auto& [offset, block] : blocks_) {
            if (!block.is_free()) visit(LiveBlock{offset, block.bytes, block.sharing});
        }
    }

    // Whether all invariants hold; see allocator.cpp. COST: O(blocks log blocks). For tests.
    bool is_valid() const;

  private:
    struct Block {
        std::size_t capacity;   // bytes up to the next block, a multiple of kMinAlignment
        std::size_t bytes = 0;  // as requested; 0 marks a free block
        Sharing sharing = Sharing::kPlain;

        bool is_free() const { return bytes == 0; }
    };
    // The blocks tile the heap: each ends where the next starts, and no two neighbours are free.
    using Blocks = std::map<std::size_t, Block>;                      // by offset
    using FreeIndex = std::set<std::pair<std::size_t, std::size_t>>;  // (capacity, offset)

    void note_end(std::size_t end) {
        highest_end_.store(std::max(highest_end(), end), std::memory_order_relaxed);
    }

    // Space that a block takes up and the alignment of its start.
    struct Shape {
        std::size_t capacity;
        std::size_t alignment;
    };
    static Shape required_shape(std::size_t bytes, std::size_t alignment, Sharing sharing);
    static Shape preferred_shape(std::size_t bytes, std::size_t alignment, Sharing sharing);

    FreeIndex::iterator find_space(Shape shape) const;
    Blocks::iterator take(FreeIndex::iterator space, Shape shape);
    bool resize_in_place(Blocks::iterator block, std::size_t capacity);
    void insert_free(Blocks::iterator before, std::size_t offset, std::size_t capacity);
    std::size_t remove_free(Blocks::iterator block);
    bool is_tiled() const;

    std::size_t heap_bytes_;
    std::size_t base_alignment_;
    std::size_t bytes_in_use_ = 0;  // sum of the capacities of live blocks
    std::atomic<std::size_t> highest_end_{0};
    Blocks blocks_;
    FreeIndex free_;
};

}  // namespace tessera::heap
