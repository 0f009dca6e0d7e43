// SPDX-License-Identifier: BSD-3-Clause
//
// See fd_passing.hpp. Sequenced-packet sockets keep one message one message.
#include "launch/fd_passing.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "base/random_number.hpp"

namespace tessera::launch {
namespace {

struct Address {
    sockaddr_un socket{};
    socklen_t bytes = 0;
};

// Abstract: the path begins with a null byte and is not null-terminated.
Address abstract_address(const std::string& name) {
    Address address;
    address.socket.sun_family = AF_UNIX;
    std::memcpy(address.socket.sun_path + 1, name.data(), name.size());
    address.bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    return address;
}

bool is_readable(int fd, int timeout_ms) {
    pollfd wait{.fd = fd, .events = POLLIN, .revents = 0};
    int ready;
    do {
        ready = ::poll(&wait, 1, timeout_ms);
    } while (ready < 0 && errno == EINTR);
    return ready > 0;
}

Fd make_socket() { return Fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)); }

// Room for the descriptors of one message, aligned as the kernel wants it.
union ControlBuffer {
    char bytes[CMSG_SPACE(sizeof(int) * kFdsPerMessageMax)];
    cmsghdr align;
};

}  // namespace

std::string random_socket_name() {
    char name[48];
    std::snprintf(name, sizeof name, "tessera-%016" PRIx64 "%016" PRIx64, random_number(),
                  random_number());
    return name;
}

Fd listen_at(const std::string& name, int backlog) {
    Fd listener = make_socket();
    if (!listener) return {};
    Address address = abstract_address(name);
    auto* generic = reinterpret_cast<sockaddr*>(&address.socket);
    if (::bind(listener.get(), generic, address.bytes) != 0) return {};
    if (::listen(listener.get(), backlog) != 0) return {};
    return listener;
}

Fd connect_to(const std::string& name) {
    Fd connection = make_socket();
    if (!connection) return {};
    Address address = abstract_address(name);
    auto* generic = reinterpret_cast<sockaddr*>(&address.socket);
    int result;
    do {
        result = ::connect(connection.get(), generic, address.bytes);
    } while (result != 0 && errno == EINTR);
    if (result != 0) return {};
    return connection;
}

Fd accept_one(int listener, int timeout_ms) {
    if (!is_readable(listener, timeout_ms)) return {};
    return Fd(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
}

bool peer_is_same_user(int socket) {
    ucred peer{};
    socklen_t bytes = sizeof peer;
    return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 &&
           peer.uid == ::geteuid();
}

bool send_message(int socket, std::span<const std::byte> bytes, std::span<const int> fds) {
    iovec data{.iov_base = const_cast<std::byte*>(bytes.data()), .iov_len = bytes.size()};
    ControlBuffer control{};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    if (!fds.empty()) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(fds.size_bytes());
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(fds.size_bytes());
        std::memcpy(CMSG_DATA(header), fds.data(), fds.size_bytes());
    }
    ssize_t sent;
    do {
        sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent == static_cast<ssize_t>(bytes.size());
}

bool receive_message(int socket, std::span<std::byte> bytes, std::vector<Fd>& fds, int timeout_ms) {
    fds.clear();
    if (!is_readable(socket, timeout_ms)) {
        errno = ETIMEDOUT;
        return false;
    }
    iovec data{.iov_base = bytes.data(), .iov_len = bytes.size()};
    ControlBuffer control{};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    ssize_t got;
    do {
        got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    if (got < 0) return false;
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd;
            std::memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
            fds.emplace_back(fd);
        }
    }
    // Cut descriptors mean that this process may open no more files.
    if ((message.msg_flags & MSG_CTRUNC) != 0) errno = EMFILE;
    bool is_complete = got == static_cast<ssize_t>(bytes.size());
    if (!is_complete) errno = ECONNRESET;
    return is_complete && (message.msg_flags & MSG_CTRUNC) == 0;
}

}  // namespace tessera::launch
