// SPDX-License-Identifier: BSD-3-Clause
//
// See team_memory.hpp.
#include "heap/team_memory.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "base/bits.hpp"

namespace tessera::heap {

std::size_t TeamMemory::Request::place_in(const Extent& extent) const {
    const std::size_t begin = std::max(extent.begin, from);
    const std::size_t place = align_up(begin, alignment);
    const bool fits = place >= begin && place < extent.end && bytes <= extent.end - place;
    return fits ? place : kNoLimit;
}

TeamMemory::TeamMemory(std::size_t begin, std::size_t bytes) : begin_(begin), end_(begin + bytes) {
    if (bytes > 0) insert_free(begin, end_);
}

std::size_t TeamMemory::class_of(std::size_t bytes) {
    return static_cast<std::size_t>(std::bit_width(bytes)) - 1;
}

void TeamMemory::insert_free(std::size_t begin, std::size_t end) {
    const auto next = free_.lower_bound(begin);
    if (next != free_.begin() && std::prev(next)->second == begin) {
        begin = std::prev(next)->first;
        remove_free(begin);
    }
    if (const auto behind = free_.find(end); behind != free_.end()) {
        end = behind->second;
        remove_free(behind->first);
    }
    free_.emplace(begin, end);
    free_classes_[class_of(end - begin)].insert(begin);
}

void TeamMemory::remove_free(std::size_t begin) {
    const auto extent = free_.find(begin);
    free_classes_[class_of(extent->second - begin)].erase(begin);
    free_.erase(extent);
}

// Only the last extent that begins before `from` can reach behind it.
std::optional<TeamMemory::Extent> TeamMemory::next_of_class(std::size_t size_class,
                                                            std::size_t from,
                                                            const Request& request) const {
    const std::set<std::size_t>& begins = free_classes_[size_class];
    auto begin = begins.upper_bound(from);
    if (begin != begins.begin()) --begin;
    for (; begin != begins.end(); ++begin) {
        const Extent extent{.begin = std::max(*begin, from), .end = free_.at(*begin)};
        if (extent.begin < extent.end && request.place_in(extent) != kNoLimit) return extent;
    }
    return std::nullopt;
}

// The lowest one of all classes.
std::optional<TeamMemory::Extent> TeamMemory::next_free(std::size_t from,
                                                        const Request& request) const {
    std::optional<Extent> lowest;
    for (std::size_t each = class_of(request.bytes); each < free_classes_.size(); ++each) {
        if (free_classes_[each].empty()) continue;
        const auto next = next_of_class(each, from, request);
        if (next && (!lowest || next->begin < lowest->begin)) lowest = next;
    }
    return lowest;
}

TeamMemory::Offer TeamMemory::open_offer(const Request& request, bool& is_contended) {
    std::lock_guard guard(lock_);
    is_contended = open_offers_++ > 0;
    Offer offer;
    std::size_t from = request.from;
    while (true) {
        std::optional<Extent> next = next_free(from, request);
        if (!next) break;
        if (offer.count == kExtentsMax) {
            offer.limit = next->begin;
            break;
        }
        const std::size_t place = request.place_in(*next);
        if (next->end - place > request.extent_max) {
            next->end = place + std::max(request.extent_max, request.bytes);
            offer.limit = next->end;
        }
        offer.extents[offer.count++] = *next;
        if (offer.limit != kNoLimit) break;
        from = next->end;
    }
    for (std::size_t i = 0; i < offer.count; ++i) {
        const Extent& taken = offer.extents[i];
        const auto whole = std::prev(free_.upper_bound(taken.begin));
        const Extent extent{.begin = whole->first, .end = whole->second};
        remove_free(extent.begin);
        if (extent.begin < taken.begin) insert_free(extent.begin, taken.begin);
        if (taken.end < extent.end) insert_free(taken.end, extent.end);
    }
    return offer;
}

void TeamMemory::close_offer(const Offer& offer, std::size_t offset, std::size_t bytes,
                             const void* team) {
    std::lock_guard guard(lock_);
    --open_offers_;
    for (std::size_t i = 0; i < offer.count; ++i) {
        const Extent& extent = offer.extents[i];
        if (offset < extent.begin || offset >= extent.end) {
            insert_free(extent.begin, extent.end);
            continue;
        }
        if (extent.begin < offset) insert_free(extent.begin, offset);
        if (offset + bytes < extent.end) insert_free(offset + bytes, extent.end);
        blocks_.emplace(offset, Block{.begin = offset, .bytes = bytes, .team = team});
        bytes_in_use_ += bytes;
        highest_end_.store(std::max(highest_end(), offset + bytes), std::memory_order_relaxed);
    }
}

std::optional<TeamMemory::Block> TeamMemory::block_containing(std::size_t offset) const {
    std::lock_guard guard(lock_);
    auto next = blocks_.upper_bound(offset);
    if (next == blocks_.begin()) return std::nullopt;
    const Block& block = std::prev(next)->second;
    return offset - block.begin < block.bytes ? std::optional(block) : std::nullopt;
}

void TeamMemory::free(std::size_t offset) {
    std::lock_guard guard(lock_);
    const auto block = blocks_.find(offset);
    bytes_in_use_ -= block->second.bytes;
    insert_free(offset, offset + block->second.bytes);
    blocks_.erase(block);
}

std::size_t TeamMemory::free_all_of(const void* team) {
    std::lock_guard guard(lock_);
    return std::erase_if(blocks_, [&](const auto& entry) {
        const auto& [offset, block] = entry;
        if (block.team != team) return false;
        bytes_in_use_ -= block.bytes;
        insert_free(offset, offset + block.bytes);
        return true;
    });
}

std::size_t TeamMemory::blocks() const {
    std::lock_guard guard(lock_);
    return blocks_.size();
}

std::size_t TeamMemory::bytes_in_use() const {
    std::lock_guard guard(lock_);
    return bytes_in_use_;
}

std::size_t TeamMemory::free_extents() const {
    std::lock_guard guard(lock_);
    return free_.size();
}

bool TeamMemory::is_valid() const {
    std::lock_guard guard(lock_);
    std::map<std::size_t, std::size_t> all = free_;
    for (const auto& [offset, block] : blocks_) all.emplace(offset, offset + block.bytes);
    std::size_t at = begin_;
    bool was_free = false;
    for (const auto& [begin, end] : all) {
        const bool is_free = free_.contains(begin);
        if (open_offers_ == 0 && (begin != at || (was_free && is_free))) return false;
        if (begin < at || begin >= end) return false;
        if (is_free && !free_classes_[class_of(end - begin)].contains(begin)) return false;
        was_free = is_free;
        at = end;
    }
    return at == end_ || open_offers_ > 0;
}

}  // namespace tessera::heap
