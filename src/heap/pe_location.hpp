// SPDX-License-Identifier: BSD-3-Clause
//
// The place of a PE (include/shmemx/location.h) as PEs share it: each PE publishes its own in its
// internal segment, and a node keeps those of other nodes' PEs in a table of the node file
// (session/locations.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/platform.hpp"

namespace tessera::heap {

inline constexpr std::size_t kHostNameBytes = 65;  // with the 0 at its end

//     0  state
//     4  node, package, NUMA domain, cache cluster, core
//    24  host name, to the end
struct alignas(kFalseSharingBytes) PeLocation {
    // kEmpty is all zero bytes. Written with release by the writer of the rest, read with acquire.
    enum State : std::uint32_t { kEmpty = 0, kFilling = 1, kPublished = 2 };
    std::atomic<std::uint32_t> state;
    std::int32_t node;
    std::int32_t package;
    std::int32_t numa_domain;
    std::int32_t cache_cluster;
    std::int32_t core;
    char host_name[kHostNameBytes];
};
static_assert(sizeof(PeLocation) == kFalseSharingBytes);
static_assert(offsetof(PeLocation, host_name) == 24);

}  // namespace tessera::heap
