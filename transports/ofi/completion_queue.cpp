// SPDX-License-Identifier: BSD-3-Clause
//
// See completion_queue.hpp.
#include "transports/ofi/completion_queue.hpp"

#include <sched.h>

#include <algorithm>
#include <optional>

#include "base/clock.hpp"
#include "base/failures.hpp"
#include "base/fatal.hpp"
#include "base/no_wait.hpp"
#include "transports/ofi/memory_watch.hpp"

namespace tessera::ofi {
namespace {

constexpr const char* kHandler = "a handler of messages";

}  // namespace

// Pairs with transports/ofi/completion_queue.cpp:try_read and
// transports/ofi/completion_queue.cpp:wait_for_events.
bool CompletionQueue::try_read(bool& found) {
    if (lock_.test_and_set(std::memory_order_acquire)) return false;
    found = read();
    lock_.clear(std::memory_order_release);
    return true;
}

bool CompletionQueue::progress() {
    check_may_wait("progress between nodes");
    const NoCancellation no_cancellation;
    polled_at_ns_.store(now_ns(), std::memory_order_relaxed);
    bool found = false;
    return !try_read(found) || found;
}

std::uint32_t CompletionQueue::wait_for_events(int timeout_ms, int idle, Fabric::Waiter waiter) {
    // Pairs with transports/ofi/completion_queue.hpp:post.
    static_cast<void>(posts_.load(std::memory_order_acquire));
    const Fabric::Event event = fabric_.wait_for_events(timeout_ms, idle, waiter);
    if (event != Fabric::Event::kNone) note_arrival();
    // The provider may have moved data. Pairs with transports/ofi/completion_queue.cpp:read.
    posts_.fetch_add(kPostsPerPoll, std::memory_order_release);
    if (event != Fabric::Event::kStuck) return kPostsPerPoll;
    // Pairs with transports/ofi/completion_queue.cpp:try_read.
    while (lock_.test_and_set(std::memory_order_acquire)) ::sched_yield();
    const NoWait no_wait(kHandler);
    if (const std::optional<fi_cq_msg_entry> entry = fabric_.reset_descriptor()) {
        complete(*entry);
        handlers_.send_ack();
    }
    // Pairs with transports/ofi/completion_queue.cpp:read and
    // transports/ofi/completion_queue.cpp:try_read.
    posts_.fetch_add(kPostsPerPoll, std::memory_order_release);
    lock_.clear(std::memory_order_release);
    return kPostsPerPoll;
}

void CompletionQueue::Patience::step() {
    const bool is_oversubscribed = queue_.is_oversubscribed_;
    const std::uint32_t polls = is_oversubscribed ? kPollsOversubscribed : kPollsWithCoreEach;
    if (queue_.progress()) {
        // While something comes the waiter does not sleep, but others may need the core to go on.
        steps_ = is_oversubscribed ? std::min(steps_, polls) : 0;
    } else if (++steps_ < polls) {
        cpu_pause();
    }
    if (steps_ < polls) return;
    deaths_.look();
    ::sched_yield();
    if (steps_ >= polls + kYields) queue_.wait_for_events(1, 0, Fabric::Waiter::kProgram);
}

bool CompletionQueue::read() {
    constexpr std::size_t kEntriesAtOnce = 16;  // A burst in one call, half a KiB of stack.
    const NoWait no_wait(kHandler);
    // Pairs with transports/ofi/completion_queue.hpp:post and
    // transports/ofi/completion_queue.cpp:wait_for_events.
    static_cast<void>(posts_.load(std::memory_order_acquire));
    fi_cq_msg_entry entries[kEntriesAtOnce];
    const ssize_t count = fi_cq_read(fabric_.queue(), entries, kEntriesAtOnce);
    if (count == -FI_EAVAIL) read_error();
    for (ssize_t i = 0; i < count; ++i) complete(entries[i]);
    if (count > 0) note_arrival();
    handlers_.send_ack();
    if (handlers_.has_postponed()) [[unlikely]]
        handlers_.send_postponed();
    return count > 0;
}

void CompletionQueue::complete(const fi_cq_msg_entry& entry) {
    auto* completion = static_cast<Completion*>(fabric_.completion_of(entry.op_context));
    if (completion == nullptr) return;
    switch (completion->kind) {
        case Completion::Kind::kCount:
            // Pairs with transports/ofi/completion.hpp:load.
            static_cast<Counter*>(completion)->pending.fetch_sub(1, std::memory_order_release);
            break;
        case Completion::Kind::kPart: static_cast<PartCompletion*>(completion)->complete(); break;
        case Completion::Kind::kDelivery:
            handlers_.finish(static_cast<Delivery*>(completion)->slot, PacketSlot::kOneWrite, 1);
            break;
        case Completion::Kind::kSlotTransfer:
            handlers_.finish_transfer(static_cast<SlotTransfer*>(completion)->slot);
            break;
        case Completion::Kind::kPacket: pool_.put_back(static_cast<Packet*>(completion)); break;
        case Completion::Kind::kReceive:
            handlers_.receive(*static_cast<Receive*>(completion), entry.len);
    }
}

void CompletionQueue::read_error() {
    fi_cq_err_entry error{};
    if (fi_cq_readerr(fabric_.queue(), &error, 0) < 0) return;
    auto* completion = static_cast<Completion*>(fabric_.completion_of(error.op_context));
    if (completion != nullptr && completion->kind == Completion::Kind::kReceive) {
        // Too long for any message of ours: junk.
        return handlers_.drop(*static_cast<Receive*>(completion));
    }
    if (handlers_.is_leaving()) return;
    char text[128] = "";
    const char* detail =
        fi_cq_strerror(fabric_.queue(), error.prov_errno, error.err_data, text, sizeof text);
    fatal_lost_peer(
        "a transfer to or from another node failed: %s (%s); did a PE or a host die, or the "
        "network go down?",
        error_text(error.err), detail != nullptr ? detail : "no detail");
}

void CompletionQueue::post_again(ssize_t (*call)(void*), void* state, ssize_t result, int pe) {
    MemoryWatch memory;
    DeathPatience deaths;
    for (Patience patience(*this); result == -FI_EAGAIN; result = call(state)) {
        // Each refused connection to a dead PE is an event, so the patience may never end.
        patience.step();
        if (failure_count() > 0 && is_dead(pe)) deaths.look();
        memory.look();
    }
    if (result != 0) MessageSender::fail(result, pe);
}

}  // namespace tessera::ofi
