// SPDX-License-Identifier: BSD-3-Clause
//
// See memory.hpp. blocks.hpp keeps the blocks.
#include "tools/check/memory.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>

#include "tools/check/blocks.hpp"
#include "tools/check/places.hpp"
#include "tools/check/ranges.hpp"
#include "tools/check/report.hpp"
#include "tools/check/shown_blocks.hpp"

// The library's (session/checker.hpp); weak, because a script has loaded the checker without it.
extern "C" __attribute__((weak)) const char* shmem_internal_part_of(const void* address);

namespace tessera::check {
namespace {

using interpose::Call;
using interpose::Caller;
using interpose::Kind;
using interpose::Memory;

std::recursive_mutex mutex;  // object_at() is called by parts of a check, and by others
Blocks& blocks = *new Blocks;
ShownBlocks shown_blocks;

void add(const Block& block) {
    blocks.add(block);
    shown_blocks.add(block);
}

void remove(const Block& block, const Call& call) {
    shown_blocks.remove(block);
    blocks.remove(block, call.routine, call.site);
}

std::string freed_by(const FreedBlock& freed) {
    return std::string("freed by ") + freed.routine + " at " + place_of(freed.site);
}

std::string hex(const void* address) {
    char text[32];
    std::snprintf(text, sizeof text, "%p", address);
    return text;
}

std::string position(ptrdiff_t offset, std::size_t bytes) {
    if (offset < 0) return std::to_string(-offset) + " bytes before its start";
    return std::to_string(offset - static_cast<ptrdiff_t>(bytes)) + " bytes behind its end";
}

// Whether a live block of this PE lies at the same address on PE `pe`.
bool is_block_of(const Block& block, int pe) {
    if (pe == my_pe()) return true;
    switch (block.memory) {
        case Memory::kTeam: return pshmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, block.team) >= 0;
        case Memory::kLocal: return false;
        default: return true;
    }
}

bool is_freed_on(const Block& block, int pe) {
    if (pe == my_pe()) return true;
    switch (block.memory) {
        case Memory::kTeam: return Blocks::is_marked_on(block, pe);
        case Memory::kLocal: return false;
        default: return true;
    }
}

// The PE that has the memory. A lock is on all of them.
int owner_of(const Call& call, const Range& range) {
    const int target = range.is_remote ? target_of(call) : -1;
    return target >= 0 ? target : my_pe();
}

// A store wrote it, or a call of a PE that this PE cannot see.
void check_block_zones(const Call& call, const Block& block) {
    const auto damage = Blocks::damage_of(block);
    if (!damage) return;
    const Block copy = block;
    blocks.add(copy);  // Told once.
    report(
        call, std::string("memory outside a ") + kind_of(copy) + " block was written",
        {"found by " + text_of(call),
         text_of(copy) + " was overrun: a byte " + position(*damage, copy.bytes) + " has changed",
         "A store of this PE, or of another one through shmem_ptr, wrote it since the last "
         "barrier or allocation; compare indices with the block's size."});
}

// RETURNS: whether there was something to tell; the library explains the rest.
bool report_bad_free(const Call& call) {
    const auto address = reinterpret_cast<std::uintptr_t>(call.dest);
    const FreedBlock* freed = blocks.freed_around(address);
    if (freed != nullptr && freed->block.begin == address) {
        report(call, "a block was freed twice",
               {text_of(call), text_of(freed->block) + " was already " + freed_by(*freed),
                "Free each block once, and set the pointer to NULL then."});
        return true;
    }
    if (const Block* block = blocks.around(address)) {
        report(call, "the address to free is not the start of a block",
               {text_of(call),
                hex(call.dest) + " lies " +
                    std::to_string(static_cast<ptrdiff_t>(address - block->begin)) +
                    " bytes behind the start of " + text_of(*block),
                "Pass the address that the allocation returned."});
        return true;
    }
    return false;
}

// The team whose memory the call allocates or frees.
shmem_team_t team_of_block(const Call& call) {
    return call.memory == Memory::kTeam ? call.team : SHMEM_TEAM_INVALID;
}

// Whether the call allocates and frees memory of the block's kind.
bool is_block_of_call(const Block& block, const Call& call) {
    return block.memory == call.memory && block.team == team_of_block(call);
}

// RETURNS: the live block; nullptr where the library will tell, or after a report, with which a
// free that goes on is one of nothing.
const Block* block_to_free(Call& call) {
    const Block* block = blocks.starting_at(call.dest);
    if (block == nullptr) {
        const bool is_told = report_bad_free(call);
        if (is_told && call.kind == Kind::kFree) call.dest = nullptr;
        return nullptr;
    }
    if (!is_block_of_call(*block, call)) return nullptr;
    check_block_zones(call, *block);
    return block;
}

bool allocates(const Call& call) {
    return call.kind == Kind::kAllocate || (call.kind == Kind::kReallocate && call.size != 0);
}

// ---- Arguments ----------------------------------------------------------------------------------

std::string what(const Call& call, const Range& range) {
    const char* verb = range.is_written ? "writes " : "reads ";
    std::string text = verb + counted(range.bytes, "byte", "bytes");
    if (range.name != nullptr) text += std::string(" at its argument ") + range.name;
    const int target = target_of(call);
    if (range.is_remote && target >= 0) text += " on PE " + std::to_string(target);
    return text;
}

// The live block before the address, for a range that lies in none.
std::string neighbour_of(std::uintptr_t address) {
    const Block* before = blocks.before(address);
    if (before == nullptr) return "no live block lies before it";
    const std::size_t distance = address - before->end();
    return "it begins " + counted(distance, "byte", "bytes") + " behind the end of " +
           text_of(*before) + ", the last one before it";
}

// Memory of another PE in which this PE has allocated nothing; that PE knows.
void check_blocks_of(const Call& call, const Range& range, int owner, const std::string& subject,
                     const std::string& kind) {
    const ShownBlocks::Found found = shown_blocks.find(range.begin, owner);
    if (found.answer == ShownBlocks::Answer::kUnknown) return;
    const std::string its = "PE " + std::to_string(owner);
    if (found.answer == ShownBlocks::Answer::kNone) {
        report(call, subject + " uses " + kind + " memory that lies in no block",
               {text_of(call) + " " + what(call, range), its + " has no block there",
                "Compare the address with those that " + its + " has allocated."});
    } else if (range.end() - found.begin > found.bytes) {
        const auto end = static_cast<ptrdiff_t>(range.end() - found.begin);
        report(call, subject + " goes outside a " + kind + " block of another PE",
               {text_of(call) + " " + what(call, range),
                "the last byte lies " + position(end, found.bytes) + ", a block of " +
                    std::to_string(found.bytes) + " bytes that " + its + " has allocated",
                "Compare the number of elements, and the element's type, with the block's size."});
    }
}

// Memory that the library hands out in blocks, and in which this PE knows none at this place.
// RETURNS: whether it is such memory.
bool check_no_block(const Call& call, const Range& range, const std::string& subject) {
    if (shmem_internal_part_of == nullptr) return false;
    const char* part = shmem_internal_part_of(reinterpret_cast<const void*>(range.begin));
    if (part == nullptr) return false;
    const std::string kind = part[0] == 's' ? "symmetric" : part[0] == 't' ? "team" : "local";
    const int owner = owner_of(call, range);
    if (owner != my_pe() && kind != "symmetric") {
        check_blocks_of(call, range, owner, subject, kind);
        return true;
    }
    report(
        call, subject + " uses " + kind + " memory that lies in no block",
        {text_of(call) + " " + what(call, range), neighbour_of(range.begin),
         "Compare the index, and the element's type, with the size of the block that is meant."});
    return true;
}

// RETURNS: whether the memory is, or was, a block.
bool check_blocks(const Call& call, const Range& range, const std::string& subject) {
    const int owner = owner_of(call, range);
    const Block* block = blocks.around(range.begin);
    if (block != nullptr && is_block_of(*block, owner)) {
        if (range.begin >= block->begin && range.end() <= block->end()) return true;
        const auto start = static_cast<ptrdiff_t>(range.begin - block->begin);
        const auto end = static_cast<ptrdiff_t>(range.end() - block->begin);
        const bool is_before = range.begin < block->begin;
        report(
            call, subject + " goes outside a " + kind_of(*block) + " block",
            {text_of(call) + " " + what(call, range),
             is_before
                 ? "the first byte lies " + position(start, block->bytes) + ", " + text_of(*block)
                 : "the last byte lies " + position(end, block->bytes) + ", " + text_of(*block),
             "Compare the number of elements, and the element's type, with the block's size."});
        return true;
    }
    const FreedBlock* freed = blocks.freed_around(range.begin);
    if (freed != nullptr && is_freed_on(freed->block, owner)) {
        report(call, std::string("freed ") + kind_of(freed->block) + " memory is used",
               {text_of(call) + " " + what(call, range),
                "it lies in " + text_of(freed->block) + ", " + freed_by(*freed),
                "Free the block behind its last use."});
        return true;
    }
    return false;
}

void check_range(const Call& call, const Range& range) {
    if (check_blocks(call, range, "a call") || check_no_block(call, range, "a call")) return;
    if (const auto variable = variable_at(reinterpret_cast<const void*>(range.begin))) {
        if (variable->bytes == 0 || variable->offset + range.bytes <= variable->bytes) return;
        report(call, "a call goes outside a static variable",
               {text_of(call) + " " + what(call, range),
                "that is " + variable->text + ", a variable of " + std::to_string(variable->bytes) +
                    " bytes",
                "Compare the number of elements, and the element's type, with the variable."});
    }
}

// Whether two arguments name the same memory: both of this PE, or both of the target.
bool meet(const Call& call, const Range& a, const Range& b) {
    if (!a.is_written && !b.is_written) return false;
    if (a.end() <= b.begin || b.end() <= a.begin) return false;
    return a.is_remote == b.is_remote || target_of(call) == my_pe();
}

// Source and dest of collectives may be the same: the specification says so of reductions, and
// programs do it elsewhere (docs/run/checking.md).
bool may_be_same(const Call& call, const Range& a, const Range& b) {
    const auto is_data = [](const Range& range) { return range.name[0] != 'p'; };  // pSync, pWrk
    return call.kind == Kind::kCollective && a.begin == b.begin && is_data(a) && is_data(b);
}

std::string object_of(const Call& call, const Range& range) {
    return object_at(reinterpret_cast<const void*>(range.begin), owner_of(call, range));
}

void check_overlap(const Call& call, const std::vector<Range>& ranges) {
    std::vector<Range> dense;  // Lists of blocks may be long.
    std::ranges::copy_if(ranges, std::back_inserter(dense), &Range::is_dense);
    for (std::size_t i = 0; i < dense.size(); ++i) {
        for (std::size_t k = i + 1; k < dense.size(); ++k) {
            const Range& a = dense[i];
            const Range& b = dense[k];
            if (!meet(call, a, b) || may_be_same(call, a, b)) continue;
            report(
                call, "arguments overlap",
                {text_of(call) + ": " + a.name + " (" + std::to_string(a.bytes) + " bytes) and " +
                     b.name + " (" + std::to_string(b.bytes) + " bytes) have bytes in common",
                 a.name + std::string(" is ") + object_of(call, a) + ", " + b.name + " is " +
                     object_of(call, b),
                 "Memory that a call writes may not overlap another argument of it."});
        }
    }
}

void note_blocks_left(Memory memory, const char* one, const char* many) {
    constexpr std::size_t kToldMax = 10;
    std::vector<std::string> lines;
    std::size_t count = 0;
    for (const auto& [begin, block] : blocks.live()) {
        // The runtimes free their own blocks.
        if (block.memory != memory || block.caller != Caller::kProgram) continue;
        // The blocks of team memory are told by the team's first member.
        if (memory == Memory::kTeam && pshmem_team_my_pe(block.team) != 0) continue;
        if (++count <= kToldMax) lines.push_back(text_of(block));
    }
    if (count == 0) return;
    if (count > kToldMax) lines.push_back("and " + std::to_string(count - kToldMax) + " others");
    note("not freed: " + counted(count, one, many), lines);
}

}  // namespace

