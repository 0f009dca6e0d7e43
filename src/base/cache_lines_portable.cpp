// SPDX-License-Identifier: BSD-3-Clause
//
// See cache_lines.hpp: processors on which user space cannot maintain caches, or whose instructions
// this library does not know. Memory that is not coherent cannot be used there (LineInstruction::
// kNone says so); these are ordinary stores and fences, which suffice for the emulation.
#include <atomic>
#include <cstring>

#include "base/cache_lines.hpp"

namespace tessera {
namespace {

void store_runs(char* dest, const char* source, std::uint8_t mask) {
    for (std::size_t i = 0; i < 8; ++i) {
        if ((mask >> i & 1) != 0) __atomic_store_n(dest + i, source[i], __ATOMIC_RELAXED);
    }
}

template <class T>
void store_whole(void* dest, const void* source) {
    T value;
    std::memcpy(&value, source, sizeof value);
    __atomic_store_n(static_cast<T*>(dest), value, __ATOMIC_RELAXED);
}

}  // namespace

bool cpu_has(LineInstruction) { return false; }

void write_back_lines(const void*, std::size_t, LineInstruction) {
    // Pairs with cache_lines_portable.cpp:drop_lines.
    std::atomic_thread_fence(std::memory_order_seq_cst);
}
void drop_lines(const void*, std::size_t, LineInstruction) {
    // Pairs with cache_lines_portable.cpp:write_back_lines.
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

void store_past_cache(void* dest, const void* source, std::size_t bytes) {
    const bool is_aligned = bytes != 0 && reinterpret_cast<std::uintptr_t>(dest) % bytes == 0;
    if (bytes == 8 && is_aligned) return store_whole<std::uint64_t>(dest, source);
    if (bytes == 4 && is_aligned) return store_whole<std::uint32_t>(dest, source);
    if (bytes == 2 && is_aligned) return store_whole<std::uint16_t>(dest, source);
    std::memcpy(dest, source, bytes);
}
void store_bytes_past_cache(std::uint64_t* word, std::uint64_t value, std::uint8_t mask) {
    if (mask == 0xff) return store_past_cache(word, &value, sizeof value);
    store_runs(reinterpret_cast<char*>(word), reinterpret_cast<const char*>(&value), mask);
}
// Pairs with cache_lines_portable.cpp:drop_lines.
void finish_stores_past_cache() { std::atomic_thread_fence(std::memory_order_release); }

}  // namespace tessera
