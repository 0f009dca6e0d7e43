// SPDX-License-Identifier: BSD-3-Clause
//
// Hot path: posts operations, and reads the completion queue. One thread at a time reads it, and
// executes the messages that it finds in the order in which they came: where the provider keeps the
// order of messages, those that a thread sends to a PE on one context are executed in the order in
// which it called. A waiter reads the queue, too, and may find the completion of another thread's
// operation: each entry carries the address of the object that it completes (completion.hpp).
// THREADS: any.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "base/cancellation.hpp"
#include "base/death_patience.hpp"
#include "base/no_wait.hpp"
#include "transports/ofi/fabric.hpp"
#include "transports/ofi/message_handlers.hpp"
#include "transports/ofi/packet_pool.hpp"

namespace tessera::ofi {

class CompletionQueue {
  public:
    CompletionQueue(bool is_oversubscribed, Fabric& fabric, PacketPool& pool,
                    MessageHandlers& handlers)
        : is_oversubscribed_(is_oversubscribed),
          fabric_(fabric),
          pool_(pool),
          handlers_(handlers) {}
    CompletionQueue(const CompletionQueue&) = delete;
    CompletionQueue& operator=(const CompletionQueue&) = delete;

    // The weight of one call of post(): a stream of operations reads the queue once in
    // kPostsPerPoll, so that the progress thread need not. An injected write leaves nothing in the
    // queue, so it counts for less.
    static constexpr std::uint32_t kPost = 4, kInjection = 1;
    static constexpr std::uint32_t kPostsPerPoll = 32;

    // Repeats `call`, an fi_* function, while the provider is busy. The one place for EAGAIN.
    template <class Call>
    void post(Call call, int pe, std::uint32_t weight = kPost) {
        check_may_wait("an operation between nodes");
        const NoCancellation no_cancellation;
        // The program's stores come before the requests that other PEs send when they learn of this
        // operation; another thread of this PE may serve those. Pairs with
        // transports/ofi/completion_queue.cpp:read and
        // transports/ofi/completion_queue.cpp:wait_for_events.
        if (posts_.fetch_add(weight, std::memory_order_release) % kPostsPerPoll < weight)
            progress();
        ssize_t result = call();
        if (result != 0) [[unlikely]]
            post_again(&call_again<Call>, &call, result, pe);
    }

    // Drives progress until `is_done()`.
    template <class Done>
    void wait(Done is_done) {
        if (is_done()) return;
        const NoCancellation no_cancellation;
        for (Patience patience(*this); !is_done();) patience.step();
    }

    // Reads the queue once, for the program. RETURNS: whether there was anything, or another thread
    // reads it.
    bool progress();

    // For the progress thread. False: another thread reads the queue.
    bool try_read(bool& found);
    // Sleeps until an event, and handles it if it is an entry of the queue. `idle`: the number of
    // times in a row that the caller found nothing. RETURNS: the number that it adds to posts().
    std::uint32_t wait_for_events(int timeout_ms, int idle, Fabric::Waiter waiter);
    std::uint32_t posts() const { return posts_.load(std::memory_order_relaxed); }
    // When the program has last read the queue, or was told that another thread does.
    std::uint64_t polled_at_ns() const { return polled_at_ns_.load(std::memory_order_relaxed); }
    // The program computes from here on, or the thread itself has read the queue. A hint.
    void leave_to_thread() { polled_at_ns_.store(0, std::memory_order_relaxed); }

    // Grows with what the queue or the sockets announce, whichever thread takes it.
    const std::atomic<std::uint32_t>& arrivals() const { return arrivals_; }
    // A write of another PE is in no queue, but may take long to read. Threads at once may count
    // one.
    void note_arrival() {
        arrivals_.store(arrivals_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

  private:
    // The time to go on reading the queue before the thread leaves the core to others.
    class Patience {
      public:
        explicit Patience(CompletionQueue& queue) : queue_(queue) {}
        void step();

      private:
        // Some ms: a large transfer ends within. PEs that share cores look twice, then yield.
        static constexpr std::uint32_t kPollsWithCoreEach = 5'000;
        static constexpr std::uint32_t kPollsOversubscribed = 2;
        // Yields before the waiter sleeps.
        static constexpr std::uint32_t kYields = 100;

        CompletionQueue& queue_;
        std::uint32_t steps_ = 0;
        DeathPatience deaths_;
    };

    template <class Call>
    static ssize_t call_again(void* call) {
        return (*static_cast<Call*>(call))();
    }
    void post_again(ssize_t (*call)(void*), void* state, ssize_t result, int pe);

    // With the lock held.
    bool read();
    void complete(const fi_cq_msg_entry& entry);
    void read_error();

    const bool is_oversubscribed_;
    Fabric& fabric_;
    PacketPool& pool_;
    MessageHandlers& handlers_;
    std::atomic_flag lock_;
    std::atomic<std::uint32_t> posts_{1};
    std::atomic<std::uint64_t> polled_at_ns_{0};
    std::atomic<std::uint32_t> arrivals_{0};
};

}  // namespace tessera::ofi
