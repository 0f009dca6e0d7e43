// SPDX-License-Identifier: BSD-3-Clause
//
// A Unix datagram socket with a random abstract name: needs no directory and leaves nothing behind.
// The kernel keeps the datagrams of one sender to one receiver in order, and loses none.
// THREADS: any.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/fatal.hpp"
#include "base/fd.hpp"
#include "base/random_number.hpp"

namespace tessera::loopback {

class Socket {
  public:
    using Name = std::uint64_t;

    Socket() : name_(random_number()), socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
        const sockaddr_un address = address_of(name_);
        const auto* bytes = reinterpret_cast<const sockaddr*>(&address);
        if (!socket_ || ::bind(socket_.get(), bytes, kAddressBytes) != 0)
            fatal("shmem_init: cannot make a Unix socket: %s", std::strerror(errno));
    }
    Name name() const { return name_; }

    // RETURNS: 0, EAGAIN when the receiver has no room, or the errno of a receiver that is gone.
    int try_send(Name to, std::span<iovec> parts) const {
        sockaddr_un address = address_of(to);
        msghdr message{};
        message.msg_name = &address;
        message.msg_namelen = kAddressBytes;
        message.msg_iov = parts.data();
        message.msg_iovlen = parts.size();
        if (::sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) return 0;
        return errno == EINTR || errno == ENOBUFS ? EAGAIN : errno;
    }
    // RETURNS: the bytes of the datagram, 0 when there is none.
    std::size_t try_receive(std::span<std::byte> buffer) const {
        const ssize_t bytes = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
    }
    // RETURNS when: there is a datagram, or the time is over.
    void wait(int timeout_ms) const {
        pollfd descriptor{.fd = socket_.get(), .events = POLLIN, .revents = 0};
        ::poll(&descriptor, 1, timeout_ms);
    }

    // Ends wait() for good.
    void close_for_reading() const { ::shutdown(socket_.get(), SHUT_RD); }

  private:
    // An abstract name begins with a zero and has no end but its length.
    static constexpr socklen_t kAddressBytes = offsetof(sockaddr_un, sun_path) + 9 + sizeof(Name);
    static sockaddr_un address_of(Name name) {
        sockaddr_un address{.sun_family = AF_UNIX, .sun_path = "\0tessera."};
        std::memcpy(address.sun_path + 9, &name, sizeof name);
        return address;
    }

    const Name name_;
    const Fd socket_;
};

}  // namespace tessera::loopback
