// SPDX-License-Identifier: BSD-3-Clause
//
// A Unix datagram socket with a random abstract name: needs no directory and leaves nothing behind.
// The kernel keeps the datagrams of one sender to one receiver in order, and loses none.
// THREADS: any.
#pragma once

#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/fatal.hpp"
#include "base/fd.hpp"

namespace tessera::loopback {

inline std::uint64_t random_number() {
    std::uint64_t number = 0;
    if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) {
        fatal("shmem_init: getrandom: %s", std::strerror(errno));
    }
    return number;
}

class Socket {
  public:
    using Name = std::uint64_t;

    Socket() : name_(random_number()), socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
        const Address address(name_);
        const auto* bytes = reinterpret_cast<const sockaddr*>(&address.path);
        if (!socket_ || ::bind(socket_.get(), bytes, Address::kBytes) != 0) {
            fatal("shmem_init: cannot make a Unix socket: %s", std::strerror(errno));
        }
    }
    Name name() const { return name_; }

    // RETURNS: 0, EAGAIN when the receiver has no room, or the errno of a receiver that is gone.
    int try_send(Name to, std::span<iovec> parts) const {
        Address address(to);
        msghdr message{};
        message.msg_name = &address.path;
        message.msg_namelen = Address::kBytes;
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
    struct Address {
        static constexpr socklen_t kBytes = offsetof(sockaddr_un, sun_path) + 9 + sizeof(Name);
        explicit Address(Name name) {
            path.sun_family = AF_UNIX;
            std::memcpy(path.sun_path, "\0tessera.", 9);
            std::memcpy(path.sun_path + 9, &name, sizeof name);
        }
        sockaddr_un path{};
    };
    const Name name_;
    const Fd socket_;
};

}  // namespace tessera::loopback
