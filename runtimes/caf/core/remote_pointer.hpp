// SPDX-License-Identifier: BSD-3-Clause
//
// Pointers of other images, and the memory that they may name. A component of a coarray holds an
// address of the image that has allocated it. All images have the same layout of symmetric, team
// and local memory, so the distance to a block that every image knows by its own address translates
// it.
//
// THREADS: any.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tessera::caf {

namespace detail {
// The lowest and highest byte of components so far. Local memory is one range, so nothing else of
// the program lies between.
inline std::atomic<std::uintptr_t> component_low{UINTPTR_MAX};
inline std::atomic<std::uintptr_t> component_high{0};
}  // namespace detail

// Makes the block that other images translate by. Collective over all images; `initialize` calls
// it before the first coarray.
void start_remote_pointers();

// Adds memory of coarrays, which is symmetric. Called by collective allocations alone.
void note_coarrays(const void* base, std::size_t bytes);

// Adds memory of components of this image, and tells the other images. THREADS: one at a time.
void note_components(const void* base, std::size_t bytes);

// Whether an address lies in the memory of components. Hot path: every free() of the program asks.
inline bool is_in_components(const void* address) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return at >= detail::component_low.load(std::memory_order_relaxed) &&
           at < detail::component_high.load(std::memory_order_relaxed);
}

// Whether an address lies in memory that this library has allocated on this image, or between.
bool is_in_coarray_memory(const void* address);

// The symmetric address, for accesses to `bytes` bytes of pe, of an address of that image. NULL:
// some of them are private memory of that image, which no other image can reach.
void* translate(const void* address_on_pe, int pe, std::size_t bytes = 1);

}  // namespace tessera::caf