std::string object_at(const void* address, int pe) {
    std::lock_guard guard(mutex);
    const auto start = reinterpret_cast<std::uintptr_t>(address);
    const Block* block = blocks.around(start);
    if (block != nullptr && is_block_of(*block, pe)) {
        const auto offset = static_cast<ptrdiff_t>(start - block->begin);
        return (offset != 0 ? "byte " + std::to_string(offset) + " of " : "") + text_of(*block);
    }
    if (const auto variable = variable_at(address)) return "the variable " + variable->text;
    return hex(address);
}

std::string object_at(const void* address) { return object_at(address, my_pe()); }

std::size_t freed_bytes(const Call& call) {
    std::lock_guard guard(mutex);
    const Block* block = blocks.starting_at(call.dest);
    return block != nullptr && is_block_of_call(*block, call) ? block->bytes : 0;
}

void before_memory(Call& call) {
    std::lock_guard guard(mutex);
    call.note = call.size;
    const bool has_old = call.kind != Kind::kAllocate && call.dest != nullptr;
    if (has_old) {
        const Block* block = block_to_free(call);
        if (block == nullptr) return;
        call.dest = reinterpret_cast<void*>(block->begin - block->front);
        if (call.kind == Kind::kFree || call.size == 0) {
            remove(*block, call);
            return;
        }
        call.alignment = block->front != 0 ? block->front : SIZE_MAX;  // The zone stays as it is.
    }
    if (call.size == 0 || call.size > SIZE_MAX / 2 || !allocates(call)) return;
    call.size = Blocks::total_of(call.size, Blocks::front_of(call.alignment));
}

