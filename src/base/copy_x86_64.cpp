// SPDX-License-Identifier: BSD-3-Clause
//
// The large copies of x86-64 processors. base/copy.cpp decides when to use which.
#include <cpuid.h>
#include <immintrin.h>

#include <cstdint>

#include "base/copy_routines.hpp"

namespace tessera {

// AMD only: other processors' memcpy was not measured against it.
bool cpu_has_vector_copy() {
    return cpu_has_line_string_copy() && __builtin_cpu_supports("avx512f");
}

// The first, partial line goes separately, so that the stores of the loop do not cross lines; the
// last four lines are read before and written after it, so that it has only whole steps.
[[gnu::target("avx512f")]] void vector_copy(char* dest, const char* source, std::size_t bytes) {
    constexpr std::size_t kLineBytes = 64;
    constexpr std::size_t kStepBytes = 4 * kLineBytes;
    const char* source_tail = source + bytes - kStepBytes;
    char* dest_tail = dest + bytes - kStepBytes;
    __m512i tail_a = _mm512_loadu_si512(source_tail);
    __m512i tail_b = _mm512_loadu_si512(source_tail + kLineBytes);
    __m512i tail_c = _mm512_loadu_si512(source_tail + 2 * kLineBytes);
    __m512i tail_d = _mm512_loadu_si512(source_tail + 3 * kLineBytes);
    _mm512_storeu_si512(dest, _mm512_loadu_si512(source));
    std::size_t head_bytes = kLineBytes - reinterpret_cast<std::uintptr_t>(dest) % kLineBytes;
    const char* from = source + head_bytes;
    for (char* to = dest + head_bytes; to < dest_tail; to += kStepBytes, from += kStepBytes) {
        __m512i a = _mm512_loadu_si512(from);
        __m512i b = _mm512_loadu_si512(from + kLineBytes);
        __m512i c = _mm512_loadu_si512(from + 2 * kLineBytes);
        __m512i d = _mm512_loadu_si512(from + 3 * kLineBytes);
        _mm512_store_si512(to, a);
        _mm512_store_si512(to + kLineBytes, b);
        _mm512_store_si512(to + 2 * kLineBytes, c);
        _mm512_store_si512(to + 3 * kLineBytes, d);
    }
    _mm512_storeu_si512(dest_tail, tail_a);
    _mm512_storeu_si512(dest_tail + kLineBytes, tail_b);
    _mm512_storeu_si512(dest_tail + 2 * kLineBytes, tail_c);
    _mm512_storeu_si512(dest_tail + 3 * kLineBytes, tail_d);
}

// AMD processors with FSRM: Zen 3 and later. Intel's "rep movsb" moves lines as well, but the C
// library's memcpy already uses it as far as it pays there.
bool cpu_has_line_string_copy() {
    constexpr unsigned kFastShortRepMov = 1u << 4;
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __builtin_cpu_is("amd") && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 &&
           (d & kFastShortRepMov) != 0;
}

void string_copy(void* dest, const void* source, std::size_t bytes) {
    asm volatile("rep movsb" : "+D"(dest), "+S"(source), "+c"(bytes) : : "memory");
}

bool cpu_has_slow_string_aliases() {
    return cpu_has_line_string_copy() && __builtin_cpu_supports("avx2");
}

// As vector_copy: the first 32 bytes and the last step separately.
[[gnu::target("avx2")]] void aliased_copy(char* dest, const char* source, std::size_t bytes) {
    constexpr std::size_t kVectorBytes = 32;
    constexpr std::size_t kStepBytes = 4 * kVectorBytes;
    const auto* source_tail = reinterpret_cast<const __m256i*>(source + bytes - kStepBytes);
    char* const dest_tail = dest + bytes - kStepBytes;
    const __m256i tail_a = _mm256_loadu_si256(source_tail);
    const __m256i tail_b = _mm256_loadu_si256(source_tail + 1);
    const __m256i tail_c = _mm256_loadu_si256(source_tail + 2);
    const __m256i tail_d = _mm256_loadu_si256(source_tail + 3);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(dest),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source)));
    const std::size_t head = kVectorBytes - reinterpret_cast<std::uintptr_t>(dest) % kVectorBytes;
    source += head;
    for (dest += head; dest < dest_tail; dest += kStepBytes, source += kStepBytes) {
        const auto* from = reinterpret_cast<const __m256i*>(source);
        auto* to = reinterpret_cast<__m256i*>(dest);
        const __m256i a = _mm256_loadu_si256(from);
        const __m256i b = _mm256_loadu_si256(from + 1);
        const __m256i c = _mm256_loadu_si256(from + 2);
        const __m256i d = _mm256_loadu_si256(from + 3);
        _mm256_store_si256(to, a);
        _mm256_store_si256(to + 1, b);
        _mm256_store_si256(to + 2, c);
        _mm256_store_si256(to + 3, d);
    }
    auto* last = reinterpret_cast<__m256i*>(dest_tail);
    _mm256_storeu_si256(last, tail_a);
    _mm256_storeu_si256(last + 1, tail_b);
    _mm256_storeu_si256(last + 2, tail_c);
    _mm256_storeu_si256(last + 3, tail_d);
}

bool cpu_has_streaming_copy() { return __builtin_cpu_supports("avx2"); }

[[gnu::target("avx2")]] void streaming_copy(char* dest, const char* source, std::size_t bytes) {
    const char* end = source + bytes;
    for (; source != end; source += kStreamingStepBytes, dest += kStreamingStepBytes) {
        const auto* from = reinterpret_cast<const __m256i*>(source);
        auto* to = reinterpret_cast<__m256i*>(dest);
        __m256i a = _mm256_loadu_si256(from);
        __m256i b = _mm256_loadu_si256(from + 1);
        __m256i c = _mm256_loadu_si256(from + 2);
        __m256i d = _mm256_loadu_si256(from + 3);
        _mm256_stream_si256(to, a);
        _mm256_stream_si256(to + 1, b);
        _mm256_stream_si256(to + 2, c);
        _mm256_stream_si256(to + 3, d);
    }
    // Streaming stores are not ordered with later stores by themselves: neither a release store nor
    // a release fence would cover them. After this the caller's release does (signal, flag,
    // barrier). Pairs with api/local_word.hpp:load and base/gate.hpp:has_reached.
    _mm_sfence();
}

}  // namespace tessera
