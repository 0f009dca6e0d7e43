// SPDX-License-Identifier: BSD-3-Clause
//
// Large copies between two mappings of shared memory, where the C library's memcpy is not the best.
//   vector      2 to 16 KiB, AMD with AVX-512. There memcpy is "rep movsb" from 2112 bytes on and
//               needs 10 ns to start. 1.2 to 1.9 times memcpy when dest is in this core's caches or
//               has just been used by another core, 0.9 to 1.3 times when it is in L3.
// Beyond 1 MiB (the L2 cache) memcpy reads the destination into the cache before it overwrites it,
// up to a threshold that it takes from the advertised cache size (288 MiB on the machine of these
// numbers, whose cache is 32 MiB). The other two do not, which saves a third of the traffic.
//   rep movsb   AMD since Zen 3. 1.1 to 2 times memcpy from 1 MiB on; the data stays in the cache.
//   streaming   1.15 to 1.7 times memcpy once source and dest together exceed the last-level cache,
//               slower below. On Zen 4 also 1.6 times rep movsb, which reads dest first there.
//   aliased     AMD since Zen 3, any size above 2 KiB, where dest lies 1 to 31 bytes behind source
//               in a page: "rep movsb", and memcpy with it, takes 16 to 26 times as long there, 164
//               instead of 8 us for 256 KiB. So it is between symmetric memory, which begins with
//               a page, and long blocks of malloc, which begin 16 bytes behind one.
// AVX-512 stores beyond 1 MiB, 2 or 4 pages at once and software prefetch were not better.
#include "base/copy.hpp"

#include "base/copy_routines.hpp"

namespace tessera {
namespace {

constexpr std::size_t kUnknownCacheBytes = std::size_t{32} << 20;
constexpr std::size_t kLineBytes = 64;
constexpr std::size_t kVectorCopyBytesMax = std::size_t{16} << 10;
constexpr std::size_t kStringCopyBytesMin = std::size_t{1} << 20;

static_assert(kPlainCopyBytesMax >= kVectorCopyBytesMin);

// Written once by choose_copy_routine.
std::size_t vector_bytes_max = 0;
bool use_string_copy = false;
std::size_t streaming_bytes_min = SIZE_MAX;
bool has_slow_aliases = false;

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kAliasBytes = 32;
static_assert(kPlainCopyBytesMax >= kAliasedCopyBytesMin);

bool is_slow_alias(const char* dest, const char* source) {
    const auto behind =
        reinterpret_cast<std::uintptr_t>(dest) - reinterpret_cast<std::uintptr_t>(source);
    return (behind - 1) % kPageBytes < kAliasBytes - 1 && has_slow_aliases;
}

SharedCopy shared_copy = nullptr;

// As a part of a copy of `total` bytes.
void copy_beyond_cache(char* dest, const char* source, std::size_t bytes, std::size_t total) {
    // Both routines want dest at the start of a line: the first, partial line goes separately.
    std::memcpy(dest, source, kLineBytes);
    std::size_t head = kLineBytes - reinterpret_cast<std::uintptr_t>(dest) % kLineBytes;
    dest += head;
    source += head;
    bytes -= head;
    if (total >= streaming_bytes_min) {
        std::size_t tail = bytes % kStreamingStepBytes;
        streaming_copy(dest, source, bytes - tail);
        dest += bytes - tail;
        source += bytes - tail;
        bytes = tail;
    } else if (use_string_copy) {
        return string_copy(dest, source, bytes);
    }
    std::memcpy(dest, source, bytes);
}

}  // namespace

void choose_copy_routine(std::size_t last_level_cache_bytes) {
    if (last_level_cache_bytes == 0) last_level_cache_bytes = kUnknownCacheBytes;
    vector_bytes_max = cpu_has_vector_copy() ? kVectorCopyBytesMax : 0;
    use_string_copy = cpu_has_line_string_copy();
    has_slow_aliases = cpu_has_slow_string_aliases();
    streaming_bytes_min = cpu_has_streaming_copy() ? last_level_cache_bytes / 2 : SIZE_MAX;
}

const char* copy_routine_name() {
    if (vector_bytes_max != 0) return "memcpy, AVX-512 from 2 to 16 KiB, rep movsb from 1 MiB";
    if (use_string_copy) return "memcpy, rep movsb from 1 MiB";
    if (streaming_bytes_min != SIZE_MAX) return "memcpy, streaming stores beyond the cache";
    return "memcpy";
}

void set_shared_copy(SharedCopy copy) { shared_copy = copy; }

void copy_piece(void* dest_bytes, const void* source_bytes, std::size_t bytes, std::size_t total) {
    char* dest = static_cast<char*>(dest_bytes);
    const char* source = static_cast<const char*>(source_bytes);
    // The last piece of a copy may be as short as a byte.
    if (is_slow_alias(dest, source) && total < streaming_bytes_min && bytes > kPlainCopyBytesMax)
        [[unlikely]]
        return aliased_copy(dest, source, bytes);
    if (total >= kStringCopyBytesMin && bytes > kPlainCopyBytesMax)
        return copy_beyond_cache(dest, source, bytes, total);
    std::memcpy(dest, source, bytes);
}

void copy_past_cache(void* dest, const void* source, std::size_t bytes) {
    const bool can_stream = streaming_bytes_min != SIZE_MAX;
    if (bytes < kPastCacheBytesMin || !can_stream) return copy_bytes(dest, source, bytes);
    copy_beyond_cache(static_cast<char*>(dest), static_cast<const char*>(source), bytes, SIZE_MAX);
}

void copy_large(void* dest_bytes, const void* source_bytes, std::size_t bytes) {
    char* dest = static_cast<char*>(dest_bytes);
    const char* source = static_cast<const char*>(source_bytes);
    if (bytes <= vector_bytes_max) return vector_copy(dest, source, bytes);
    if (bytes >= kSharedCopyBytesMin && shared_copy != nullptr) {
        if (shared_copy(dest, source, bytes)) return;
    }
    copy_piece(dest, source, bytes, bytes);
}

}  // namespace tessera
