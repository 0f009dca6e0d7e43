// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: each instrumented load and store of a program calls a function of this file. The
// function returns at once for an address outside the zones of the table. Inside, it looks into a
// second table, of the words that the PE has touched since its last call, and tells the checker
// only what that table lacks.
//
// A row of that table is one word, so that threads need no lock:
//
//   bit 63      36 35     16 15     8 7     0
//      +----------+---------+--------+-------+
//      | tag      | epoch   | stored | loaded|     stored, loaded: a bit for each byte
//      +----------+---------+--------+-------+
//
// Tag and row number give the address of the word. A row that another word takes over costs time,
// and loses nothing.
#pragma once

#include "table.hpp"

namespace tessera::accesses {

inline bool is_in_zone(std::uintptr_t address) {
    Table& table = shmem_internal_accesses;
    const std::uint32_t count = table.zone_count.load(std::memory_order_relaxed);
    for (std::uint32_t i = 0; i < count; ++i) {
        const Zone& zone = table.zones[i];
        if (address - zone.begin.load(std::memory_order_relaxed) <
            zone.bytes.load(std::memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

// REQUIRES: the checker is there (is_in_zone() of some address).
inline bool tell(const void* address, std::size_t bytes, Kind kind, const void* site) {
    auto* hook = shmem_internal_accesses.tell.load(std::memory_order_relaxed);
    return hook != nullptr && hook({address, bytes, site, kind});
}

// A load or store of up to 16 bytes that lies in a zone.
__attribute__((noinline)) inline void see_words(std::uintptr_t begin, std::size_t bytes, Kind kind,
                                                const void* site) {
    Table& table = shmem_internal_accesses;
    const std::uintptr_t end = begin + bytes;
    for (std::uintptr_t part = begin; part < end;) {
        const std::uintptr_t word = part / 8;
        const std::uintptr_t part_end = word * 8 + 8 < end ? word * 8 + 8 : end;
        const auto low = (std::uint64_t{1} << (part_end - part)) - 1;
        const std::uint64_t mask = low << (part % 8);
        auto& row = table.seen[(word ^ word >> 16) % Table::kSeenRows];
        std::uint64_t known = row.load(std::memory_order_relaxed);
        const std::uint64_t epoch = table.epoch.load(std::memory_order_relaxed);
        const std::uint64_t key = (word >> 16) << 36 | epoch << 16;
        if ((known ^ key) >> 16 != 0) known = key;
        const std::uint64_t stored = known >> 8 & 0xff;
        // A store is as good as a load: the same accesses of others conflict with it.
        const bool is_known =
            kind == Kind::kStore ? (mask & ~stored) == 0 : (mask & ~(stored | known) & 0xff) == 0;
        if (!is_known && tell(reinterpret_cast<const void*>(part), part_end - part, kind, site))
            row.store(known | (kind == Kind::kStore ? mask << 8 : mask), std::memory_order_relaxed);
        part = part_end;
    }
}

inline void see(const void* address, std::size_t bytes, Kind kind, const void* site) {
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    if (is_in_zone(begin)) [[unlikely]]
        see_words(begin, bytes, kind, site);
}

// Any number of bytes, without a look at the words.
inline void see_range(const void* address, std::size_t bytes, Kind kind, const void* site) {
    if (bytes != 0 && is_in_zone(reinterpret_cast<std::uintptr_t>(address))) [[unlikely]]
        tell(address, bytes, kind, site);
}

}  // namespace tessera::accesses
