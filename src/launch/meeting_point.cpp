// SPDX-License-Identifier: BSD-3-Clause
//
// See meeting_point.hpp. One thread, poll() over all connections. Where there are more than
// kStrangersMax connections that have not said Hello, the oldest is closed; before Hello at most
// sizeof(Hello) bytes are read from one.
// The first PE that comes starts a clock: when the group is not complete in time, the job ends.
#include "launch/meeting_point.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/fatal.hpp"
#include "base/fd.hpp"
#include "base/library_thread.hpp"
#include "base/mutexes.hpp"
#include "base/random_number.hpp"
#include "launch/meeting_frames.hpp"

namespace tessera::launch {
namespace {

constexpr time_t kSendPatienceS = 10;
constexpr int kTickMs = 200;
constexpr int kLingerMs = 1000;
constexpr int kStrangersMax = 64;

struct Connection {
    Fd socket;
    int pe = -1;                     // -1: has not said Hello
    std::vector<std::byte> inbox{};  // bytes of a message that is not complete
};

class MeetingPoint {
  public:
    MeetingPoint(Fd listener, const UniqueId& id, std::uint32_t limit_s)
        : listener_(std::move(listener)), id_(id), limit_ns_(limit_s * 1'000'000'000ULL) {}

    void run() {
        while (!is_over_) {
            const std::vector<pollfd> polled = wait();
            if ((polled[0].revents & POLLIN) != 0) accept_one();
            auto connection = connections_.begin();
            for (std::size_t i = 1; i < polled.size() && !is_over_; ++i, ++connection) {
                if (polled[i].revents != 0 && !serve(*connection)) drop(*connection);
            }
            check_clock();
            connections_.remove_if([](const Connection& it) { return !it.socket; });
        }
        linger();
    }

  private:
    std::vector<pollfd> wait() {
        std::vector<pollfd> polled{{.fd = listener_.get(), .events = POLLIN, .revents = 0}};
        const bool has_clock = npes_ != 0 && !is_complete_ && limit_ns_ != 0;
        for (const Connection& connection : connections_)
            polled.push_back({.fd = connection.socket.get(), .events = POLLIN, .revents = 0});
        ::poll(polled.data(), polled.size(), has_clock ? kTickMs : -1);
        return polled;
    }

    void check_clock() {
        if (npes_ == 0 || is_complete_ || limit_ns_ == 0 || is_over_) return;
        if (now_ns() - first_ns_ < limit_ns_) return;
        const auto came =
            std::ranges::count_if(connections_, [](const Connection& it) { return it.pe >= 0; });
        end({.pe = static_cast<std::int32_t>(came), .reason = Abort::Reason::kMissing}, nullptr);
    }

    // Closing a socket that has unread bytes would take back the last frames that were sent on it.
    void linger() {
        for (const Connection& connection : connections_)
            ::shutdown(connection.socket.get(), SHUT_WR);
        for (const Connection& connection : connections_) {
            std::byte ignored[256];
            pollfd polled{.fd = connection.socket.get(), .events = POLLIN, .revents = 0};
            while (::poll(&polled, 1, kLingerMs) > 0 &&
                   ::recv(connection.socket.get(), ignored, sizeof ignored, MSG_DONTWAIT) > 0) {
            }
        }
    }

    void accept_one() {
        Fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        const bool is_full = !socket && (errno == EMFILE || errno == ENFILE);
        const auto strangers = std::ranges::count(connections_, -1, &Connection::pe);
        if (is_full || strangers >= kStrangersMax) drop_oldest_stranger();
        if (is_full && strangers == 0) ::poll(nullptr, 0, kTickMs);
        if (!socket && (errno == EPERM || errno == ENOSYS)) {
            fatal("the system refuses accept4 (%s), so the PEs of the group cannot meet",
                  std::strerror(errno));
        }
        if (!socket) return;
        // A PE that does not read must not stop the thread for ever.
        const timeval limit{.tv_sec = kSendPatienceS, .tv_usec = 0};
        ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
        connections_.push_back({.socket = std::move(socket)});
    }

    // False: the connection is over.
    bool serve(Connection& connection) {
        std::vector<std::byte>& inbox = connection.inbox;
        const std::size_t before = inbox.size();
        inbox.resize(wanted_bytes(inbox, connection.pe < 0));
        const ssize_t got = ::recv(connection.socket.get(), inbox.data() + before,
                                   inbox.size() - before, MSG_DONTWAIT);
        const bool is_alive = got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
        inbox.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        if (!is_alive) return false;
        if (inbox.size() < wanted_bytes(inbox, connection.pe < 0)) return true;
        const bool is_good = connection.pe < 0 ? greet(connection) : take_frame(connection);
        inbox.clear();
        return is_good;
    }

    // Bytes of the message that begins in `inbox`, as far as they are known.
    static std::size_t wanted_bytes(const std::vector<std::byte>& inbox, bool is_hello) {
        if (is_hello) return sizeof(Hello);
        if (inbox.size() < sizeof(FrameHeader)) return sizeof(FrameHeader);
        FrameHeader header;
        std::memcpy(&header, inbox.data(), sizeof header);
        return sizeof header + static_cast<std::size_t>(std::min(header.bytes, kFenceBytesMax));
    }

    bool greet(Connection& connection) {
        Hello hello;
        std::memcpy(&hello, connection.inbox.data(), sizeof hello);
        if (hello.magic != Hello::kMagic || hello.key != id_.key) return false;
        if (npes_ == 0) first_ns_ = now_ns();
        if (npes_ == 0) npes_ = hello.npes;
        const bool fits = hello.npes == npes_ && npes_ >= 1 && npes_ <= kGroupPesMax &&
                          hello.pe >= 0 && hello.pe < npes_;
        const bool is_second =
            std::ranges::find(connections_, hello.pe, &Connection::pe) != connections_.end();
        if (!fits || is_second) {
            end({.pe = hello.pe, .reason = Abort::Reason::kGroup}, &connection);
            return true;
        }
        connection.pe = hello.pe;
        if (values_.empty()) values_.resize(static_cast<std::size_t>(npes_));
        return true;
    }

    bool take_frame(Connection& connection) {
        FrameHeader header;
        std::memcpy(&header, connection.inbox.data(), sizeof header);
        if (header.bytes > kFenceBytesMax) return false;
        const std::span<const std::byte> body =
            std::span<const std::byte>(connection.inbox).subspan(sizeof header);
        switch (header.kind) {
            case FrameKind::kFence:
                values_[static_cast<std::size_t>(connection.pe)].assign(body.begin(), body.end());
                if (++arrived_ == npes_) end_fence();
                return true;
            case FrameKind::kGoodbye:
                if (++gone_ == npes_) {
                    tell_all(FrameKind::kGoodbye, {});
                    is_over_ = true;
                }
                return true;
            case FrameKind::kAbort: {
                Abort abort;
                if (body.size() != sizeof abort) return false;
                std::memcpy(&abort, body.data(), sizeof abort);
                abort.pe = connection.pe;
                end(abort, &connection);
                return true;
            }
        }
        return false;
    }

    void end_fence() {
        std::vector<std::byte> all;
        for (std::vector<std::byte>& value : values_) {
            const std::uint64_t bytes = value.size();
            const auto* size = reinterpret_cast<const std::byte*>(&bytes);
            all.insert(all.end(), size, size + sizeof bytes);
            all.insert(all.end(), value.begin(), value.end());
            value.clear();
        }
        arrived_ = 0;
        is_complete_ = true;
        tell_all(FrameKind::kFence, all);
    }

    void tell_all(FrameKind kind, std::span<const std::byte> bytes) {
        for (Connection& connection : connections_) {
            if (connection.pe < 0 || is_over_) continue;
            if (!send_frame(connection.socket.get(), kind, bytes)) drop(connection);
        }
    }

    // Ends the job: every PE but the one that asked for it learns why.
    void end(const Abort& abort, const Connection* asked_by) {
        is_over_ = true;
        for (const Connection& connection : connections_) {
            const bool is_told = &connection != asked_by || abort.reason != Abort::Reason::kAsked;
            if (connection.socket && is_told) {
                send_frame(connection.socket.get(), FrameKind::kAbort,
                           std::as_bytes(std::span(&abort, 1)));
            }
        }
    }

    void drop(Connection& connection) {
        connection.socket.reset();
        if (connection.pe >= 0 && !is_over_)
            end({.pe = connection.pe, .reason = Abort::Reason::kDied}, nullptr);
    }

    // run() removes it from the list.
    void drop_oldest_stranger() {
        const auto oldest = std::ranges::find_if(
            connections_, [](const Connection& it) { return it.pe < 0 && it.socket; });
        if (oldest != connections_.end()) oldest->socket.reset();
    }

    Fd listener_;
    UniqueId id_;
    std::uint64_t limit_ns_;  // 0: none
    std::uint64_t first_ns_ = 0;
    int npes_ = 0;  // 0: no PE has come
    bool is_complete_ = false;
    int arrived_ = 0;
    int gone_ = 0;
    bool is_over_ = false;
    std::list<Connection> connections_;
    std::vector<std::vector<std::byte>> values_;  // by PE, of the fence under way
};

ShortMutex threads_lock;
std::vector<std::thread>& threads = *new std::vector<std::thread>;

// The addresses of this host that other hosts may use, the loopback last.
void add_addresses(UniqueId& id) {
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) return;
    std::vector<in_addr> found;
    for (const ifaddrs* it = list; it != nullptr; it = it->ifa_next) {
        const bool is_ip4 = it->ifa_addr != nullptr && it->ifa_addr->sa_family == AF_INET;
        if (!is_ip4 || (it->ifa_flags & IFF_UP) == 0) continue;
        sockaddr_in address{};
        std::memcpy(&address, it->ifa_addr, sizeof address);
        const bool is_loopback = (it->ifa_flags & IFF_LOOPBACK) != 0;
        found.insert(is_loopback ? found.end() : found.begin(), address.sin_addr);
    }
    ::freeifaddrs(list);
    for (const in_addr& address : found) {
        if (id.addresses == kUniqueIdAddresses) break;
        id.address[id.addresses++] = address;
    }
}

void start_thread(Fd listener, const UniqueId& id, std::uint32_t limit_s) {
    std::lock_guard guard(threads_lock);
    threads.push_back(start_library_thread([listener = std::move(listener), id, limit_s]() mutable {
        MeetingPoint(std::move(listener), id, limit_s).run();
    }));
}

}  // namespace

UniqueId open_meeting_point(std::uint32_t limit_s, std::string& error) {
    Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t bytes = sizeof address;
    if (!listener || ::bind(listener.get(), generic, bytes) != 0 ||
        ::listen(listener.get(), SOMAXCONN) != 0 ||
        ::getsockname(listener.get(), generic, &bytes) != 0) {
        error = std::string("cannot listen for the other PEs: ") + std::strerror(errno);
        return {};
    }
    UniqueId id;
    id.port = ntohs(address.sin_port);
    id.host = host_digest();
    add_addresses(id);
    if (id.addresses == 0) {
        error = "this host has no network with IPv4, not even a loopback";
        return {};
    }
    const std::uint64_t key[] = {random_number(), random_number()};
    static_assert(sizeof key == sizeof id.key);
    std::memcpy(id.key.data(), key, sizeof key);
    id.magic = UniqueId::kMagic;
    start_thread(std::move(listener), id, limit_s);
    return id;
}

void close_meeting_points() {
    std::lock_guard guard(threads_lock);
    for (std::thread& thread : threads) thread.join();
    threads.clear();
}

}  // namespace tessera::launch
