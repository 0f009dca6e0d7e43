// SPDX-License-Identifier: BSD-3-Clause
//
// Mutual exclusion between nodes whose shared memory is not coherent and has no atomic
// instructions: the bakery of Lamport (1974). Each node has a line that it alone writes. A node
// takes a ticket behind all that it sees, and waits for the nodes with earlier ones. Fair.
// COST: without contention three stores and, for each other node, three loads past the caches.
#pragma once

#include "transports/noncoherent/policy.hpp"
#include "transports/noncoherent_transport.hpp"

namespace tessera::noncoherent {

// The place of this node among the nodes of the job.
struct BakeryPlace {
    int mine = 0;
    int count = 1;
};

class BakeryLock {
  public:
    // RETURNS when: no other node has the lock. Does not drive progress, because the caller may
    // hold another lock; an owner only copies a few bytes. `lines`: one for each node, zeros at
    // first. REQUIRES: one thread of the node at a time, which the caller sees to.
    BakeryLock(const Policy& policy, BakeryLine* lines, BakeryPlace place);
    ~BakeryLock();
    BakeryLock(const BakeryLock&) = delete;
    BakeryLock& operator=(const BakeryLock&) = delete;

  private:
    std::uint64_t load(const std::uint64_t& word) const;
    void store(std::uint64_t& word, std::uint64_t value) const;
    BakeryLine& mine() const { return lines_[place_.mine]; }
    std::uint64_t take_ticket() const;
    void wait_for(int node, std::uint64_t my_ticket) const;

    const Policy& policy_;
    BakeryLine* const lines_;
    const BakeryPlace place_;
};

}  // namespace tessera::noncoherent
