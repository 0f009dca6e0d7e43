// SPDX-License-Identifier: BSD-3-Clause
//
// Stands between the network and the PMIx server's port. The server reads the introduction of a
// client with blocking calls on the thread that serves all others, and believes the lengths in it:
// a stranger that connects and is silent would hold the whole job, and one that sends junk can
// crash it. The gate accepts in its place, and the server gets only connections with a complete
// introduction of a client of this job. The gate closes all others: at once if they send junk or
// hang up, and the oldest silent one where there are too many. Called by pmix_server.cpp.
//
// The server calls listen() and accept(), which oshrun defines itself (pmix_gate.cpp). listen()
// makes the descriptor that the server is about to watch one that is readable when the gate has a
// connection, and accept() takes that. It cannot be made so later: an epoll of the server would go
// on to watch the socket.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tessera::oshrun {

// The clients that the gate lets in.
struct PmixGuests {
    std::string nspace;
    std::uint32_t npes = 0;
};

// Called on the gate's thread with a line for the user, without the name of oshrun.
using PmixGateNote = void (*)(const std::string& line);

// Puts the gate before each port on which this process begins to listen from now on. Call once,
// before the server starts; nothing is accepted there until close_pmix_gate().
void build_pmix_gate();
// From now on the gate lets guests in. Call once, when the server listens.
void close_pmix_gate(PmixGuests guests, PmixGateNote note);

// The first message of a client: a header with the number of bytes that follow, and these.
struct PmixIntroduction {
    static constexpr std::size_t kHeaderBytes = 16;
    static constexpr std::size_t kBytesMax = 16384;  // messages of real clients have some hundred
    // With the header. REQUIRES: kHeaderBytes are there.
    static std::size_t wanted_bytes(std::span<const char> bytes);
    // Whether all fields are inside, and name a client of `guests`. REQUIRES: `bytes` is complete.
    static bool is_welcome(std::span<const char> bytes, const PmixGuests& guests);
};

}  // namespace tessera::oshrun
