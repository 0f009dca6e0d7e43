// SPDX-License-Identifier: BSD-3-Clause
//
// Ways to copy large blocks that depend on the processor. Only base/copy.cpp uses them. The build
// takes copy_x86_64.cpp or, for processors without an own file, copy_portable.cpp.
#pragma once

#include <cstddef>

namespace tessera {

// Whether vector_copy beats memcpy. If so, the processor has line-wise string copies as well.
bool cpu_has_vector_copy();

inline constexpr std::size_t kVectorCopyBytesMin = 512;

// REQUIRES: cpu_has_vector_copy(), bytes >= kVectorCopyBytesMin.
// THREADS: all. Ordered like ordinary stores.
void vector_copy(char* dest, const char* source, std::size_t bytes);

// Whether string_copy writes whole lines without reading them first.
bool cpu_has_line_string_copy();

// THREADS: all. Ordered like ordinary stores.
void string_copy(void* dest, const void* source, std::size_t bytes);

// Whether string copies, those of memcpy included, are slow where dest lies a little behind source
// in a page (base/copy.cpp).
bool cpu_has_slow_string_aliases();

inline constexpr std::size_t kAliasedCopyBytesMin = 512;

// Without string copies. REQUIRES: cpu_has_slow_string_aliases(), bytes >= kAliasedCopyBytesMin.
// THREADS: all. Ordered like ordinary stores.
void aliased_copy(char* dest, const char* source, std::size_t bytes);

// Whether streaming_copy bypasses the cache.
bool cpu_has_streaming_copy();

inline constexpr std::size_t kStreamingStepBytes = 128;

// REQUIRES: dest is a multiple of 64, bytes is one of kStreamingStepBytes.
// RETURNS when: a release store or fence that follows covers it, as it covers ordinary stores.
void streaming_copy(char* dest, const char* source, std::size_t bytes);

}  // namespace tessera
