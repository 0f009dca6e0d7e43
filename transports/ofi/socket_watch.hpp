// SPDX-License-Identifier: BSD-3-Clause
//
// The sockets of a provider, to sleep on without the descriptor of its completion queue. A provider
// that has to offer such a descriptor announces each event in three nested sets, which takes 15 %
// of the time of a short message; a socket in a set of ours is announced once.
//
// The kernel takes a socket that the provider closes out of the sets. THREADS: any.
#pragma once

#include "base/fd.hpp"

namespace tessera::ofi {

class SocketWatch {
  public:
    // Ends the job where the sets cannot be opened.
    SocketWatch();
    SocketWatch(const SocketWatch&) = delete;
    SocketWatch& operator=(const SocketWatch&) = delete;

    // `descriptor`: a connection, or what listens for connections.
    void add(int descriptor);

    // Readable while a socket has bytes that the provider has not read.
    int unread() const { return unread_.get(); }
    // Readable once a socket that was full, or was not connected, takes bytes; until drain().
    int writable() const { return writable_.get(); }
    void drain();

  private:
    Fd unread_;    // an epoll set, level-triggered: a provider may leave bytes unread
    Fd writable_;  // an epoll set, edge-triggered: most sockets take bytes all the time
};

}  // namespace tessera::ofi
