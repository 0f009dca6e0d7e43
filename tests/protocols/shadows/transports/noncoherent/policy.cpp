// SPDX-License-Identifier: BSD-3-Clause
//
// For GenMC: memory that is coherent, but as weakly ordered as the model allows.
#include "transports/noncoherent/policy.hpp"

#include <atomic>

namespace tessera::noncoherent {

void Policy::before_load(const void* /*start*/, std::size_t /*bytes*/) const {
    std::atomic_thread_fence(std::memory_order_acquire);
}
void Policy::before_repeated_load() const { std::atomic_thread_fence(std::memory_order_acquire); }
void Policy::store_bytes(std::uint64_t* word, std::uint64_t value, std::uint8_t mask) const {
    const std::uint64_t bytes = bytes_of_bits(mask);
    std::atomic_ref shared(*word);
    if (mask == 0xff) return shared.store(value, std::memory_order_relaxed);
    std::uint64_t seen = shared.load(std::memory_order_relaxed);
    while (!shared.compare_exchange_strong(seen, (seen & ~bytes) | (value & bytes),
                                           std::memory_order_relaxed)) {
    }
}
void Policy::store(char* dest, const void* source, std::size_t bytes) const {
    if (bytes == sizeof(std::uint64_t)) {
        std::atomic_ref(*reinterpret_cast<std::uint64_t*>(dest))
            .store(*static_cast<const std::uint64_t*>(source), std::memory_order_relaxed);
    } else {
        std::atomic_ref(*reinterpret_cast<std::uint32_t*>(dest))
            .store(*static_cast<const std::uint32_t*>(source), std::memory_order_relaxed);
    }
}
void Policy::finish() const { std::atomic_thread_fence(std::memory_order_seq_cst); }

}  // namespace tessera::noncoherent
