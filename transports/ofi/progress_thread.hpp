// SPDX-License-Identifier: BSD-3-Clause
//
// The thread that reads the completion queue while the program computes: so PEs of other nodes get
// their answers. It stays out of the way of a program that reads the queue itself, because two
// readers take the lock and the core from each other.
//
//             messages found, or the last sleep ended less than a linger ago
//                        +-----+
//                        v     |
//     start() -------> Polling-+--- nothing found for a linger -----> Sleeping
//                       |  ^ ^                                            |
//   the program reads   |  | +---- an event, kSleepMs, or the end --------+
//   the queue, or posts |  |
//                       v  | a timed sleep, or wake(), later the thread looks again
//                     BackedOff
//
// Within a linger, Polling pauses between two looks, and backs off from a stream of messages. Each
// look ends with the background work; the thread looks again at once where that has posted.
// THREADS: start() and the destructor by one.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "transports/ofi/completion_queue.hpp"
#include "transports/ofi/fabric.hpp"
#include "transports/ofi/peer_watchdog.hpp"

namespace tessera::ofi {

class ProgressThread {
  public:
    // `background`, `prepare`: FabricSetup::background and prepare_thread.
    ProgressThread(CompletionQueue& queue, Fabric& fabric, PeerWatchdog& watchdog,
                   void (*background)(), void (*prepare)())
        : queue_(queue),
          fabric_(fabric),
          watchdog_(watchdog),
          background_(background),
          prepare_(prepare) {}
    ProgressThread(const ProgressThread&) = delete;
    ProgressThread& operator=(const ProgressThread&) = delete;
    ~ProgressThread();

    void start();
    // FabricTransport::wake_thread(). THREADS: any.
    void wake();

  private:
    enum class State : std::uint8_t { kPolling, kBackedOff, kSleeping };

    // Sleeping: how often the thread wakes to let the watchdog look after the peers.
    static constexpr int kSleepMs = 100;
    // Polling: how long to go on after a sleep that ended at once, because the peer sends on; and
    // after a longer one, where the message came alone and the time is the program's.
    static constexpr std::uint64_t kLingerNs = 50'000;
    static constexpr std::uint64_t kLingerAloneNs = 10'000;

    void run();
    // Reads the queue unless the program does. RETURNS: the next state.
    State look();
    // RETURNS: whether it has posted operations, which this thread then completes.
    bool run_background();
    void back_off();
    void sleep();
    void pause_between_polls();

    CompletionQueue& queue_;
    Fabric& fabric_;
    PeerWatchdog& watchdog_;
    void (*const background_)();
    void (*const prepare_)();
    // All for the thread alone.
    bool has_found_ = false;
    std::uint32_t posts_seen_ = 0;
    int back_offs_ = 0;     // in a row
    int idle_ = 0;          // looks that found nothing, in a row
    int stream_hits_ = 0;   // see pause_between_polls()
    int stream_looks_ = 0;  // since its last sleep
    std::uint64_t woken_at_ns_ = 0;
    std::uint64_t linger_ns_ = kLingerAloneNs;

    std::atomic<bool> must_stop_{false};
    std::thread thread_;
};

}  // namespace tessera::ofi
