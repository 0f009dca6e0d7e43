// SPDX-License-Identifier: BSD-3-Clause
//
// The part of a PE's internal segment by which another PE of its node invites it to take pieces of
// a copy (progress/offload.hpp).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/platform.hpp"

namespace tessera {

struct OffloadInvitation {
    // The word on which the PE sleeps: WaitEnvironment::sleep_note, relative to the segment.
    alignas(kFalseSharingBytes) std::atomic<std::int64_t> sleeping_on;
    // ticket << kRingBits | index of the inviting PE on the node + 1; 0: no PE asks.
    alignas(kFalseSharingBytes) std::atomic<std::uint64_t> ticket;
    static constexpr unsigned kRingBits = 16;
};

}  // namespace tessera
