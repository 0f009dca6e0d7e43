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
#include <vector>

#include "collectives/model.hpp"
#include "settings/config.hpp"
#include "teams/team.hpp"

namespace tessera {

namespace collectives {

// A call that would need more staging memory passes its arrays in parts, or does not use it.
inline constexpr std::size_t kStagedBytesMax = std::size_t{32} << 20;

// The calls over the team's streams: streams/engine.cpp.
class OpenCalls;
struct DeleteOpenCalls {
    void operator()(OpenCalls* calls) const;
};
using OpenCallsPointer = std::unique_ptr<OpenCalls, DeleteOpenCalls>;

}  // namespace collectives

struct CollectiveState {
    // The kinds of calls of a collective for which an algorithm is chosen (row_of() in choice.cpp).
    static constexpr std::size_t kShapes = 64;
    // Two classes of sizes for each power of two.
    static constexpr std::size_t kSizeClasses = 64;
    static constexpr std::uint8_t kNotChosen = 0xFF;
    using Row = std::array<std::uint8_t, kSizeClasses>;

    // The algorithm for one kind of calls and one class of sizes: its index, or kNotChosen.
    std::uint8_t& entry(std::size_t row, std::size_t size_class) {
        std::uint16_t& number = row_numbers[row];
        if (number == 0) [[unlikely]] {
            rows.emplace_back().fill(kNotChosen);
            number = static_cast<std::uint16_t>(rows.size());
        }
        return rows[number - 1U][size_class];
    }

    bool has_machine = false;  // `machine` and `cores_per_pe` are member 0's
    collectives::MachineParameters machine;
    double cores_per_pe = 1;
    std::array<std::uint16_t, kCollectives * kShapes> row_numbers{};  // in `rows`, from 1; 0: none
    std::vector<Row> rows;
    std::uint32_t published_free = 0;          // published slots until the next sync
    collectives::OpenCallsPointer open_calls;  // nullptr before the first call over streams
    // Staging memory (staging.hpp); nullptr: none yet.
    char* staging = nullptr;
    std::size_t staging_bytes = 0;
    std::size_t staging_bytes_max = collectives::kStagedBytesMax;  // More was not free.
};

namespace collectives {

inline CollectiveState& state_of(Team& team) {
    if (team.collective_state == nullptr) [[unlikely]]
        team.collective_state.reset(new CollectiveState);
    return *team.collective_state;
}

}  // namespace collectives
}  // namespace tessera
