// SPDX-License-Identifier: BSD-3-Clause
//
// The end of a program that never calls shmem_finalize. A PE that reaches exit(0) without it stays
// until all PEs have come there, because it alone serves its memory to other nodes. If all come,
// the job has ended well, as if each had called shmem_finalize. If another PE waits for it in a
// collective, it exits, and the launcher ends the job (tools/oshrun/verdict.cpp,
// launch/pmix_client.cpp). Nothing is closed here: destructors that run later may still use the
// library, and may finalize. Called by runtime.cpp.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "session/node.hpp"
#include "transports/fabric_transport.hpp"

namespace tessera {

struct ExitMeeting {
    const launch::Job& job;
    const Node& node;
    FabricTransport* fabric;              // nullptr: there is one node
    TransportContext& transport_context;  // for its reads
    // An atomic on a word of PE 0's internal segment, which is named by this PE's.
    std::uint64_t (*atomic_at_first_pe)(AtomicRequest request);
};

// Whether exit() was called where the library can still be used: by the main thread or that of
// init, and not by a signal handler, which may have interrupted a call.
bool is_plain_exit(pid_t thread_of_init);

// RETURNS when: all PEs have called it (true), or one of them waits for this PE in a collective, or
// all wait in other places, so that none will come (false). COST: a waiting PE reads PE 0's count
// every 0.1 s at most; after a second it reads a line of every PE, once a second.
bool meet_at_exit(const ExitMeeting& meeting);

}  // namespace tessera
