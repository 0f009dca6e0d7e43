// SPDX-License-Identifier: BSD-3-Clause
//
// See admission.hpp. Decides which connection the provider gets, and which one is closed.
#include "transports/ofi/admission.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "base/fatal.hpp"
#include "base/log.hpp"
#include "base/random_number.hpp"

namespace tessera::ofi {

constinit ShortMutex Admission::lock;
std::vector<Admission*>& Admission::all = *new std::vector<Admission*>;

namespace {

constexpr int kEventsAtOnce = 32;
// The time that a provider may wait in recv for a PE that has proved itself and died at that
// moment.
constexpr timeval kReceiveTimeout{.tv_sec = 2, .tv_usec = 0};

std::uint64_t random_key() {
    std::uint64_t key = 0;
    while (key == 0) key = random_number();
    return key;
}

std::uint64_t number_of(const sockaddr_in& address) {
    return std::uint64_t{ntohl(address.sin_addr.s_addr)} << 16 | ntohs(address.sin_port);
}

void report_stranger(int socket) {
    sockaddr_in address{};
    socklen_t bytes = sizeof address;
    if (::getpeername(socket, reinterpret_cast<sockaddr*>(&address), &bytes) != 0) return;
    char text[INET_ADDRSTRLEN] = "";
    ::inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
    log(Subsystem::kFabric, "refused a connection from %s port %d, which is none of the job's",
        text, ntohs(address.sin_port));
}

void watch(int events, int socket) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = socket}};
    if (::epoll_ctl(events, EPOLL_CTL_ADD, socket, &event) == 0) return;
    fatal("cannot watch for PEs that connect: epoll_ctl: %s", std::strerror(errno));
}

}  // namespace

Admission::Admission() : key_(random_key()) {
    std::lock_guard guard(lock);
    all.push_back(this);
}

Admission::~Admission() {
    std::lock_guard guard(lock);
    std::erase(all, this);
}

void Admission::add_peer(std::span<const std::byte> address, std::uint64_t key) {
    sockaddr_in place{};
    if (key == 0 || address.size() < sizeof place) return;
    std::memcpy(&place, address.data(), sizeof place);
    std::lock_guard guard(lock);
    if (place.sin_family == AF_INET) keys_[number_of(place)] = key;
}

std::uint64_t Admission::key_of(const sockaddr_in& address) const {
    const auto found = keys_.find(number_of(address));
    return found == keys_.end() ? 0 : found->second;
}

void Admission::guard(int socket) {
    if (listener_) fatal("shmem_init: libfabric listens on two ports; one is expected");
    listener_ = Fd(::fcntl(socket, F_DUPFD_CLOEXEC, 0));
    events_ = Fd(::epoll_create1(EPOLL_CLOEXEC));
    if (!listener_ || !events_ || ::dup3(events_.get(), socket, O_CLOEXEC) != socket)
        fatal("shmem_init: cannot guard the port for other PEs: %s", std::strerror(errno));
    watch(events_.get(), listener_.get());
    guarded_ = socket;
    if (sockets_ != nullptr) sockets_->add(guarded_);
}

// One connection at a time: other ready connections call the provider again.
int Admission::accept() {
    epoll_event events[kEventsAtOnce];
    const int count = ::epoll_wait(events_.get(), events, kEventsAtOnce, 0);
    for (int i = 0; i < count; ++i) {
        const int at = events[i].data.fd;
        const int admitted = at == listener_.get() ? accept_new() : listen_to(at);
        if (admitted >= 0) return admitted;
    }
    return -1;
}

int Admission::accept_new() {
    for (std::size_t i = 0; i < kPendingMax; ++i) {
        Pending pending{.socket = Fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC))};
        if (!pending.socket) {
            if (errno == EMFILE || errno == ENFILE) drop_oldest();
            if (errno == EPERM || errno == ENOSYS) {
                fatal(
                    "the system refuses accept4 (%s), perhaps by a filter of system calls "
                    "(seccomp), so PEs of other nodes cannot connect",
                    std::strerror(errno));
            }
            return -1;
        }
        const Verdict verdict = read(pending);
        if (verdict == Verdict::kAdmit) return pending.socket.release();
        if (verdict == Verdict::kWait) keep(std::move(pending));
    }
    return -1;
}

int Admission::listen_to(int socket) {
    const auto found = std::ranges::find_if(
        pending_, [=](const Pending& one) { return one.socket.get() == socket; });
    if (found == pending_.end()) return -1;  // It was closed while the event was under way.
    const Verdict verdict = read(*found);
    if (verdict == Verdict::kWait) return -1;
    Pending pending = std::move(*found);
    pending_.erase(found);
    ::epoll_ctl(events_.get(), EPOLL_CTL_DEL, socket, nullptr);
    return verdict == Verdict::kAdmit ? pending.socket.release() : -1;
}

// Compares all bytes at once: a stranger that could try byte by byte would know the key after 2000
// connections.
Admission::Verdict Admission::read(Pending& pending) const {
    const int socket = pending.socket.get();
    const ssize_t got =
        ::recv(socket, pending.bytes + pending.got, sizeof(Proof) - pending.got, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return Verdict::kWait;
    if (got <= 0) return Verdict::kRefuse;
    pending.got += static_cast<std::size_t>(got);
    if (pending.got < sizeof(Proof)) return Verdict::kWait;
    const Proof expected{.key = key_};
    if (std::memcmp(pending.bytes, &expected, sizeof expected) != 0) {
        report_stranger(socket);
        return Verdict::kRefuse;
    }
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &kReceiveTimeout, sizeof kReceiveTimeout);
    return Verdict::kAdmit;
}

void Admission::keep(Pending&& pending) {
    if (pending_.size() == kPendingMax) drop_oldest();
    watch(events_.get(), pending.socket.get());
    pending_.push_back(std::move(pending));
}

// Members of the job prove themselves within a round trip, so the oldest is a stranger.
void Admission::drop_oldest() {
    if (pending_.empty()) return;
    report_stranger(pending_.front().socket.get());
    ::epoll_ctl(events_.get(), EPOLL_CTL_DEL, pending_.front().socket.get(), nullptr);
    pending_.pop_front();
}

}  // namespace tessera::ofi
