// SPDX-License-Identifier: BSD-3-Clause
//
// The collectives' state of a team (teams/team.hpp owns it): the machine parameters that its
// members agreed on, and the algorithms chosen so far. Made at the first use. The same on all
// members. THREADS: like collectives on the team.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "collectives/model.hpp"
#include "teams/team.hpp"

namespace tessera {

namespace collectives {

// The calls over the team's streams: streams/open_calls.hpp.
class OpenCalls;
struct DeleteOpenCalls {
    void operator()(OpenCalls* calls) const;
};
using OpenCallsPointer = std::unique_ptr<OpenCalls, DeleteOpenCalls>;

}  // namespace collectives

struct CollectiveState {
    // The kinds of calls for which an algorithm is chosen: the data collectives, alltoalls, and
    // scans and reductions by how far their result depends on the order (Choice in select.cpp).
    static constexpr std::size_t kChoices = 11;
    // Two classes of sizes for each power of two.
    static constexpr std::size_t kSizeClasses = 64;
    static constexpr std::uint8_t kNotChosen = 0xFF;

    CollectiveState() { algorithms.fill(kNotChosen); }

    bool has_machine = false;  // `machine` and `cores_per_pe` are member 0's
    collectives::MachineParameters machine;
    double cores_per_pe = 1;
    std::array<std::uint8_t, kChoices * kSizeClasses> algorithms;
    std::uint32_t published_free = 0;          // published slots until the next sync
    collectives::OpenCallsPointer open_calls;  // nullptr before the first call over streams
};

namespace collectives {

inline CollectiveState& state_of(Team& team) {
    if (team.collective_state == nullptr) [[unlikely]]
        team.collective_state.reset(new CollectiveState);
    return *team.collective_state;
}

}  // namespace collectives
}  // namespace tessera
