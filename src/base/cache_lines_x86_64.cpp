// SPDX-License-Identifier: BSD-3-Clause
//
// See cache_lines.hpp: x86-64. Stores past the caches collect in the processor's write-combining
// buffers, which go to memory with a mark for each byte; so a few bytes of a line stay a few bytes.
#include <cpuid.h>
#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "base/cache_lines.hpp"

namespace tessera {
namespace {

constexpr std::size_t kBlockBytes = 16;  // the widest masked store

[[gnu::target("clwb")]] void clwb_lines(LineRange lines) {
    for (std::uintptr_t at = lines.begin; at < lines.end; at += kCacheLineBytes)
        _mm_clwb(reinterpret_cast<void*>(at));
}
[[gnu::target("clflushopt")]] void clflushopt_lines(LineRange lines) {
    for (std::uintptr_t at = lines.begin; at < lines.end; at += kCacheLineBytes)
        _mm_clflushopt(reinterpret_cast<void*>(at));
}
void clflush_lines(LineRange lines) {
    for (std::uintptr_t at = lines.begin; at < lines.end; at += kCacheLineBytes)
        _mm_clflush(reinterpret_cast<void*>(at));
}

void maintain(const void* start, std::size_t bytes, LineInstruction instruction) {
    const LineRange lines = lines_of(reinterpret_cast<std::uintptr_t>(start), bytes);
    switch (instruction) {
        case LineInstruction::kClwb: return clwb_lines(lines);
        case LineInstruction::kClflushopt: return clflushopt_lines(lines);
        case LineInstruction::kClflush: return clflush_lines(lines);
        case LineInstruction::kDc:
        case LineInstruction::kNone: break;
    }
}

// `bytes` bytes from byte `at` of the aligned block on. A masked store of an aligned block touches
// no other page.
void store_part_of_block(char* block, std::size_t at, const char* source, std::size_t bytes) {
    alignas(kBlockBytes) char data[kBlockBytes] = {};
    alignas(kBlockBytes) char mask[kBlockBytes] = {};
    std::memcpy(data + at, source, bytes);
    std::memset(mask + at, 0x80, bytes);
    _mm_maskmoveu_si128(_mm_load_si128(reinterpret_cast<const __m128i*>(data)),
                        _mm_load_si128(reinterpret_cast<const __m128i*>(mask)), block);
}

template <class T>
T value_at(const void* source) {
    T value;
    std::memcpy(&value, source, sizeof value);
    return value;
}

// A masked store may come in pieces, so words have stores of their own. No processor has one of two
// bytes past the caches: the line is written back instead.
bool store_word(char* dest, const char* source, std::size_t bytes) {
    if (reinterpret_cast<std::uintptr_t>(dest) % bytes != 0) return false;
    if (bytes == 8) {
        _mm_stream_si64(reinterpret_cast<long long*>(dest), value_at<long long>(source));
    } else if (bytes == 4) {
        _mm_stream_si32(reinterpret_cast<int*>(dest), value_at<int>(source));
    } else if (bytes == 2) {
        __atomic_store_n(reinterpret_cast<std::uint16_t*>(dest), value_at<std::uint16_t>(source),
                         __ATOMIC_RELAXED);
        maintain(dest, bytes, write_back_instruction());
    } else {
        return false;
    }
    return true;
}

}  // namespace

bool cpu_has(LineInstruction instruction) {
    constexpr unsigned kClflushoptBit = 1U << 23;
    constexpr unsigned kClwbBit = 1U << 24;
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    const bool has_leaf = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0;
    switch (instruction) {
        case LineInstruction::kClwb: return has_leaf && (b & kClwbBit) != 0;
        case LineInstruction::kClflushopt: return has_leaf && (b & kClflushoptBit) != 0;
        case LineInstruction::kClflush: return true;  // part of x86-64
        case LineInstruction::kDc:
        case LineInstruction::kNone: break;
    }
    return false;
}

void write_back_lines(const void* start, std::size_t bytes, LineInstruction instruction) {
    maintain(start, bytes, instruction);
    _mm_sfence();  // Pairs with cache_lines_x86_64.cpp:drop_lines.
}

// Only mfence orders clflushopt before loads. Pairs with cache_lines_x86_64.cpp:write_back_lines
// and cache_lines_x86_64.cpp:finish_stores_past_cache.
void drop_lines(const void* start, std::size_t bytes, LineInstruction instruction) {
    _mm_mfence();
    maintain(start, bytes, instruction);
    _mm_mfence();
}

void store_past_cache(void* dest, const void* source, std::size_t bytes) {
    auto* to = static_cast<char*>(dest);
    const auto* from = static_cast<const char*>(source);
    if (bytes == 0) return;
    if ((bytes == 2 || bytes == 4 || bytes == 8) && store_word(to, from, bytes)) return;
    const std::size_t lead = reinterpret_cast<std::uintptr_t>(to) % kBlockBytes;
    if (lead != 0 || bytes < kBlockBytes) {
        const std::size_t first = std::min(kBlockBytes - lead, bytes);
        store_part_of_block(to - lead, lead, from, first);
        to += first;
        from += first;
        bytes -= first;
    }
    for (; bytes >= kBlockBytes; bytes -= kBlockBytes, to += kBlockBytes, from += kBlockBytes) {
        _mm_stream_si128(reinterpret_cast<__m128i*>(to),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    }
    if (bytes > 0) store_part_of_block(to, 0, from, bytes);
}

void store_bytes_past_cache(std::uint64_t* word, std::uint64_t value, std::uint8_t mask) {
    constexpr std::uint8_t kAll = 0xff;
    auto* bytes = reinterpret_cast<char*>(word);
    const auto* source = reinterpret_cast<const char*>(&value);
    if (mask == kAll) return store_past_cache(word, &value, sizeof value);
    for (std::size_t begin = 0; begin < sizeof value;) {
        if ((mask >> begin & 1) == 0) {
            ++begin;
            continue;
        }
        std::size_t end = begin;
        while (end < sizeof value && (mask >> end & 1) != 0) ++end;
        store_past_cache(bytes + begin, source + begin, end - begin);
        begin = end;
    }
}

// Pairs with cache_lines_x86_64.cpp:drop_lines.
void finish_stores_past_cache() { _mm_sfence(); }

}  // namespace tessera
