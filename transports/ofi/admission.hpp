// SPDX-License-Identifier: BSD-3-Clause
//
// Which processes may connect to this PE. libfabric's providers for Ethernet (tcp, net, sockets)
// talk to any process that connects, and one that begins to talk and falls silent stops tcp and net
// for ever. So providers do not see a connection before it has proved that it belongs to the job:
// its first bytes are a key of this PE, which the job's PEs alone know
// (EndpointInfo::admission_key).
//
// libfabric's calls of listen, accept, connect, getsockopt and getsockname come here (imports.hpp):
//
//   listen       the descriptor becomes an epoll set of the socket that listens and of connections
//                that have not proved themselves yet: it calls the provider when any of them has
//                an event
//   accept       reads the proofs that have come, and gives the provider a connection that has
//                proved itself, or none
//   connect      is remembered if it goes to a PE of the job
//   accept and connect also tell a SocketWatch, if there is one, of the job's connections
//   getsockopt   by which providers learn that they are connected: the proof is sent
//   getsockname  tells the address of the socket that listens
//
// Strangers cost a descriptor each, up to kPendingMax; then the oldest is closed. Nothing here
// waits, and data does not pass through it. THREADS: any.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/fd.hpp"
#include "base/mutexes.hpp"
#include "transports/ofi/socket_watch.hpp"

namespace tessera::ofi {

// The first bytes of a connection.
struct Proof {
    static constexpr std::uint64_t kMagic = 0x5465737365726150;  // "TesseraP"
    std::uint64_t magic = kMagic;
    std::uint64_t key = 0;
};
static_assert(sizeof(Proof) == 16);

class Admission {
  public:
    // RETURNS: nullptr where this libfabric's calls cannot be replaced: every peer is admitted.
    static std::unique_ptr<Admission> open();
    Admission(const Admission&) = delete;
    Admission& operator=(const Admission&) = delete;
    // REQUIRES: the endpoint that listens is closed.
    ~Admission();

    // Peers prove that they know this key; 0: no socket listens, and peers need nothing.
    std::uint64_t key() const { return listener_ ? key_ : 0; }
    // From now on connections are added to `sockets`, which lives as long as this.
    // REQUIRES: no socket listens yet, and no peer is known.
    void tell(SocketWatch& sockets) { sockets_ = &sockets; }
    // Proves `key` to the PE that listens on `address`, a sockaddr.
    void add_peer(std::span<const std::byte> address, std::uint64_t key);

    // While this lives, sockets on which libfabric listens, in this thread, are the admission's.
    class Scope {
      public:
        explicit Scope(Admission* admission);
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;
        ~Scope();
    };

    // ---- For libfabric's calls (admission_calls.cpp), all with the lock ----

    // Held for a few system calls, none of which waits. Guards all admissions.
    static ShortMutex lock;
    static std::vector<Admission*>& all;

    // Takes over a socket that listens.
    void guard(int socket);
    bool guards(int descriptor) const { return descriptor == guarded_; }
    int listener() const { return listener_.get(); }
    // RETURNS: a connection that has proved itself, or -1: none.
    int accept();
    // RETURNS: the key for the PE that listens there; 0: it is no PE, or needs no key.
    std::uint64_t key_of(const sockaddr_in& address) const;
    // The provider has a connection to a PE of the job, or begins to make it.
    void connected(int socket) {
        if (sockets_ != nullptr) sockets_->add(socket);
    }

    // Half of what a process may usually open is a thousand: these leave the rest to peers.
    static constexpr std::size_t kPendingMax = 128;

  private:
    Admission();

    // A connection that has not proved itself, and what it has sent.
    struct Pending {
        Fd socket;
        std::size_t got = 0;
        std::byte bytes[sizeof(Proof)] = {};
    };
    enum class Verdict { kAdmit, kWait, kRefuse };

    // Both RETURN: as accept().
    int accept_new();
    int listen_to(int socket);
    Verdict read(Pending& pending) const;
    void keep(Pending&& pending);
    void drop_oldest();

    const std::uint64_t key_;
    SocketWatch* sockets_ = nullptr;
    Fd listener_;
    Fd events_;                    // an epoll set: listener_ and pending_
    int guarded_ = -1;             // the provider's descriptor, which is events_ too
    std::deque<Pending> pending_;  // the oldest first
    std::map<std::uint64_t, std::uint64_t> keys_;  // keys of peers, by address and port
};

}  // namespace tessera::ofi