void after_memory(Call& call) {
    if (!allocates(call) || call.result == 0 || call.note == 0) return;
    std::lock_guard guard(mutex);
    const std::size_t front = Blocks::front_of(call.alignment);
    Block block{.begin = call.result + front,
                .bytes = call.note,
                .front = front,
                .routine = call.routine,
                .site = call.site,
                .caller = call.caller,
                .memory = call.memory,
                .team = team_of_block(call)};
    if (call.kind == Kind::kReallocate && call.dest != nullptr) {
        const auto old = reinterpret_cast<std::uintptr_t>(call.dest) + front;
        if (const Block* before = blocks.starting_at(reinterpret_cast<void*>(old)))
            remove(*before, call);
    }
    add(block);
    call.result = block.begin;
}

void check_arguments(const Call& call) {
    const std::vector<Range> ranges = ranges_of(call);
    if (ranges.empty()) return;
    std::lock_guard guard(mutex);
    for (const Range& range : ranges) check_range(call, range);
    check_overlap(call, ranges);
}

void check_block(const Call& access, bool is_written) {
    const Range range{.name = nullptr,
                      .begin = reinterpret_cast<std::uintptr_t>(access.dest),
                      .bytes = access.size,
                      .is_written = is_written,
                      .is_dense = true,
                      .is_remote = access.pe != my_pe()};
    std::lock_guard guard(mutex);
    const char* subject = "a load or store";
    if (!check_blocks(access, range, subject)) check_no_block(access, range, subject);
}

