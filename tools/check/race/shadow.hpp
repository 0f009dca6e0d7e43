// SPDX-License-Identifier: BSD-3-Clause
//
// The rules of the race detector. Each word of 8 bytes of symmetric memory has a cell with its
// latest accesses. examine() says which of them conflicts with a new one, and takes the new one in.
// The functions work on cells alone: the caller has to keep other threads away (blocks.hpp).
#pragma once

#include <cstdint>
#include <optional>

#include "tools/check/race/clocks.hpp"

namespace tessera::check::race {

enum class Touch : std::uint8_t { kRead, kWrite, kAtomicRead, kAtomicWrite };

constexpr bool is_write(Touch touch) {
    return touch == Touch::kWrite || touch == Touch::kAtomicWrite;
}
constexpr bool is_atomic(Touch touch) {
    return touch == Touch::kAtomicRead || touch == Touch::kAtomicWrite;
}

// One access to bytes of a word.
struct Access {
    Op op = 0;  // 0: none
    std::uint16_t pe = 0;
    std::uint16_t site = 0;  // in the PE's table of sites
    std::uint8_t mask = 0;   // bit i: byte i of the word
    Touch touch = Touch::kRead;
    Lane lane = Lane::kProgram;
    // The PE's own side of a transfer: its source of a put, its dest of a get.
    bool is_local_side = false;
};
static_assert(sizeof(Access) == 12, "a cell has four");

//   0      8                             56     64
//   | word | access, access, access, access | unused |
struct alignas(64) Cell {
    static constexpr int kAccesses = 4;
    std::uint64_t word = 0;  // the word's number plus 1; 0: the cell is empty
    Access accesses[kAccesses];
};
static_assert(sizeof(Cell) == 64, "symmetric memory holds arrays");

// Both change the value or one does, and they are not both atomic.
constexpr bool conflict(const Access& one, const Access& other) {
    return (one.mask & other.mask) != 0 && (is_write(one.touch) || is_write(other.touch)) &&
           !(is_atomic(one.touch) && is_atomic(other.touch));
}

// Whether a PE's own fence, or the order of its calls, orders two of its accesses.
// `fenced`: the PE's latest fences.
constexpr bool ordered_by_program(const Access& earlier, const Access& now,
                                  const Progress& fenced) {
    if (earlier.pe != now.pe) return false;
    // Local sides are the business of pending.hpp, which sees private memory as well.
    if (earlier.lane == Lane::kProgram || earlier.op == now.op || earlier.is_local_side)
        return true;
    // OpenSHMEM 1.6, 9.13.1: puts and atomics, not gets.
    return earlier.touch != Touch::kRead && now.touch != Touch::kRead && !now.is_local_side &&
           fenced[earlier.lane] >= earlier.op;
}

// An access that follows `now` follows `earlier` as well, which is ordered before `now`.
constexpr bool covers(const Access& now, const Access& earlier) {
    return (earlier.mask & ~now.mask) == 0 && is_atomic(earlier.touch) == is_atomic(now.touch) &&
           (is_write(now.touch) || !is_write(earlier.touch));
}

// The usual cell of a long transfer: empty, or with one access that comes before the new one.
// RETURNS: false, and changes nothing, where examine() has to look.
template <class Knows>
bool take_first(Cell& cell, std::uint64_t word, const Access& now, const Progress& fenced,
                const Knows& knows) {
    if (cell.word != word + 1) {
        cell = Cell{};
        cell.word = word + 1;
        cell.accesses[0] = now;
        return true;
    }
    Access& earlier = cell.accesses[0];
    if (earlier.op == 0 || cell.accesses[1].op != 0 || !covers(now, earlier)) return false;
    if (!ordered_by_program(earlier, now, fenced) && !knows(earlier)) return false;
    earlier = now;
    return true;
}

// Takes `now` into the cell of a word, and returns an earlier access that conflicts with it.
// `knows(access)`: whether the clock of the PE that makes the new one covers the access.
template <class Knows>
std::optional<Access> examine(Cell& cell, std::uint64_t word, const Access& now,
                              const Progress& fenced, const Knows& knows) {
    if (take_first(cell, word, now, fenced, knows)) return std::nullopt;
    std::optional<Access> found;
    Access kept[Cell::kAccesses + 1];
    int count = 0;
    int replaceable = -1;  // an access that is ordered before the new one
    for (const Access& earlier : cell.accesses) {
        if (earlier.op == 0) continue;
        bool is_ordered = ordered_by_program(earlier, now, fenced) || knows(earlier);
        if (!is_ordered && conflict(earlier, now)) {
            if (!found) found = earlier;
            continue;  // told once
        }
        if (is_ordered && covers(now, earlier)) continue;
        if (is_ordered && replaceable < 0) replaceable = count;
        kept[count++] = earlier;
    }
    if (count == Cell::kAccesses) {  // forgets one, which may hide a race
        int victim = std::max(replaceable, 0);
        std::copy(kept + victim + 1, kept + count, kept + victim);
        --count;
    }
    kept[count++] = now;
    for (int i = 0; i < Cell::kAccesses; ++i) cell.accesses[i] = i < count ? kept[i] : Access{};
    return found;
}

// A wait, test or fetch has seen the value: the writes to these bytes have arrived. Which write it
// saw is not known, so the detector forgets all of them (`only_atomics`: the atomic ones).
inline void forget_writes(Cell& cell, std::uint64_t word, std::uint8_t mask, bool only_atomics) {
    if (cell.word != word + 1) return;
    for (Access& access : cell.accesses) {
        if ((access.mask & mask) != 0 && is_write(access.touch) &&
            (!only_atomics || is_atomic(access.touch))) {
            access = Access{};
        }
    }
}

}  // namespace tessera::check::race
