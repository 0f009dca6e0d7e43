// SPDX-License-Identifier: BSD-3-Clause
//
// Notices peers that fall silent: pings each PE that this one has contacted, and ends the job when
// one does not answer. THREADS: check() one at a time; else any.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/mutexes.hpp"
#include "transports/ofi/message_sender.hpp"

namespace tessera::ofi {

class PeerWatchdog {
  public:
    // `timeout_s` of 0: silence is no reason to end the job.
    PeerWatchdog(std::uint32_t timeout_s, Peers& peers, const MessageSender& sender);

    // Called over and over; does something twice in each `timeout_s`.
    void check();
    // `pe` has answered.
    void heard(int pe);

    // From here on peers may disconnect: the job ends.
    void leave() { is_leaving_.store(true, std::memory_order_relaxed); }
    bool is_leaving() const { return is_leaving_.load(std::memory_order_relaxed); }

  private:
    const std::uint32_t timeout_s_;
    Peers& peers_;
    const MessageSender& sender_;
    ShortMutex lock_;
    std::vector<int> unanswered_;  // PEs; with the lock
    std::uint64_t asked_at_ms_;
    std::atomic<bool> is_leaving_{false};
};

}  // namespace tessera::ofi
