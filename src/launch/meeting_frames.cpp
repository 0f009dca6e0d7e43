// SPDX-License-Identifier: BSD-3-Clause
//
// See meeting_frames.hpp.
#include "launch/meeting_frames.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tessera::launch {

namespace {

// One value of a fence: sizes, key, bytes; false at the end, or where the sizes cannot be right.
bool take_value(std::span<const std::byte>& from, std::string& key, std::vector<std::byte>& value) {
    std::uint32_t sizes[2];
    if (from.size() < sizeof sizes) return false;
    std::memcpy(sizes, from.data(), sizeof sizes);
    from = from.subspan(sizeof sizes);
    if (from.size() < std::size_t{sizes[0]} + sizes[1]) return false;
    key.assign(reinterpret_cast<const char*>(from.data()), sizes[0]);
    value.assign(from.begin() + sizes[0], from.begin() + sizes[0] + sizes[1]);
    from = from.subspan(std::size_t{sizes[0]} + sizes[1]);
    return true;
}

}  // namespace

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

void read_values(std::span<const std::byte> all, int npes, FenceValues& values) {
    for (int pe = 0; pe < npes && all.size() >= sizeof(std::uint64_t); ++pe) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, all.data(), sizeof bytes);
        all = all.subspan(sizeof bytes);
        std::span<const std::byte> part = all.first(std::min<std::size_t>(bytes, all.size()));
        all = all.subspan(part.size());
        std::string key;
        std::vector<std::byte> value;
        while (take_value(part, key, value)) values[{pe, key}] = std::move(value);
    }
}

}  // namespace tessera::launch
