// SPDX-License-Identifier: BSD-3-Clause
//
// The meeting point of a group of PEs that no launcher has started: a thread of the process that
// made the unique id, which answers the PEs' connections (meeting_frames.hpp). Used by group.cpp.
#pragma once

#include <cstdint>
#include <string>

#include "launch/unique_id.hpp"

namespace tessera::launch {

// Begins to listen, and starts the thread. The thread ends when all PEs have said goodbye, or the
// job has been ended. `limit_s`: from the first PE to the last one, 0: for ever.
// RETURNS: the id of the meeting point; without one (magic 0) `error` says why.
UniqueId open_meeting_point(std::uint32_t limit_s, std::string& error);

// Waits for the end of the threads of this process's meeting points. REQUIRES: this PE has said
// goodbye, or asked for the end of the job. THREADS: any.
void close_meeting_points();

}  // namespace tessera::launch
