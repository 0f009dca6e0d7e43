// SPDX-License-Identifier: BSD-3-Clause
//
// See admission.hpp. The replacements of libfabric's calls. Calls in this file itself are the
// ordinary ones that libfabric called before (replace_imports() makes sure of it).
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>

#include "base/log.hpp"
#include "transports/ofi/admission.hpp"
#include "transports/ofi/imports.hpp"
#include "transports/ofi/library.hpp"

namespace tessera::ofi {
namespace {

// Sockets that are connecting, and the keys that they must prove. With Admission::lock.
std::map<int, std::uint64_t>& connecting = *new std::map<int, std::uint64_t>;
// The owner of the sockets on which this thread's calls listen.
constinit thread_local Admission* t_listening = nullptr;

bool is_ip_stream(int socket) {
    int type = 0;
    socklen_t bytes = sizeof type;
    sockaddr_storage address{};
    socklen_t address_bytes = sizeof address;
    return ::getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &bytes) == 0 && type == SOCK_STREAM &&
           ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &address_bytes) == 0 &&
           (address.ss_family == AF_INET || address.ss_family == AF_INET6);
}

// RETURNS: 0, or an errno.
int send_proof(int socket, std::uint64_t key) {
    const Proof proof{.key = key};
    // The first bytes of a connection: there is room for all of them.
    const ssize_t sent = ::send(socket, &proof, sizeof proof, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent == static_cast<ssize_t>(sizeof proof)) return 0;
    return sent < 0 && errno != EAGAIN ? errno : ETIMEDOUT;
}

// REQUIRES: the lock.
Admission* guard_of(int descriptor) {
    const auto found = std::ranges::find_if(
        Admission::all, [=](const Admission* one) { return one->guards(descriptor); });
    return found == Admission::all.end() ? nullptr : *found;
}

// The PE of the job that listens on an address.
struct Listener {
    Admission* admission = nullptr;  // knows the PE; nullptr: no PE of the job
    std::uint64_t key = 0;
};

// REQUIRES: the lock.
Listener listener_on(const sockaddr* address, socklen_t bytes) {
    sockaddr_in place{};
    if (bytes < sizeof place || address->sa_family != AF_INET) return {};
    std::memcpy(&place, address, sizeof place);
    for (Admission* admission : Admission::all) {
        if (const std::uint64_t key = admission->key_of(place)) return {admission, key};
    }
    return {};
}

int listen_guarded(int socket, int backlog) {
    const int result = ::listen(socket, backlog);
    if (result != 0 || t_listening == nullptr || !is_ip_stream(socket)) return result;
    std::lock_guard guard(Admission::lock);
    t_listening->guard(socket);
    return 0;
}

int accept_proved(int socket, sockaddr* address, socklen_t* bytes) {
    bool is_guarded = false;
    int connection = -1;
    {
        std::lock_guard guard(Admission::lock);
        Admission* admission = guard_of(socket);
        is_guarded = admission != nullptr;
        if (is_guarded) connection = admission->accept();
        if (connection >= 0) admission->connected(connection);
    }
    if (!is_guarded) return ::accept(socket, address, bytes);
    if (connection < 0) {
        errno = EAGAIN;
        return -1;
    }
    if (address != nullptr) ::getpeername(connection, address, bytes);
    return connection;
}

int connect_to_prove(int socket, const sockaddr* address, socklen_t bytes) {
    const int result = ::connect(socket, address, bytes);
    const int error = errno;
    {
        std::lock_guard guard(Admission::lock);
        connecting.erase(socket);
        const auto [admission, key] =
            is_ip_stream(socket) ? listener_on(address, bytes) : Listener{};
        const bool is_begun = result == 0 || error == EINPROGRESS;
        if (admission != nullptr && result == 0 && send_proof(socket, key) != 0) return -1;
        if (admission != nullptr && result != 0 && is_begun) connecting[socket] = key;
        if (admission != nullptr && is_begun) admission->connected(socket);
    }
    errno = error;
    return result;
}

int getsockopt_to_prove(int socket, int level, int option, void* value, socklen_t* bytes) {
    const int result = ::getsockopt(socket, level, option, value, bytes);
    if (level != SOL_SOCKET || option != SO_ERROR || result != 0) return result;
    std::lock_guard guard(Admission::lock);
    const auto found = connecting.find(socket);
    if (found == connecting.end()) return result;
    int error = 0;
    std::memcpy(&error, value, sizeof error);
    if (error == 0) error = send_proof(socket, found->second);
    connecting.erase(found);
    std::memcpy(value, &error, sizeof error);
    return result;
}

int getsockname_guarded(int socket, sockaddr* address, socklen_t* bytes) {
    std::lock_guard guard(Admission::lock);
    const Admission* admission = guard_of(socket);
    const int asked = admission != nullptr ? admission->listener() : socket;
    return ::getsockname(asked, address, bytes);
}

bool replace_calls() {
    const Import imports[] = {{"listen", reinterpret_cast<void*>(&listen_guarded)},
                              {"accept", reinterpret_cast<void*>(&accept_proved)},
                              {"connect", reinterpret_cast<void*>(&connect_to_prove)},
                              {"getsockopt", reinterpret_cast<void*>(&getsockopt_to_prove)},
                              {"getsockname", reinterpret_cast<void*>(&getsockname_guarded)}};
    return replace_imports(reinterpret_cast<const void*>(library().getinfo), imports);
}

}  // namespace

Admission::Scope::Scope(Admission* admission) { t_listening = admission; }
Admission::Scope::~Scope() { t_listening = nullptr; }

std::unique_ptr<Admission> Admission::open() {
    static const bool is_replaced = replace_calls();
    if (!is_replaced) {
        log(Subsystem::kFabric, "this libfabric's calls cannot be replaced: strangers may connect");
        return nullptr;
    }
    return std::unique_ptr<Admission>(new Admission);
}

}  // namespace tessera::ofi
