// SPDX-License-Identifier: BSD-3-Clause
//
// The exchange of addresses between PEs of different nodes: each PE publishes one EndpointInfo
// (addresses, keys), through the PMIx server of the launcher. Used by core when the job has several
// nodes, under every launcher. Errors end the job.
// THREADS: one at a time, except endpoint_info_of().
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tessera::launch {

// Makes `info` known to all PEs of the job, with the next meet_job(). Called once per init, by
// every PE. REQUIRES: join() has found several nodes.
void publish_endpoint_info(std::span<const std::byte> info);

// A barrier of the job; afterwards the EndpointInfos of all PEs are there. Calls `progress`, unless
// it is nullptr, over and over while it waits. COST: a fence of the launcher, which brings all
// EndpointInfos to each host.
void meet_job(void (*progress)());

// The EndpointInfo that `pe` has published in this init. REQUIRES: a meet_job() since then.
// THREADS: any. COST: microseconds.
std::vector<std::byte> endpoint_info_of(int pe);

}  // namespace tessera::launch
