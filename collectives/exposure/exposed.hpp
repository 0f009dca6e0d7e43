// SPDX-License-Identifier: BSD-3-Clause
//
// The collectives of the runtime layer on one node, with exposed sources (exposure.hpp). They read
// the same calls as the schedules of streams (streams/call.hpp).
// RETURNS: whether the call is done; false, on all members alike: a source is out of reach, and
// nothing has happened. REQUIRES: a team with mailboxes on one node.
#pragma once

#include "collectives/streams/call.hpp"
#include "teams/team.hpp"

namespace tessera::collectives {

// Where members read their parts, sources of up to so many bytes are copied first. A program writes
// to its source between two calls, and stores to lines that others have read wait one for the
// other; the copy's do not (docs/measurements/runtime-layer.md).
inline constexpr std::size_t kLongCopyBytesMax = std::size_t{128} << 10;

// call.out and call.in; as kExchangeSchedule.
bool exchange_exposed(Team& team, const RuntimeCall& call, const char* where);
// call.out holds the blocks; as kReduceScatterSchedule.
bool reduce_scatter_exposed(Team& team, const RuntimeCall& call, const char* where);
// call.source, bytes and dest; on all members, or the root only.
bool allreduce_exposed(Team& team, const RuntimeCall& call, const char* where);
bool reduce_exposed(Team& team, const RuntimeCall& call, const char* where);

}  // namespace tessera::collectives
