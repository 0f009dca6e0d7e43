// SPDX-License-Identifier: BSD-3-Clause
//
// The block map and its free index; see allocator.hpp for the design. `blocks_` says where every
// block is, free or live; `free_` holds the free ones again, by size. Both change together, in
// take(), free() and resize_in_place(), through insert_free() and remove_free().
//
// Arithmetic cannot overflow: the heap is at most half of the address space, requests above its
// size are refused first, and what is added after that is at most one alignment.
#include "heap/allocator.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>

#include "base/bits.hpp"

namespace tessera::heap {
namespace {

constexpr std::size_t kHeapBytesMax = std::numeric_limits<std::size_t>::max() / 2;
// How many of the best-fitting blocks find_space() tries for an alignment before it takes one that
// fits wherever it starts. Bounds the time, costs little space.
constexpr int kAlignedCandidatesMax = 64;

}  // namespace

Allocator::Allocator(std::size_t heap_bytes, std::size_t base_alignment)
    : heap_bytes_(align_down(std::min(heap_bytes, kHeapBytesMax), kMinAlignment)),
      base_alignment_(base_alignment) {
    if (heap_bytes_ > 0) insert_free(blocks_.end(), 0, heap_bytes_);
}

std::optional<std::size_t> Allocator::allocate(std::size_t bytes, std::size_t alignment,
                                               Sharing sharing) {
    if (bytes == 0 || bytes > heap_bytes_) return std::nullopt;
    if (!std::has_single_bit(alignment) || alignment > base_alignment_) return std::nullopt;

    Shape shape = preferred_shape(bytes, alignment, sharing);
    FreeIndex::iterator space = find_space(shape);
    if (space == free_.end()) {
        shape = required_shape(bytes, alignment, sharing);
        space = find_space(shape);
    }
    if (space == free_.end()) return std::nullopt;

    const Blocks::iterator block = take(space, shape);
    block->second.bytes = bytes;
    block->second.sharing = sharing;
    return block->first;
}

bool Allocator::free(std::size_t offset) {
    Blocks::iterator block = blocks_.find(offset);
    if (block == blocks_.end() || block->second.is_free()) return false;

    std::size_t capacity = block->second.capacity;
    bytes_in_use_ -= capacity;
    if (block != blocks_.begin() && std::prev(block)->second.is_free()) {
        offset = std::prev(block)->first;
        capacity += remove_free(std::prev(block));
    }
    Blocks::iterator next = blocks_.erase(block);
    if (next != blocks_.end() && next->second.is_free()) {
        const Blocks::iterator merged = next++;
        capacity += remove_free(merged);
    }
    insert_free(next, offset, capacity);
    return true;
}

std::optional<Allocator::Resized> Allocator::reallocate(std::size_t offset, std::size_t bytes) {
    const Blocks::iterator block = blocks_.find(offset);
    if (block == blocks_.end() || block->second.is_free()) return std::nullopt;
    if (bytes == 0 || bytes > heap_bytes_) return std::nullopt;

    const Sharing sharing = block->second.sharing;
    const std::size_t required = required_shape(bytes, kMinAlignment, sharing).capacity;
    // A tighter place may have made the block start inside a cache line, so its end counts.
    const std::size_t preferred = bytes < kLineBlockBytesMin
                                      ? required
                                      : align_up(offset + required, kCacheLineBytes) - offset;
    if (resize_in_place(block, preferred) || resize_in_place(block, required)) {
        block->second.bytes = bytes;
        return Resized{offset, false};
    }
    const std::optional<std::size_t> moved_to = allocate(bytes, kMinAlignment, sharing);
    if (!moved_to) return std::nullopt;
    return Resized{*moved_to, true};
}

std::optional<std::size_t> Allocator::size_of(std::size_t offset) const {
    const auto block = blocks_.find(offset);
    if (block == blocks_.end() || block->second.is_free()) return std::nullopt;
    return block->second.bytes;
}

std::optional<LiveBlock> Allocator::block_containing(std::size_t offset) const {
    auto block = blocks_.upper_bound(offset);
    if (block == blocks_.begin()) return std::nullopt;
    --block;
    // A free block has 0 bytes, so nothing lies in it.
    if (offset - block->first >= block->second.bytes) return std::nullopt;
    return LiveBlock{block->first, block->second.bytes, block->second.sharing};
}

bool Allocator::contains(std::size_t offset, std::size_t bytes) const {
    const std::optional<LiveBlock> block = block_containing(offset);
    return block && bytes <= block->bytes - (offset - block->offset);
}

// The shape that the caller was promised.
Allocator::Shape Allocator::required_shape(std::size_t bytes, std::size_t alignment,
                                           Sharing sharing) {
    const std::size_t step =
        sharing == Sharing::kCacheLineOwned ? kFalseSharingBytes : kMinAlignment;
    return {.capacity = align_up(bytes, step), .alignment = std::max(alignment, step)};
}

// The same, but larger blocks fill cache lines. They then leave no slivers between them either.
Allocator::Shape Allocator::preferred_shape(std::size_t bytes, std::size_t alignment,
                                            Sharing sharing) {
    const Shape required = required_shape(bytes, alignment, sharing);
    if (bytes < kLineBlockBytesMin) return required;
    return {.capacity = align_up(required.capacity, kCacheLineBytes),
            .alignment = std::max(required.alignment, kCacheLineBytes)};
}

// Best fit: the smallest free block in which the shape has room, the lowest one of equals.
Allocator::FreeIndex::iterator Allocator::find_space(Shape shape) const {
    const auto fits = [shape](const FreeIndex::value_type& space) {
        const std::size_t skipped = align_up(space.second, shape.alignment) - space.second;
        return skipped <= space.first && shape.capacity <= space.first - skipped;
    };
    FreeIndex::iterator space = free_.lower_bound({shape.capacity, 0});
    // From here on blocks are so large that every one of them fits.
    const FreeIndex::iterator roomy =
        free_.lower_bound({shape.capacity + shape.alignment - kMinAlignment, 0});

    for (int tried = 0; space != roomy; ++space, ++tried) {
        if (tried == kAlignedCandidatesMax && roomy != free_.end()) break;
        if (fits(*space)) return space;
    }
    return roomy;
}

// Cuts a live block of `shape` out of the free block `space`; both remainders stay free.
Allocator::Blocks::iterator Allocator::take(FreeIndex::iterator space, Shape shape) {
    const auto [space_capacity, space_offset] = *space;
    const std::size_t offset = align_up(space_offset, shape.alignment);
    const std::size_t before = offset - space_offset;
    const std::size_t behind = space_capacity - before - shape.capacity;

    const Blocks::iterator old = blocks_.find(space_offset);
    const Blocks::iterator next = std::next(old);
    remove_free(old);
    if (before > 0) insert_free(next, space_offset, before);
    const Blocks::iterator block =
        blocks_.emplace_hint(next, offset, Block{.capacity = shape.capacity});
    if (behind > 0) insert_free(next, offset + shape.capacity, behind);
    bytes_in_use_ += shape.capacity;
    note_end(offset + shape.capacity);
    return block;
}

// Moves the end of a live block, at the expense or to the benefit of free space behind it.
bool Allocator::resize_in_place(Blocks::iterator block, std::size_t capacity) {
    Blocks::iterator next = std::next(block);
    const bool next_is_free = next != blocks_.end() && next->second.is_free();
    const std::size_t available =
        block->second.capacity + (next_is_free ? next->second.capacity : 0);
    if (capacity > available) return false;

    if (next_is_free) {
        const Blocks::iterator absorbed = next++;
        remove_free(absorbed);
    }
    bytes_in_use_ += capacity - block->second.capacity;
    block->second.capacity = capacity;
    note_end(block->first + capacity);
    if (capacity < available) insert_free(next, block->first + capacity, available - capacity);
    return true;
}

void Allocator::insert_free(Blocks::iterator before, std::size_t offset, std::size_t capacity) {
    blocks_.emplace_hint(before, offset, Block{.capacity = capacity});
    free_.emplace(capacity, offset);
}

// Returns the capacity that the block had.
std::size_t Allocator::remove_free(Blocks::iterator block) {
    const std::size_t capacity = block->second.capacity;
    free_.erase({capacity, block->first});
    blocks_.erase(block);
    return capacity;
}

// Whether blocks follow each other without gap or overlap from 0 to heap_bytes_, each with a
// possible size, and no two free ones side by side.
bool Allocator::is_tiled() const {
    std::size_t end = 0;
    bool previous_is_free = false;
    for (const auto& [offset, block] : blocks_) {
        if (offset != end || block.capacity == 0 || block.capacity % kMinAlignment != 0)
            return false;
        if (block.capacity > heap_bytes_ - end || block.bytes > block.capacity) return false;
        if (block.is_free() && previous_is_free) return false;
        const bool owns_lines =
            offset % kFalseSharingBytes == 0 && block.capacity % kFalseSharingBytes == 0;
        if (block.sharing == Sharing::kCacheLineOwned && !owns_lines) return false;
        previous_is_free = block.is_free();
        end = offset + block.capacity;
    }
    return end == heap_bytes_;
}

bool Allocator::is_valid() const {
    if (!is_tiled()) return false;
    std::size_t free_blocks = 0;
    std::size_t in_use = 0;
    for (const auto& [offset, block] : blocks_) {
        if (!block.is_free()) {
            in_use += block.capacity;
            continue;
        }
        ++free_blocks;
        if (!free_.contains({block.capacity, offset})) return false;
    }
    return free_blocks == free_.size() && in_use == bytes_in_use_;
}

}  // namespace tessera::heap
