// SPDX-License-Identifier: BSD-3-Clause
//
// The pointers by which the program loads and stores other PEs' public copies of a segment
// (shmemx_public_ptr). In a file they are the public copies themselves, and the processor's caches
// are between. The emulation has no such caches, so each PE has a view of each other PE's public
// copy, which stands for the lines that its caches may hold: Copies whose private copy is memory of
// this PE. A view changes by the program's stores, by invalidate() and evict(), and where an
// operation of the library on the PE drops lines. It goes to the public copy by whole lines, as
// from a cache. THREADS: any; those of a PE have one view.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/fd.hpp"
#include "base/mutexes.hpp"
#include "transports/noncoherent/copies.hpp"

namespace tessera::noncoherent {

class Views {
  public:
    // `copies`: this PE's, which outlive the object.
    explicit Views(const Copies& copies);
    // False: out of address space.
    bool is_made() const { return !copies_.policy().is_emulation() || views_memory_.is_mapped(); }

    // REQUIRES: the segment holds `address`, `pe` is another PE that has the segment.
    char* pointer_to(const void* address, int pe);
    // How many bytes of another PE's segment begin at this address; 0: it is no such pointer.
    std::size_t bytes_at(const void* start) const;
    // The program's stores become visible to others, and the owner is told. REQUIRES (both
    // functions): bytes_at() the start is at least `bytes`.
    void write_back(const void* start, std::size_t bytes);
    // Loads that follow see what was visible at the call. The program's stores go to memory, but
    // the owner is not told, as when caches evict lines.
    void invalidate(const void* start, std::size_t bytes);
    // Before and behind an operation of the library on these bytes of a PE's segment: it finds what
    // the program has stored, and loads find what it has stored. Hardware does so by itself.
    void drop(const void* address, std::size_t bytes, int pe) {
        // Pairs with transports/noncoherent/views.cpp:pointer_to.
        if (has_views_.load(std::memory_order_acquire)) [[unlikely]]
            drop_from_view(address, bytes, pe);
    }
    // A line at random of some view goes to memory, or is invalidated.
    void evict(Dice& dice);

  private:
    struct Found {
        int pe = -1;  // none
        std::size_t offset = 0;
    };
    Found find(const void* start) const;
    char* base_of(int pe) const;
    void drop_from_view(const void* address, std::size_t bytes, int pe);
    // nullptr: the program has asked for no pointer to this PE's memory.
    Copies* view(int pe) const;

    const Copies& copies_;
    const std::size_t view_bytes_;                // distance of two views
    Mapping views_memory_;                        // by PE
    mutable ShortMutex lock_;                     // guards views_
    std::vector<std::unique_ptr<Copies>> views_;  // by PE
    std::atomic<bool> has_views_{false};
};

}  // namespace tessera::noncoherent
