// SPDX-License-Identifier: BSD-3-Clause
//
// See line_copies.hpp. A masked store leaves the other bytes alone, also for other processors: in
// coherent memory a store of AVX-512, of a line; past the caches one of SSE2, of 16 bytes. Loads of
// vectors take each byte once, also those that a thread of the program, or another PE, is storing;
// ThreadSanitizer would report these as races.
#include <immintrin.h>

#include "transports/noncoherent/line_copies.hpp"

namespace tessera::noncoherent {
namespace {

constexpr std::size_t kLineBytes = sizeof(__m512i);
constexpr std::size_t kBlockBytes = sizeof(__m128i);

[[gnu::target("avx512bw"), gnu::no_sanitize_thread]] void publish(const CopiedLines& lines) {
    for (std::size_t at = 0; at < lines.bytes; at += kLineBytes) {
        const __m512i own = _mm512_loadu_si512(lines.own + at);
        const __mmask64 changed = _mm512_cmpneq_epi8_mask(own, _mm512_loadu_si512(lines.twin + at));
        if (changed == 0) continue;
        _mm512_mask_storeu_epi8(lines.shared + at, changed, own);
        _mm512_storeu_si512(lines.twin + at, own);
    }
}

[[gnu::target("avx512bw"), gnu::no_sanitize_thread]] void refresh(const CopiedLines& lines) {
    for (std::size_t at = 0; at < lines.bytes; at += kLineBytes) {
        const __m512i twin = _mm512_loadu_si512(lines.twin + at);
        const __m512i theirs = _mm512_loadu_si512(lines.shared + at);
        const __mmask64 fresh = _mm512_cmpneq_epi8_mask(theirs, twin);
        if (fresh == 0) continue;
        const __m512i own = _mm512_loadu_si512(lines.own + at);
        const __mmask64 changed = _mm512_cmpneq_epi8_mask(own, twin);
        _mm512_mask_storeu_epi8(lines.shared + at, changed, own);
        _mm512_mask_storeu_epi8(lines.own + at, _kandn_mask64(changed, fresh), theirs);
        _mm512_storeu_si512(lines.twin + at, _mm512_mask_blend_epi8(changed, theirs, own));
    }
}

__m128i* block(char* address) { return reinterpret_cast<__m128i*>(address); }

[[gnu::no_sanitize_thread]] void publish_past_cache(const CopiedLines& lines) {
    for (std::size_t at = 0; at < lines.bytes; at += kBlockBytes) {
        const __m128i own = _mm_loadu_si128(block(lines.own + at));
        const __m128i same = _mm_cmpeq_epi8(own, _mm_loadu_si128(block(lines.twin + at)));
        const int mask = _mm_movemask_epi8(same);
        if (mask == 0xffff) continue;
        if (mask == 0) {
            _mm_stream_si128(block(lines.shared + at), own);
        } else {
            const __m128i changed = _mm_xor_si128(same, _mm_set1_epi8(-1));
            _mm_maskmoveu_si128(own, changed, lines.shared + at);
        }
        _mm_storeu_si128(block(lines.twin + at), own);
    }
}

}  // namespace

LineCopies line_copies(Access access) {
    if (access != Access::kCoherent) return {.publish = publish_past_cache, .refresh = nullptr};
    if (!__builtin_cpu_supports("avx512bw")) return {};
    return {.publish = publish, .refresh = refresh};
}

}  // namespace tessera::noncoherent
