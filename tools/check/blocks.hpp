// SPDX-License-Identifier: BSD-3-Clause
//
// The blocks of this PE, live and freed: of the symmetric heap, of team memory and of local memory
// (shmemx.h). Each gets a red zone before and behind it: bytes of a pattern that belong to no
// object of the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/interpose/call.hpp"

namespace tessera::check {

struct Block {
    std::uintptr_t begin = 0;  // as the program sees it
    std::size_t bytes = 0;
    std::size_t front = 0;     // bytes of the zone before it
    const char* routine = "";  // routine that allocated it
    const void* site = nullptr;
    interpose::Caller caller = interpose::Caller::kProgram;
    interpose::Memory memory = interpose::Memory::kSymmetric;
    shmem_team_t team = SHMEM_TEAM_INVALID;  // team of a block of team memory
    std::uintptr_t end() const { return begin + bytes; }
};

struct FreedBlock {
    Block block;
    const char* routine = "";  // routine that freed it
    const void* site = nullptr;
};

// "the block of 80 bytes that shmem_malloc at main (heat.c:12) allocated"
std::string text_of(const Block& block);
// The kind of memory that the block lies in: "symmetric", "team" or "local".
const char* kind_of(const Block& block);

class Blocks {
  public:
    static constexpr std::size_t kZone = 64;

    // Bytes of the zones of a block with this alignment (0: any): before it, and in all.
    static std::size_t front_of(std::size_t alignment);
    static std::size_t total_of(std::size_t bytes, std::size_t front) {
        return front + bytes + kZone;
    }

    // Paints the zones.
    void add(const Block& block);
    // Marks the memory as freed, in this PE's copy.
    void remove(const Block& block, const char* routine, const void* site);
    // Whether PE `pe` has freed the block at this address, too, and not allocated it again.
    static bool is_marked_on(const Block& block, int pe);

    const Block* starting_at(const void* address) const;
    // The live block that the byte, or a zone that it lies in, belongs to.
    const Block* around(std::uintptr_t address) const;
    // The live block with the highest address below `address`.
    const Block* before(std::uintptr_t address) const;
    const FreedBlock* freed_around(std::uintptr_t address) const;

    // Where a zone of the block no longer has its pattern, relative to the block's start.
    static std::optional<ptrdiff_t> damage_of(const Block& block);
    const std::map<std::uintptr_t, Block>& live() const { return live_; }
    void clear();

  private:
    std::map<std::uintptr_t, Block> live_;
    std::map<std::uintptr_t, FreedBlock> freed_;
};

}  // namespace tessera::check
