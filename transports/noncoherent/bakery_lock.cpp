// SPDX-License-Identifier: BSD-3-Clause
//
// See bakery_lock.hpp. Each store is finished before the loads that follow, and each load comes
// from memory: so two nodes that choose at the same time see each other's line.
#include "transports/noncoherent/bakery_lock.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>

namespace tessera::noncoherent {
namespace {

constexpr int kLoadsBeforeYield = 64;

template <class Done>
void poll_until(Done is_done) {
    for (int loads = 1; !is_done(); ++loads) {
        if (loads % kLoadsBeforeYield == 0) ::sched_yield();
    }
}

}  // namespace

std::uint64_t BakeryLock::load(const std::uint64_t& word) const {
    policy_.before_load(&word, sizeof word);
    // Pairs with transports/noncoherent/policy.cpp:finish in the node that writes the line.
    return std::atomic_ref(const_cast<std::uint64_t&>(word)).load(std::memory_order_acquire);
}

void BakeryLock::store(std::uint64_t& word, std::uint64_t value) const {
    policy_.store(reinterpret_cast<char*>(&word), &value, sizeof value);
    policy_.finish();
}

BakeryLock::BakeryLock(const Policy& policy, BakeryLine* lines, BakeryPlace place)
    : policy_(policy), lines_(lines), place_(place) {
    const std::uint64_t ticket = take_ticket();
    for (int node = 0; node < place_.count; ++node) {
        if (node != place_.mine) wait_for(node, ticket);
    }
}

// The stores under the lock are in memory before the ticket is gone.
BakeryLock::~BakeryLock() {
    policy_.finish();
    store(mine().ticket, 0);
}

std::uint64_t BakeryLock::take_ticket() const {
    store(mine().is_choosing, 1);
    std::uint64_t last = 0;
    for (int node = 0; node < place_.count; ++node) {
        if (node != place_.mine) last = std::max(last, load(lines_[node].ticket));
    }
    store(mine().ticket, last + 1);
    store(mine().is_choosing, 0);
    return last + 1;
}

// Equal tickets are in the order of the nodes. A node that is choosing may get a ticket that is
// before this one.
void BakeryLock::wait_for(int node, std::uint64_t my_ticket) const {
    const BakeryLine& line = lines_[node];
    poll_until([&] { return load(line.is_choosing) == 0; });
    poll_until([&] {
        const std::uint64_t ticket = load(line.ticket);
        const bool is_behind = ticket > my_ticket || (ticket == my_ticket && node > place_.mine);
        return ticket == 0 || is_behind;
    });
}

}  // namespace tessera::noncoherent
