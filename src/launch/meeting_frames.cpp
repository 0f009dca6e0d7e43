// SPDX-License-Identifier: BSD-3-Clause
//
// See meeting_frames.hpp.
#include "launch/meeting_frames.hpp"

#include <sys/socket.h>

#include <cerrno>

namespace tessera::launch {

bool send_all(int socket, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
    return true;
}

bool receive_all(int socket, std::span<std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t got = ::recv(socket, bytes.data(), bytes.size(), MSG_WAITALL);
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) errno = ECONNRESET;
        if (got <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
    return true;
}

bool send_frame(int socket, FrameKind kind, std::span<const std::byte> bytes) {
    const FrameHeader header{.kind = kind, .bytes = bytes.size()};
    return send_all(socket, std::as_bytes(std::span(&header, 1))) && send_all(socket, bytes);
}

}  // namespace tessera::launch
