// SPDX-License-Identifier: BSD-3-Clause
//
// How the owner of the memory stores the data of a message: each aligned word by one store, and
// only once, because the program may wait for it, and overwrite it at once. memcpy promises
// neither. Used by message_handlers.cpp and message_sections.cpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tessera::ofi {

// REQUIRES: dest and bytes are multiples of the word's size.
template <class Word>
inline void store_words(char* dest, const char* source, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += sizeof(Word)) {
        Word word;
        std::memcpy(&word, source + at, sizeof word);
        // Relaxed: order comes from the messages that follow.
        std::atomic_ref(*reinterpret_cast<Word*>(dest + at)).store(word, std::memory_order_relaxed);
    }
}

// Calls visit with a word of the largest type whose multiples all addresses and sizes are.
template <class Visit>
inline void with_word(std::uint64_t all, Visit visit) {
    switch (all & -all & 7) {
        case 0: return visit(std::uint64_t{});
        case 4: return visit(std::uint32_t{});
        case 2: return visit(std::uint16_t{});
        default: return visit(std::uint8_t{});
    }
}

// Any address, any number of bytes: short words up to the first multiple of 8, and at the end.
inline void store_bytes(char* dest, const char* source, std::size_t bytes) {
    while (bytes > 0) {
        // The largest word that begins here and ends no later than the data.
        const std::uint64_t all = reinterpret_cast<std::uintptr_t>(dest) | std::bit_floor(bytes);
        const std::size_t word = std::size_t{1} << std::min(std::countr_zero(all), 3);
        const std::size_t size = word == 8 ? bytes / 8 * 8 : word;
        with_word(word, [&](auto zero) { store_words<decltype(zero)>(dest, source, size); });
        dest += size;
        source += size;
        bytes -= size;
    }
}

}  // namespace tessera::ofi
