// SPDX-License-Identifier: BSD-3-Clause
//
// See cache_lines.hpp: 64-bit Arm. Linux lets user space execute dc cvac and dc civac. There are no
// stores of single bytes past the caches: ordinary stores are followed by a write-back of their
// lines.
#include <cstring>

#include "base/cache_lines.hpp"

namespace tessera {
namespace {

// The processor's shortest line, which may be longer or shorter than kCacheLineBytes.
std::uintptr_t shortest_line() {
    std::uint64_t type = 0;
    asm volatile("mrs %0, ctr_el0" : "=r"(type));
    return std::uintptr_t{4} << (type >> 16 & 0xf);
}

template <class Maintain>
void for_each_line(const void* start, std::size_t bytes, Maintain maintain) {
    static const std::uintptr_t line = shortest_line();
    const LineRange lines = lines_of(reinterpret_cast<std::uintptr_t>(start), bytes);
    for (std::uintptr_t at = lines.begin & ~(line - 1); at < lines.end; at += line) maintain(at);
}

template <class T>
void store_whole(void* dest, const void* source) {
    T value;
    std::memcpy(&value, source, sizeof value);
    __atomic_store_n(static_cast<T*>(dest), value, __ATOMIC_RELAXED);
}

void store(void* dest, const void* source, std::size_t bytes) {
    const bool is_aligned = bytes != 0 && reinterpret_cast<std::uintptr_t>(dest) % bytes == 0;
    if (bytes == 8 && is_aligned) return store_whole<std::uint64_t>(dest, source);
    if (bytes == 4 && is_aligned) return store_whole<std::uint32_t>(dest, source);
    if (bytes == 2 && is_aligned) return store_whole<std::uint16_t>(dest, source);
    std::memcpy(dest, source, bytes);
}

void clean(std::uintptr_t line) { asm volatile("dc cvac, %0" ::"r"(line) : "memory"); }

}  // namespace

bool cpu_has(LineInstruction instruction) { return instruction == LineInstruction::kDc; }

void write_back_lines(const void* start, std::size_t bytes, LineInstruction instruction) {
    if (instruction == LineInstruction::kDc) for_each_line(start, bytes, clean);
    asm volatile("dsb sy" ::: "memory");
}

void drop_lines(const void* start, std::size_t bytes, LineInstruction instruction) {
    asm volatile("dsb sy" ::: "memory");
    if (instruction == LineInstruction::kDc) {
        for_each_line(start, bytes, [](std::uintptr_t line) {
            asm volatile("dc civac, %0" ::"r"(line) : "memory");
        });
    }
    asm volatile("dsb sy" ::: "memory");
}

void store_past_cache(void* dest, const void* source, std::size_t bytes) {
    if (bytes == 0) return;
    store(dest, source, bytes);
    for_each_line(dest, bytes, clean);
}

void store_bytes_past_cache(std::uint64_t* word, std::uint64_t value, std::uint8_t mask) {
    if (mask == 0xff) return store_past_cache(word, &value, sizeof value);
    auto* to = reinterpret_cast<char*>(word);
    const auto* from = reinterpret_cast<const char*>(&value);
    for (std::size_t i = 0; i < sizeof value; ++i) {
        if ((mask >> i & 1) != 0) __atomic_store_n(to + i, from[i], __ATOMIC_RELAXED);
    }
    for_each_line(word, sizeof value, clean);
}

void finish_stores_past_cache() { asm volatile("dsb sy" ::: "memory"); }

}  // namespace tessera
