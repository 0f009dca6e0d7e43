// SPDX-License-Identifier: BSD-3-Clause
//
// See parts.hpp: the self test of the hosts, one PE on each. The PEs find each other through the
// launcher, as those of any job do. Then each connects by TCP to each, at the address that the
// fabric has chosen there and a port of its range. The kernel answers, so no PE has to accept.
#include <arpa/inet.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/environment.hpp"
#include "base/fatal.hpp"
#include "base/fd.hpp"
#include "launch/exchange.hpp"
#include "launch/job.hpp"
#include "settings/fabric_outlook.hpp"
#include "tools/osh_info/doctor/parts.hpp"

namespace tessera::osh_info {
namespace {

using Clock = std::chrono::steady_clock;

// The kernel repeats a lost request after 1 and 3 s, and would go on for minutes.
constexpr auto kConnectTime = std::chrono::seconds(8);

// The address at which a PE listens; sent as bytes between hosts of one kind.
struct Listener {
    char host[HOST_NAME_MAX + 1] = "";
    sockaddr_in address{};
};

// One PE's results: the time of its clock, then an errno for each PE, 0 for a connection.
struct Results {
    double seconds = 0;
    std::vector<int> errors;
};

std::uint16_t port_of(const char* variable) {
    const char* text = environment(variable);
    return text == nullptr ? std::uint16_t{0} : static_cast<std::uint16_t>(std::atoi(text));
}

// Listens on the first free port of the range that libfabric's provider tcp keeps to, or any.
Fd listen_at(sockaddr_in& address) {
    const unsigned low = port_of("FI_TCP_PORT_LOW_RANGE");
    const unsigned high = port_of("FI_TCP_PORT_HIGH_RANGE");
    for (unsigned port = low; port <= high || port == low; ++port) {
        Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        socklen_t bytes = sizeof address;
        auto* generic = reinterpret_cast<sockaddr*>(&address);
        if (socket && ::bind(socket.get(), generic, bytes) == 0 &&
            ::listen(socket.get(), SOMAXCONN) == 0 &&
            ::getsockname(socket.get(), generic, &bytes) == 0) {
            return socket;
        }
    }
    fatal("cannot listen on a port of this host: %s", std::strerror(errno));
}

template <class Value>
std::span<const std::byte> bytes_of(const Value& value) {
    return std::as_bytes(std::span(&value, 1));
}

// Begins a connection. RETURNS: the error so far; EINPROGRESS is none.
int begin_connection(const sockaddr_in& address, Fd& socket) {
    socket = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    if (!socket) return errno;
    return ::connect(socket.get(), generic, sizeof address) == 0 ? 0 : errno;
}

// All connections at a time. RETURNS: an errno for each place.
std::vector<int> connect_to(const std::vector<Listener>& listeners) {
    std::vector<Fd> sockets(listeners.size());
    std::vector<int> errors(listeners.size());
    for (std::size_t i = 0; i < listeners.size(); ++i)
        errors[i] = begin_connection(listeners[i].address, sockets[i]);
    const auto end = Clock::now() + kConnectTime;
    for (std::size_t i = 0; i < listeners.size(); ++i) {
        if (errors[i] != EINPROGRESS) continue;
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        pollfd wait{.fd = sockets[i].get(), .events = POLLOUT, .revents = 0};
        socklen_t bytes = sizeof errors[i];
        if (::poll(&wait, 1, static_cast<int>(std::max<long>(left, 0))) <= 0) {
            errors[i] = ETIMEDOUT;
        } else if (::getsockopt(wait.fd, SOL_SOCKET, SO_ERROR, &errors[i], &bytes) != 0) {
            errors[i] = errno;
        }
    }
    return errors;
}

double now_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::vector<std::byte> packed(const Results& results) {
    const auto time = bytes_of(results.seconds);
    const auto errors = std::as_bytes(std::span(results.errors));
    std::vector<std::byte> bytes(time.begin(), time.end());
    bytes.insert(bytes.end(), errors.begin(), errors.end());
    return bytes;
}

Results unpacked(const std::vector<std::byte>& bytes, std::size_t npes) {
    Results results{.seconds = 0, .errors = std::vector<int>(npes)};
    if (bytes.size() != sizeof results.seconds + npes * sizeof(int)) fatal("a result is damaged");
    std::memcpy(&results.seconds, bytes.data(), sizeof results.seconds);
    std::memcpy(results.errors.data(), bytes.data() + sizeof results.seconds, npes * sizeof(int));
    return results;
}

std::string address_text(const sockaddr_in& address) {
    char text[INET_ADDRSTRLEN] = "";
    ::inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
    return text;
}

void print_results(const std::vector<Listener>& listeners, const std::vector<Results>& all) {
    for (std::size_t from = 0; from < listeners.size(); ++from) {
        std::printf("%s %s %s\n", kReachedWord, listeners[from].host,
                    address_text(listeners[from].address).c_str());
        std::printf("%s %s %.3f\n", kClockWord, listeners[from].host,
                    all[from].seconds - all[0].seconds);
        for (std::size_t to = 0; to < listeners.size(); ++to) {
            const int error = all[from].errors[to];
            if (error == 0) continue;
            std::printf("%s %s %s %s:%d %s\n", kBlockedWord, listeners[from].host,
                        listeners[to].host, address_text(listeners[to].address).c_str(),
                        ntohs(listeners[to].address.sin_port), std::strerror(error));
        }
    }
    std::fflush(stdout);
}

}  // namespace

int run_connections() {
    launch::Job job = launch::join();
    if (job.nnodes < 2) fatal("the launcher has started all PEs on one host");
    Listener mine;
    ::gethostname(mine.host, sizeof mine.host - 1);
    mine.address.sin_family = AF_INET;
    ::inet_pton(AF_INET, fabric_outlook().address.c_str(), &mine.address.sin_addr);
    const Fd socket = listen_at(mine.address);
    launch::publish_endpoint_info(bytes_of(mine));
    launch::meet_job(nullptr);
    Results results{.seconds = now_seconds(), .errors = {}};
    std::vector<Listener> listeners(static_cast<std::size_t>(job.npes));
    for (int pe = 0; pe < job.npes; ++pe) {
        const std::vector<std::byte> bytes = launch::endpoint_info_of(pe);
        Listener& listener = listeners[static_cast<std::size_t>(pe)];
        if (bytes.size() != sizeof listener) fatal("the address of PE %d is damaged", pe);
        std::memcpy(&listener, bytes.data(), sizeof listener);
    }
    results.errors = connect_to(listeners);
    launch::publish_endpoint_info(packed(results));
    launch::meet_job(nullptr);
    if (job.pe == 0) {
        std::vector<Results> all;
        for (int pe = 0; pe < job.npes; ++pe)
            all.push_back(unpacked(launch::endpoint_info_of(pe), listeners.size()));
        print_results(listeners, all);
    }
    launch::leave(job);
    return 0;
}

}  // namespace tessera::osh_info
