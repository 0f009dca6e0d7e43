// SPDX-License-Identifier: BSD-3-Clause
//
// The context of every operation of libfabric points to a Completion; the operation's entry in the
// completion queue brings it back, and its kind says how CompletionQueue treats the entry.
#pragma once

#include <atomic>
#include <cstdint>

namespace tessera::ofi {

struct Completion {
    enum class Kind : std::uint8_t { kCount, kPacket, kReceive };
    explicit Completion(Kind what) : kind(what) {}
    Kind kind;
};

// Operations that complete into a number.
struct Counter : Completion {
    Counter() : Completion(Kind::kCount) {}
    // Release in CompletionQueue::complete() pairs with the acquire in load(): the data is there.
    std::atomic<std::uint32_t> pending{0};
    std::uint32_t load() const { return pending.load(std::memory_order_acquire); }
};

}  // namespace tessera::ofi
