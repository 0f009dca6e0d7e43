// SPDX-License-Identifier: BSD-3-Clause
//
// Program order. An image's accesses to the same memory of another image happen in the order of its
// program; OpenSHMEM promises this only behind a fence or quiet. On the node these are loads and
// stores of mapped memory, and every processor keeps those of the same bytes in order. A put that
// leaves the node marks its target; the next access to that target fences or completes first, and
// image control statements complete all.
//
// Where software keeps memory coherent (docs/runtimes/noncoherent.md) no memory of other images is
// mapped. There an image publishes what it has stored to its own coarrays before it tells another
// image anything, and refreshes what it loads behind what it has heard. Waits, quiets and locks of
// OpenSHMEM do that; atomic operations do not.
//
// THREADS: any; each thread's accesses are in order, and complete_all() completes all threads'.
// Hot path: on a node these are a load and a test.

#pragma once

#include <shmem.h>

#include <atomic>
#include <cstdint>

#include "core/hooks.hpp"

namespace tessera::caf {

namespace detail {
// For each PE the number of the last put to it; NULL until the first put leaves the node.
inline std::atomic<std::atomic<std::uint64_t>*> targets{nullptr};
void fence_marked(int pe);
void complete_marked(int pe);
// A symmetric word of this image where software keeps memory coherent, else NULL. Set at the start.
inline std::uint64_t* copied_word = nullptr;
}  // namespace detail

inline bool memory_is_coherent() { return detail::copied_word == nullptr; }

// A put to memory of this PE, which is not mapped, has been issued: call it behind the put.
void note_put(int pe);

// Puts to this PE that come next are delivered after those before. Pairs with
// core/ordering.cpp:marks.
inline void order_puts(int pe) {
    if (detail::targets.load(std::memory_order_acquire) != nullptr) [[unlikely]]
        detail::fence_marked(pe);
}

// RETURNS when: this image's puts to the PE are complete, and what it does next is seen behind
// them. Pairs with core/ordering.cpp:marks.
inline void complete(int pe) {
    // Stores to mapped memory, which Arm's processors do not keep in order. Pairs with
    // src/core/context.hpp:fetch of the other images.
    std::atomic_thread_fence(std::memory_order_release);
    if (detail::targets.load(std::memory_order_acquire) != nullptr) [[unlikely]]
        detail::complete_marked(pe);
}

// RETURNS when: all accesses of this image are complete and visible to all images. Image control
// statements call it before they tell another image anything.
void complete_all();

// Before this image tells another one anything by an atomic operation, without complete_all().
inline void publish_stores() {
    if (!memory_is_coherent()) [[unlikely]]
        shmem_fence();
}

// Behind what this image has heard by an atomic operation. RETURNS when: its loads see what the
// other image saw before that.
inline void refresh_loads() {
    if (!memory_is_coherent()) [[unlikely]]
        shmem_signal_fetch(detail::copied_word);
}

// As complete_all(), for a statement whose routine of OpenSHMEM completes by itself what it must.
inline void begin_control() {
    if (detail::at_image_control != nullptr) detail::at_image_control();
}

}  // namespace tessera::caf
