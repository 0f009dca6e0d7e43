// SPDX-License-Identifier: BSD-3-Clause
//
// The promises of the kernel's Unix datagram sockets, which transports/loopback relies on, and a
// check of each.
#pragma once

#include <span>

#include "tools/osh_info/fabric_promises.hpp"

namespace tessera::osh_info {

struct SocketPromise {
    const char* name;
    const char* text;
    Seen (*check)();
};

std::span<const SocketPromise> socket_promises();

}  // namespace tessera::osh_info
