// SPDX-License-Identifier: BSD-3-Clause
//
// See stream_blocks.hpp.
#include "teams/stream_blocks.hpp"

#include "core/address_map.hpp"
#include "core/internal_segment.hpp"
#include "core/pe_state.hpp"
#include "teams/team.hpp"
#include "teams/team_streams.hpp"

namespace tessera {

StreamLayout stream_layout(const Team& team) {
    return {static_cast<int>(team.npes), stream_block_bytes(team.slot)};
}

char* stream_block(std::uint32_t slot) { return stream_block_of(*pe_state.internal, slot); }

char* mapped_stream_block(int world_pe, std::uint32_t slot) {
    Sleeper* sleeper = address_map.peers[world_pe].sleeper;
    return sleeper != nullptr ? stream_block_of(segment_of(sleeper), slot) : nullptr;
}

void renew_stream_block(std::uint32_t slot, std::uint32_t number) {
    auto* gates = reinterpret_cast<Gate*>(stream_block(slot));
    const std::size_t bytes = StreamLayout::gates_bytes(stream_block_bytes(slot));
    for (std::size_t i = 0; i < bytes / sizeof(Gate); ++i) gates[i].reset(number);
}

}  // namespace tessera
