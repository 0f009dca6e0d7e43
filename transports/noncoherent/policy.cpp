// SPDX-License-Identifier: BSD-3-Clause
//
// See policy.hpp.
#include "transports/noncoherent/policy.hpp"

#include <atomic>

#include "base/cache_lines.hpp"
#include "base/copy.hpp"

namespace tessera::noncoherent {

void Policy::before_load(const void* start, std::size_t bytes) const {
    before_repeated_load();
    if (access_ == Access::kPastCache) drop_lines(start, bytes);
}

void Policy::before_repeated_load() const {
    // The note of the PE that stored has come by other means. Pairs with
    // transports/noncoherent/policy.cpp:finish.
    std::atomic_thread_fence(std::memory_order_acquire);
    // The processor may load from write-combining memory early.
    if (access_ == Access::kNoCache) std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Policy::write_back(const void* start, std::size_t bytes) const {
    if (access_ == Access::kPastCache) write_back_lines(start, bytes);
}

void Policy::store(char* dest, const void* source, std::size_t bytes) const {
    if (access_ != Access::kCoherent) return store_past_cache(dest, source, bytes);
    copy_bytes(dest, source, bytes);
}

void Policy::store_bytes(std::uint64_t* word, std::uint64_t value, std::uint8_t mask) const {
    if (access_ != Access::kCoherent) return store_bytes_past_cache(word, value, mask);
    const std::uint64_t bytes = bytes_of_bits(mask);
    // Relaxed: finish() orders.
    std::atomic_ref shared(*word);
    if (mask == 0xff) return shared.store(value, std::memory_order_relaxed);
    std::uint64_t seen = shared.load(std::memory_order_relaxed);
    while (!shared.compare_exchange_weak(seen, (seen & ~bytes) | (value & bytes),
                                         std::memory_order_relaxed)) {
    }
}

// seq_cst: also before the loads that ask whether another PE sleeps. Pairs with
// transports/noncoherent/policy.cpp:before_repeated_load and
// base/wait.cpp:sleep_unless.
void Policy::finish() const {
    if (access_ != Access::kCoherent) finish_stores_past_cache();
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

const char* Policy::name() const {
    switch (access_) {
        case Access::kCoherent: return "coherent";
        case Access::kPastCache: return "stores past the caches";
        case Access::kNoCache: return "mapped without caches";
    }
    return "";
}

}  // namespace tessera::noncoherent
