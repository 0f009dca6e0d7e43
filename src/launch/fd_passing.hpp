// SPDX-License-Identifier: BSD-3-Clause
//
// Messages with descriptors over a unix socket (SCM_RIGHTS), and the socket itself: abstract, so it
// leaves no file, with a name that cannot be guessed. Used by share_files.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/fd.hpp"

namespace tessera::launch {

// The kernel carries at most 253 descriptors in one message.
inline constexpr std::size_t kFdsPerMessageMax = 128;

// A random name for an abstract socket, 40 characters.
std::string random_socket_name();

// Empty on failure; errno says why.
Fd listen_at(const std::string& name, int backlog);
Fd connect_to(const std::string& name);

// Waits at most `timeout_ms` for a connection. Empty when the time is over.
Fd accept_one(int listener, int timeout_ms);

// Whether the process at the other end belongs to our user.
bool peer_is_same_user(int socket);

// One message: `bytes` and descriptors. RETURNS: success.
bool send_message(int socket, std::span<const std::byte> bytes, std::span<const int> fds);

// Receives exactly bytes.size() bytes within `timeout_ms`, and the descriptors that came with them,
// close-on-exec. RETURNS: success.
bool receive_message(int socket, std::span<std::byte> bytes, std::vector<Fd>& fds, int timeout_ms);

}  // namespace tessera::launch
