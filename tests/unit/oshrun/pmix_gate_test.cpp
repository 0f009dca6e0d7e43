// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when the gate before the PMIx port does not wake a server that has told an epoll of its
// socket as soon as it listened, as PMIx 5 and later do. (PMIx 4 calls select() again and again.)
#include "tools/oshrun/pmix_gate.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cstring>
#include <string>

#include "base/fd.hpp"

namespace tessera::oshrun {
namespace {

void append(std::string& text, std::uint32_t number) {
    text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// The first message of a client (pmix_gate.cpp:is_welcome).
std::string introduction(const std::string& nspace, std::uint32_t rank) {
    std::string body("native\0", 7);
    append(body, htonl(2));
    body.append("ab\0", 3);
    body.append(nspace.c_str(), nspace.size() + 1);
    append(body, htonl(rank));
    body.append("5.0.7\0v4\0\1hash\0", 15);
    std::string text(8, '\0');
    append(text, static_cast<std::uint32_t>(body.size()));
    append(text, 0);
    return text + body;
}

Fd connect_to(const sockaddr_in& address) {
    Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto* at = reinterpret_cast<const sockaddr*>(&address);
    EXPECT_EQ(::connect(client.get(), at, sizeof address), 0);
    return client;
}

void send_all(const Fd& client, const std::string& text) {
    ASSERT_EQ(::send(client.get(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
}

TEST(PmixGate, WakesAnEpollThatWatchesTheSocket) {
    build_pmix_gate();
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    const Fd server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::bind(server.get(), reinterpret_cast<sockaddr*>(&address), bytes), 0);
    ASSERT_EQ(::getsockname(server.get(), reinterpret_cast<sockaddr*>(&address), &bytes), 0);
    ASSERT_EQ(::listen(server.get(), 8), 0);
    ASSERT_EQ(::fcntl(server.get(), F_SETFL, O_NONBLOCK), 0);
    const Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
    epoll_event event{.events = EPOLLIN, .data = {}};
    ASSERT_EQ(::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, server.get(), &event), 0);

    const Fd stranger = connect_to(address);
    send_all(stranger, introduction("another job", 0));
    EXPECT_EQ(::accept(server.get(), nullptr, nullptr), -1) << "before the gate is closed";
    close_pmix_gate({.nspace = "job", .npes = 2}, [](const std::string&) {});
    for (const std::uint32_t rank : {0U, 1U}) {
        const Fd client = connect_to(address);
        const std::string text = introduction("job", rank);
        send_all(client, text);
        ASSERT_EQ(::epoll_wait(epoll.get(), &event, 1, -1), 1);
        const Fd accepted(::accept(server.get(), nullptr, nullptr));
        ASSERT_TRUE(accepted);
        std::string found(text.size(), '\0');
        ASSERT_EQ(::recv(accepted.get(), found.data(), found.size(), MSG_WAITALL),
                  static_cast<ssize_t>(text.size()));
        EXPECT_EQ(found, text);
    }
    EXPECT_EQ(::epoll_wait(epoll.get(), &event, 1, 0), 0);
    EXPECT_EQ(::accept(server.get(), nullptr, nullptr), -1);
}

}  // namespace
}  // namespace tessera::oshrun