void check_zones(const Call& call) {
    std::lock_guard guard(mutex);
    std::vector<Block> damaged;
    for (const auto& [begin, block] : blocks.live()) {
        if (block.memory == Memory::kLocal && call.kind != Kind::kFinalize) continue;
        if (Blocks::damage_of(block)) damaged.push_back(block);
    }
    for (const Block& block : damaged) check_block_zones(call, block);
}

void begin_memory() { shown_blocks.open(); }

void end_team_memory(const Call& call) {
    std::lock_guard guard(mutex);
    std::vector<Block> ended;
    for (const auto& [begin, block] : blocks.live()) {
        if (block.memory == Memory::kTeam && block.team == call.team) ended.push_back(block);
    }
    for (const Block& block : ended) {
        check_block_zones(call, block);
        remove(block, call);
    }
}

void end_memory() {
    std::lock_guard guard(mutex);
    // Symmetric blocks are the same on all PEs.
    if (my_pe() == 0) note_blocks_left(Memory::kSymmetric, "symmetric block", "symmetric blocks");
    note_blocks_left(Memory::kTeam, "block of team memory", "blocks of team memory");
    note_blocks_left(Memory::kLocal, "block of local memory", "blocks of local memory");
    blocks.clear();
    shown_blocks.close();
}

}  // namespace tessera::check
