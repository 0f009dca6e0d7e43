// SPDX-License-Identifier: BSD-3-Clause
//
// See blocks.hpp.
#include "tools/check/blocks.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "tools/check/places.hpp"

namespace tessera::check {
namespace {

constexpr unsigned char kPattern = 0xc5;
// Blocks of a larger alignment have no zone before them: it would be as large as the alignment.
constexpr std::size_t kFrontMax = 4096;
// Lies in the zone behind a freed block of team memory. Other PEs read it: teams without a common
// PE have blocks at the same addresses, so what one PE has freed may be a live block of another.
constexpr std::uint64_t kFreedMark = 0x0f4eedb10cdeadc5;

std::uint64_t* mark_of(const Block& block) {
    return reinterpret_cast<std::uint64_t*>((block.end() + 7) / 8 * 8);
}

unsigned char* bytes_at(std::uintptr_t address) {
    return reinterpret_cast<unsigned char*>(address);
}

// The first byte of a zone that was overwritten; nullptr: none.
const unsigned char* overwritten(std::uintptr_t begin, std::size_t bytes) {
    const unsigned char* zone = bytes_at(begin);
    const unsigned char* found =
        std::find_if(zone, zone + bytes, [](unsigned char byte) { return byte != kPattern; });
    return found != zone + bytes ? found : nullptr;
}

}  // namespace

std::string text_of(const Block& block) {
    return "the block of " + std::to_string(block.bytes) + " bytes that " + block.routine + " at " +
           place_of(block.site) + " allocated";
}

const char* kind_of(const Block& block) {
    switch (block.memory) {
        case interpose::Memory::kTeam: return "team";
        case interpose::Memory::kLocal: return "local";
        default: return "symmetric";
    }
}

std::size_t Blocks::front_of(std::size_t alignment) {
    return alignment <= kFrontMax ? std::max(kZone, alignment) : 0;
}

void Blocks::add(const Block& block) {
    // Freed blocks whose memory it got are forgotten.
    const std::uintptr_t begin = block.begin - block.front;
    const std::uintptr_t end = block.end() + kZone;
    auto next = freed_.lower_bound(begin);
    if (next != freed_.begin() && std::prev(next)->second.block.end() > begin) --next;
    while (next != freed_.end() && next->first < end) {
        if (next->second.block.memory == interpose::Memory::kTeam) *mark_of(next->second.block) = 0;
        next = freed_.erase(next);
    }
    std::memset(bytes_at(begin), kPattern, block.front);
    std::memset(bytes_at(block.end()), kPattern, kZone);
    live_[block.begin] = block;
}

void Blocks::remove(const Block& block, const char* routine, const void* site) {
    const Block removed = block;  // `block` may lie in the map.
    live_.erase(removed.begin);
    if (removed.memory == interpose::Memory::kTeam) *mark_of(removed) = kFreedMark;
    freed_[removed.begin] = {removed, routine, site};
}

bool Blocks::is_marked_on(const Block& block, int pe) {
    return pshmem_uint64_g(mark_of(block), pe) == kFreedMark;
}

const Block* Blocks::starting_at(const void* address) const {
    auto found = live_.find(reinterpret_cast<std::uintptr_t>(address));
    return found != live_.end() ? &found->second : nullptr;
}

const Block* Blocks::around(std::uintptr_t address) const {
    auto next = live_.upper_bound(address);
    if (next != live_.begin()) {
        const Block& block = std::prev(next)->second;
        if (address < block.end() + kZone) return &block;
    }
    if (next != live_.end() && address >= next->first - next->second.front) return &next->second;
    return nullptr;
}

const Block* Blocks::before(std::uintptr_t address) const {
    auto next = live_.upper_bound(address);
    return next != live_.begin() ? &std::prev(next)->second : nullptr;
}

const FreedBlock* Blocks::freed_around(std::uintptr_t address) const {
    auto next = freed_.upper_bound(address);
    if (next == freed_.begin()) return nullptr;
    const FreedBlock& freed = std::prev(next)->second;
    return address < freed.block.end() ? &freed : nullptr;
}

std::optional<ptrdiff_t> Blocks::damage_of(const Block& block) {
    const unsigned char* found = overwritten(block.begin - block.front, block.front);
    if (found == nullptr) found = overwritten(block.end(), kZone);
    if (found == nullptr) return std::nullopt;
    return found - bytes_at(block.begin);
}

void Blocks::clear() {
    live_.clear();
    freed_.clear();
}

}  // namespace tessera::check
