// SPDX-License-Identifier: BSD-3-Clause
//
// The meeting point of a group without a launcher, by its unique id and its socket. The input has
// the bytes of one process after the other, each behind its length in two bytes; the lowest bits of
// a length tell whether a good Hello comes first.
#include "launch/meeting_point.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>

#include "base/fd.hpp"
#include "fuzz/fuzz.hpp"
#include "launch/meeting_frames.hpp"

namespace tessera::launch {

namespace {

Fd connect_to(const UniqueId& id) {
    Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(id.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int error =
        ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    return error == 0 ? std::move(socket) : Fd();
}

void say_hello(const Fd& socket, const UniqueId& id, int pe) {
    const Hello hello{.pe = pe, .npes = 2, .key = id.key};
    send_all(socket.get(), std::as_bytes(std::span(&hello, 1)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string error;
    const UniqueId id = open_meeting_point(1, error);
    fuzz::require(error.empty() && id.addresses <= kUniqueIdAddresses, "no meeting point");
    fuzz::Bytes bytes(data, size);
    std::vector<Fd> sockets;
    for (int pe = 0; !bytes.is_empty() && sockets.size() < 4;) {
        const auto length = bytes.take<std::uint16_t>();
        sockets.push_back(connect_to(id));
        if (!sockets.back()) break;
        if (length % 4 != 0) say_hello(sockets.back(), id, pe++);
        const std::string_view text = bytes.take(length / 4);
        send_all(sockets.back().get(), std::as_bytes(std::span(text)));
    }
    sockets.clear();
    // A PE that comes and goes ends it, unless it has ended.
    if (const Fd last = connect_to(id)) say_hello(last, id, 0);
    close_meeting_points();
    return 0;
}

}  // namespace tessera::launch
