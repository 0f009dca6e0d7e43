// SPDX-License-Identifier: BSD-3-Clause
//
// See socket_promises.hpp. Both sockets are of this process, as the endpoints of FabricPair are.
#include "tools/osh_info/socket_promises.hpp"

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "transports/loopback/message.hpp"

namespace tessera::osh_info {
namespace {

using loopback::Socket;

// RETURNS: the result of Socket::try_send.
int send(const Socket& from, const Socket& to, std::span<std::byte> data) {
    iovec part{.iov_base = data.data(), .iov_len = data.size()};
    return from.try_send(to.name(), {&part, 1});
}

// The longest datagrams of the transport, each with its number. The receiver reads when it is full.
Seen keeps_datagrams() {
    constexpr std::uint64_t kDatagrams = 1000;
    const Socket from;
    const Socket to;
    std::vector<std::byte> source(sizeof(loopback::Message) + loopback::kDataBytesMax);
    std::vector<std::byte> arrived(source.size());
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    while (received < kDatagrams) {
        std::memcpy(source.data(), &sent, sizeof sent);
        const int error = sent < kDatagrams ? send(from, to, source) : EAGAIN;
        if (error == 0) {
            ++sent;
            continue;
        }
        if (error != EAGAIN) return {std::string("a datagram: ") + std::strerror(error), ""};
        const std::uint64_t before = received;
        while (const std::size_t bytes = to.try_receive(arrived)) {
            std::memcpy(source.data(), &received, sizeof received);
            if (bytes != source.size() || arrived != source)
                return {"datagram " + std::to_string(received) + " did not come in its turn", ""};
            ++received;
        }
        if (received == before)
            return {"datagram " + std::to_string(received) + " was lost, or is refused", ""};
    }
    return {"", std::to_string(received) + " datagrams of " + std::to_string(source.size()) + " B"};
}

Seen wakes_receiver() {
    constexpr int kRounds = 20;
    constexpr int kLongMs = 5000;
    const Socket from;
    const Socket to;
    for (int round = 0; round < kRounds; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        std::thread sender([&] {
            std::byte word{};
            send(from, to, {&word, 1});
        });
        to.wait(kLongMs);
        sender.join();
        if (std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(kLongMs))
            return {"a datagram did not end a sleep of " + std::to_string(kLongMs) + " ms", ""};
        std::byte word;
        if (to.try_receive({&word, 1}) != 1) return {"the receiver woke without a datagram", ""};
    }
    return {"", std::to_string(kRounds) + " datagrams"};
}

constexpr SocketPromise kSocketPromises[] = {
    {"message-message", "datagrams stay in order, and none is lost", keeps_datagrams},
    {"wake", "a datagram wakes its receiver", wakes_receiver},
};

}  // namespace

std::span<const SocketPromise> socket_promises() { return kSocketPromises; }

}  // namespace tessera::osh_info
