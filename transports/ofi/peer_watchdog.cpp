// SPDX-License-Identifier: BSD-3-Clause
//
// See peer_watchdog.hpp.
#include "transports/ofi/peer_watchdog.hpp"

#include <time.h>

#include "base/fatal.hpp"

namespace tessera::ofi {
namespace {

// Coarse: 4 ms is enough, and costs no read of the processor's clock.
std::uint64_t now_ms() {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1000 +
           static_cast<std::uint64_t>(time.tv_nsec) / 1'000'000;
}

}  // namespace

PeerWatchdog::PeerWatchdog(std::uint32_t timeout_s, Peers& peers, const MessageSender& sender)
    : timeout_s_(timeout_s), peers_(peers), sender_(sender), asked_at_ms_(now_ms()) {}

void PeerWatchdog::check() {
    if (timeout_s_ == 0 || is_leaving()) return;
    const std::uint64_t interval_ms = std::uint64_t{timeout_s_} * 500;
    const std::uint64_t now = now_ms();
    if (now - asked_at_ms_ < interval_ms) return;
    {
        std::lock_guard guard(lock_);
        if (!unanswered_.empty()) {
            fatal_lost_peer(
                "PE %d, on another node, has not answered for %u s: its host, or the network "
                "between, may be down (SHMEM_NETWORK_TIMEOUT=%u sets the limit, 0 waits for ever)",
                unanswered_.front(), timeout_s_, timeout_s_);
        }
        unanswered_ = peers_.known();
    }
    asked_at_ms_ = now;
    for (int pe : peers_.known()) {
        Header ping{.kind = MessageKind::kPing};
        sender_.address(ping, pe);
        // A ping that cannot be sent remains unanswered: that is silence as well.
        static_cast<void>(sender_.try_send(&ping, sizeof ping, pe));
    }
}

void PeerWatchdog::heard(int pe) {
    std::lock_guard guard(lock_);
    std::erase(unanswered_, pe);
}

}  // namespace tessera::ofi
