// SPDX-License-Identifier: BSD-3-Clause
//
// Maintenance of the processor's data caches, for memory that the hardware does not keep coherent
// (transports/noncoherent): write lines back, drop them, and store past the caches. The build takes
// the file of the processor: cache_lines_x86_64.cpp, cache_lines_arm64.cpp, or, where user space
// cannot do it, cache_lines_portable.cpp. THREADS: any.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/platform.hpp"

namespace tessera {

// The instruction that maintains a line. Best first.
enum class LineInstruction : std::uint8_t {
    kClwb,        // x86: the line may stay in the cache
    kClflushopt,  // x86: the line leaves the cache; lines in any order
    kClflush,     // x86: the same, one after the other
    kDc,          // Arm: dc cvac, dc civac
    kNone         // user space has none
};
const char* line_instruction_name(LineInstruction instruction);
bool cpu_has(LineInstruction instruction);
// The best one of this processor, for lines that stay and for lines that leave. Found once.
LineInstruction write_back_instruction();
LineInstruction drop_instruction();

// A line of this size is maintained at once; a processor with longer ones does more than it is
// asked for. All lines that hold a byte of the range.
struct LineRange {
    std::uintptr_t begin = 0;  // address of the first line
    std::uintptr_t end = 0;    // behind the last one
};
constexpr LineRange lines_of(std::uintptr_t start, std::size_t bytes) {
    if (bytes == 0) return {};
    constexpr std::uintptr_t kMask = kCacheLineBytes - 1;
    return {start & ~kMask, (start + bytes + kMask) & ~kMask};
}

// Writes the lines with changes back to memory, where they may also stay in the cache.
// RETURNS when: every store that follows comes after it.
void write_back_lines(const void* start, std::size_t bytes,
                      LineInstruction instruction = write_back_instruction());

// Writes lines with changes back and drops all. User space cannot drop changes. To see what others
// have written, the lines must be without changes: else their old bytes go to memory.
// RETURNS when: every load and store that follows comes after it.
void drop_lines(const void* start, std::size_t bytes,
                LineInstruction instruction = drop_instruction());

// Copies past the caches, exactly these bytes: neighbours that others write at the same time keep
// their values, also in memory. (Arm has no such stores of a few bytes: there the lines go to
// memory as a whole.) A word of 1, 2, 4 or 8 bytes at an aligned address is stored whole and once.
// RETURNS: at once; complete after finish_stores_past_cache().
void store_past_cache(void* dest, const void* source, std::size_t bytes);

// The same for the bytes i of a word whose bit i of `mask` is set.
void store_bytes_past_cache(std::uint64_t* word, std::uint64_t value, std::uint8_t mask);

// RETURNS when: the stores past the caches are visible before every store that follows.
void finish_stores_past_cache();

}  // namespace tessera
