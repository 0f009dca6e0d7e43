// SPDX-License-Identifier: BSD-3-Clause
//
// Runs calls of collectives over the streams of a team, blocking or not. Members start the calls of
// a team in the same order; call i uses set i modulo the number of sets, and calls of a set go one
// after the other. So no stream carries two calls at once, and flags of other collectives
// (mailboxes, barriers) are never touched: these may run between the start of a call and its end.
// THREADS: starts like collectives; progress by any thread that waits, and by the fabric's.
#pragma once

#include "collectives/streams/call.hpp"
#include "progress/request.hpp"
#include "teams/team.hpp"

namespace tessera::collectives {

// Calls of a team that may be under way at the same time; a start beyond waits for the oldest one.
inline constexpr std::uint32_t kOpenCallsMax = 64;

// Starts `call`, whose arrays and counts stay as they are until the call is complete. REQUIRES:
// team.has_streams. RETURNS: at once; the request, SHMEMX_REQ_COMPLETE if the call is complete.
shmemx_req_t start(Team& team, const RuntimeCall& call, const char* where);
// RETURNS when: the call is complete on this member.
void run(Team& team, const RuntimeCall& call, const char* where);

// Whether streams have been used, and how many calls are under way on this member.
bool has_used_streams(const Team& team);
std::uint32_t open_calls(const Team& team);
// Behind every number of the streams' messages so far.
std::uint32_t last_stream_number(const Team& team);

}  // namespace tessera::collectives
