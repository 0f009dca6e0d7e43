// SPDX-License-Identifier: BSD-3-Clause
//
// The exchange of addresses between PEs of different nodes: each PE publishes one card (addresses,
// keys), through the PMIx server of the launcher. Used by core when the job has several nodes,
// under every launcher. Errors end the job.
// THREADS: one at a time, except card_of().
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "launch/launcher_address.hpp"

namespace tessera::launch {

// Makes `card` known to all PEs of the job, with the next meet_job(). Called once per init, by
// every PE. REQUIRES: join() has found several nodes.
void publish_card(std::span<const std::byte> card);

// A barrier of the job; afterwards the cards of all PEs are there. Calls `progress`, unless it is
// nullptr, over and over while it waits. COST: a fence of the launcher, which brings all cards to
// each host.
void meet_job(void (*progress)());

// The card that `pe` has published in this init. REQUIRES: a meet_job() since then.
// THREADS: any. COST: microseconds.
std::vector<std::byte> card_of(int pe);

}  // namespace tessera::launch
