// SPDX-License-Identifier: BSD-3-Clause
//
// See socket_watch.hpp.
#include "transports/ofi/socket_watch.hpp"

#include <sys/epoll.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/fatal.hpp"

namespace tessera::ofi {
namespace {

void watch(int set, int descriptor, std::uint32_t events) {
    epoll_event event{.events = events, .data = {.fd = descriptor}};
    if (::epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) == 0 || errno == EEXIST) return;
    fatal("cannot watch a connection to another node: epoll_ctl: %s", std::strerror(errno));
}

}  // namespace

SocketWatch::SocketWatch()
    : unread_(::epoll_create1(EPOLL_CLOEXEC)), writable_(::epoll_create1(EPOLL_CLOEXEC)) {
    if (!unread_ || !writable_) fatal("shmem_init: epoll_create1: %s", std::strerror(errno));
}

void SocketWatch::add(int descriptor) {
    watch(unread_.get(), descriptor, EPOLLIN);
    watch(writable_.get(), descriptor, EPOLLOUT | EPOLLET);
}

// Other sockets that wait make the set readable again.
void SocketWatch::drain() {
    constexpr int kEventsAtOnce = 32;
    epoll_event events[kEventsAtOnce];
    ::epoll_wait(writable_.get(), events, kEventsAtOnce, 0);
}

}  // namespace tessera::ofi
