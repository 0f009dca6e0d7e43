// SPDX-License-Identifier: BSD-3-Clause
//
// Objects that another PE names when it answers: a request carries a token, the answer brings it
// back. A token is an index and a generation, never an address, so that a token which this PE did
// not give out, or whose object has been put back, finds nothing.
//
//   token   generation (24 bits) | index + 1 (32); the upper 8 bits are the caller's
//
// Entries lie in chunks, each twice as large as the one before, that stay until the pool ends:
// find() may run beside take(). Used by ofi/packet_pool.hpp and loopback.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/fatal.hpp"
#include "base/mutexes.hpp"

namespace tessera {

// PE `pe` has answered with a token that this PE did not give out.
[[noreturn]] inline void fatal_unknown_token(int pe, std::uint64_t token) {
    fatal(
        "PE %d, on another node, answered an operation that this PE does not have under way "
        "(token %#llx): its memory or a message has been damaged",
        pe, static_cast<unsigned long long>(token));
}

template <class Object>
class TokenPool {
  public:
    static constexpr unsigned kTokenBits = 56;

    struct Entry {
        // 0: the object is not in use.
        std::atomic<std::uint64_t> token{0};
        std::uint32_t index = 0;
        std::uint32_t generation = 0;
        Object object{};

        // Gives the object a new token; those from before name nothing. THREADS: its user.
        std::uint64_t renew() {
            generation = (generation + 1) & kGenerationMax;
            const std::uint64_t fresh =
                std::uint64_t{generation} << 32 | (std::uint64_t{index} + 1);
            // Pairs with transports/token_pool.hpp:find.
            token.store(fresh, std::memory_order_release);
            return fresh;
        }
        // From here on find() does not find it. THREADS: its user, or the reader of answers.
        void retire() { token.store(0, std::memory_order_relaxed); }
    };

    // An entry with a token, and this object. THREADS: any. COST: a lock for a few instructions.
    Entry& take(const Object& object) {
        std::lock_guard guard(lock_);
        if (free_.empty()) grow();
        Entry& entry = *free_.back();
        free_.pop_back();
        entry.object = object;
        entry.renew();
        return entry;
    }
    void put_back(Entry& entry) {
        entry.retire();
        std::lock_guard guard(lock_);
        free_.push_back(&entry);
    }

    // The entry that has this token, or nullptr. THREADS: any. COST: three loads.
    Entry* find(std::uint64_t token) const {
        const std::uint32_t index = static_cast<std::uint32_t>(token) - 1;
        // Pairs with transports/token_pool.hpp:grow.
        if (index >= count_.load(std::memory_order_acquire)) return nullptr;
        const std::size_t chunk = chunk_of(index);
        Entry& entry = chunks_[chunk][index - first_of(chunk)];
        // Pairs with transports/token_pool.hpp:renew.
        return entry.token.load(std::memory_order_acquire) == token ? &entry : nullptr;
    }

  private:
    static constexpr std::uint32_t kGenerationMax = (1U << 24) - 1;
    static constexpr std::size_t kFirstChunk = 64;
    static constexpr std::size_t kChunks = 27;  // for any index

    static std::size_t chunk_of(std::uint64_t index) {
        return static_cast<std::size_t>(std::bit_width(index / kFirstChunk + 1)) - 1;
    }
    static std::uint64_t first_of(std::size_t chunk) {
        return ((std::uint64_t{1} << chunk) - 1) * kFirstChunk;
    }
    void grow() {
        const std::uint32_t count = count_.load(std::memory_order_relaxed);
        const std::size_t chunk = chunk_of(count);
        const std::size_t entries = kFirstChunk << chunk;
        chunks_[chunk] = std::make_unique<Entry[]>(entries);
        for (std::size_t i = entries; i > 0; --i) {
            Entry& entry = chunks_[chunk][i - 1];
            entry.index = static_cast<std::uint32_t>(count + i - 1);
            free_.push_back(&entry);
        }
        // Pairs with transports/token_pool.hpp:find.
        count_.store(static_cast<std::uint32_t>(count + entries), std::memory_order_release);
    }

    ShortMutex lock_;
    std::vector<Entry*> free_;
    std::array<std::unique_ptr<Entry[]>, kChunks> chunks_;
    std::atomic<std::uint32_t> count_{0};
};

}  // namespace tessera
