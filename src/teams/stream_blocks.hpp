// SPDX-License-Identifier: BSD-3-Clause
//
// Where the blocks of streams (teams/team_streams.hpp) lie, how they are laid out, and the context
// by which members transfer between their blocks.
#pragma once

#include <cstdint>

namespace tessera {

class Context;
class StreamLayout;
struct Team;

// REQUIRES: team.has_streams.
StreamLayout stream_layout(const Team& team);
// This PE's block for the team in slot `slot`: also the symmetric address of other PEs' blocks.
char* stream_block(std::uint32_t slot);
// The block of PE `world_pe` as this PE maps it; nullptr: the PE is on another node.
char* mapped_stream_block(int world_pe, std::uint32_t slot);
// Brings all gates of this PE's block to `number`. REQUIRES: no PE uses them.
void renew_stream_block(std::uint32_t slot, std::uint32_t number);

// The context of streams, so that neither a program's operations nor blocking collectives wait for
// them. Set by init.
extern Context stream_context;

}  // namespace tessera
