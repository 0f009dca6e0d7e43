// SPDX-License-Identifier: BSD-3-Clause
//
// Every operation of libfabric completes a Completion (Fabric::start); the operation's entry in the
// completion queue brings it back, and its kind says how CompletionQueue treats the entry.
#pragma once

#include <atomic>
#include <cstdint>

namespace tessera::ofi {

struct Completion {
    enum class Kind : std::uint8_t { kCount, kPart, kPacket, kReceive, kDelivery, kSlotTransfer };
    explicit Completion(Kind what) : kind(what) {}
    Kind kind;
};

// Operations that complete into a number.
struct Counter : Completion {
    Counter() : Completion(Kind::kCount) {}
    std::atomic<std::uint32_t> pending{0};
    // At 0 the data is there. Pairs with transports/ofi/completion_queue.cpp:complete,
    // transports/ofi/completion.hpp:complete and transports/ofi/context.hpp:end_confirmation.
    std::uint32_t load() const { return pending.load(std::memory_order_acquire); }
};

// Parts of an Operation: they complete into one of its counts, and into the context's counter,
// which quiet waits for.
struct PartCompletion : Completion {
    PartCompletion(std::atomic<std::uint32_t>& of_operation, Counter& of_context)
        : Completion(Kind::kPart), count(of_operation), context(of_context) {}
    std::atomic<std::uint32_t>& count;
    Counter& context;

    void complete() const {
        // Before the operation's count becomes 0: its waiter may then use this memory again.
        Counter& counter = context;
        // Pairs with transports/operation.hpp:is_local, transports/operation.hpp:is_remote and
        // transports/ofi/completion.hpp:load.
        count.fetch_sub(1, std::memory_order_release);
        counter.pending.fetch_sub(1, std::memory_order_release);
    }
};

}  // namespace tessera::ofi
