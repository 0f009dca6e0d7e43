// SPDX-License-Identifier: BSD-3-Clause
//
// See job.hpp: share_files, for launchers that do not hand descriptors to the PEs. Every PE puts an
// Offer into PMIx, for the PEs of its host; one fence; then the PEs of each node connect to its
// first PE, the leader:
//
//   member                         leader
//   Hello, own static file   --->  keeps connection and file; when all have come, to each member:
//   node and heap file       <---  StaticFiles{}
//   static files 0..127      <---  StaticFiles{first = 0, ...}
//   acknowledgement          --->  (so the descriptors in flight stay few: the kernel limits them)
//   ...
//
// Where such sockets are forbidden, the leader offers none, and each member opens /proc/PID/fd/N.
// There must not be another fence: PEs of other nodes would not take part in it.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "base/fatal.hpp"
#include "launch/directory.hpp"
#include "launch/fd_passing.hpp"
#include "launch/job.hpp"

namespace tessera::launch {
namespace {

constexpr int kPatienceMs = 60'000;
constexpr std::uint32_t kOfferMagic = 0x54534831;  // "TSH1"
constexpr std::size_t kReservedFds = 64;           // for the program's own files

// The offer of a PE to the others through PMIx.
struct Offer {
    std::uint32_t magic;
    std::int32_t pid;
    std::int32_t static_fd;  // -1: none
    std::int32_t node_fd;    // leader only
    std::int32_t heap_fd;    // leader only
    char socket_name[44];    // leader only; "" when sockets are forbidden
};

struct Hello {
    std::int32_t local_index;
    std::int32_t has_static_file;
};

// A run of static files; the descriptors of those present come with it.
struct StaticFiles {
    std::int32_t first = 0;
    std::int32_t count = 0;
    std::array<std::uint8_t, kFdsPerMessageMax> is_present{};
};

template <class Message>
bool send(const Fd& socket, const Message& message, std::span<const int> fds) {
    return send_message(socket.get(), std::as_bytes(std::span(&message, 1)), fds);
}

template <class Message>
bool receive(const Fd& socket, Message& message, std::vector<Fd>& fds) {
    return receive_message(socket.get(), std::as_writable_bytes(std::span(&message, 1)), fds,
                           kPatienceMs);
}

[[noreturn]] void fail(const char* what) {
    fatal("shmem_init: the PEs of this node cannot pass their shared files to each other: %s: %s",
          what, std::strerror(errno));
}

// Every PE holds one descriptor per PE of the node for a moment.
void make_room_for_fds(int nlocal) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    rlim_t wanted = static_cast<rlim_t>(nlocal) * 2 + kReservedFds;
    if (limit.rlim_cur >= wanted) return;
    limit.rlim_cur = std::min(wanted, limit.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

Offer offer_of(int pe, const std::string& key) {
    std::vector<std::byte> bytes = directory::get(pe, key);
    Offer offer{};
    if (bytes.size() == sizeof offer) std::memcpy(&offer, bytes.data(), sizeof offer);
    if (offer.magic != kOfferMagic) {
        fatal(
            "shmem_init: PE %d uses another version of Tessera; link all PEs with the same library",
            pe);
    }
    return offer;
}

void collect_hellos(Job& job, const Fd& listener, std::vector<Fd>& members) {
    for (int missing = job.nlocal - 1; missing > 0;) {
        Fd connection = accept_one(listener.get(), kPatienceMs);
        if (!connection) {
            fatal(
                "shmem_init: %d of the node's %d PEs did not ask for the shared files within %d s",
                missing, job.nlocal, kPatienceMs / 1000);
        }
        if (!peer_is_same_user(connection.get())) continue;
        Hello hello{};
        std::vector<Fd> fds;
        if (!receive(connection, hello, fds)) fail("receiving a PE's static data");
        auto index = static_cast<std::size_t>(hello.local_index);
        if (index == 0 || index >= members.size() || members[index]) continue;
        if (hello.has_static_file != 0 && !fds.empty()) job.static_files[index] = std::move(fds[0]);
        members[index] = std::move(connection);
        --missing;
    }
}

void serve_member(const Job& job, const Fd& member) {
    const int files[2] = {job.node_file.get(), job.heap_file.get()};
    if (!send(member, StaticFiles{}, files)) fail("sending the node's files");
    for (std::size_t first = 0; first < job.static_files.size(); first += kFdsPerMessageMax) {
        StaticFiles part{.first = static_cast<std::int32_t>(first)};
        std::vector<int> fds;
        std::size_t end = std::min(first + kFdsPerMessageMax, job.static_files.size());
        for (std::size_t i = first; i < end; ++i) {
            if (!job.static_files[i]) continue;
            part.is_present[i - first] = 1;
            fds.push_back(job.static_files[i].get());
        }
        part.count = static_cast<std::int32_t>(end - first);
        if (!send(member, part, fds)) fail("sending static data");
        std::byte acknowledgement{};
        std::vector<Fd> none;
        if (!receive(member, acknowledgement, none)) fail("waiting for an acknowledgement");
    }
}

void lead(Job& job, const Fd& listener) {
    std::vector<Fd> members(static_cast<std::size_t>(job.nlocal));
    collect_hellos(job, listener, members);
    for (std::size_t i = 1; i < members.size(); ++i) serve_member(job, members[i]);
}

void follow(Job& job, const Offer& leader, int my_static_file) {
    Fd socket = connect_to(leader.socket_name);
    if (!socket) fail("connecting to the first PE (are the PEs in different network namespaces?)");
    if (!peer_is_same_user(socket.get())) fatal("shmem_init: the first PE is of another user");
    Hello hello{.local_index = job.local_index, .has_static_file = my_static_file >= 0 ? 1 : 0};
    std::span<const int> mine(&my_static_file, my_static_file >= 0 ? 1 : 0);
    if (!send(socket, hello, mine)) fail("sending static data");
    StaticFiles part;
    std::vector<Fd> fds;
    if (!receive(socket, part, fds) || fds.size() != 2) fail("receiving the node's files");
    job.node_file = std::move(fds[0]);
    job.heap_file = std::move(fds[1]);
    for (std::size_t have = 0; have < job.static_files.size();) {
        if (!receive(socket, part, fds)) fail("receiving static data");
        auto first = static_cast<std::size_t>(part.first);
        auto count = static_cast<std::size_t>(part.count);
        std::size_t next_fd = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (part.is_present[i] == 0 || next_fd == fds.size()) continue;
            job.static_files[first + i] = std::move(fds[next_fd++]);
        }
        have += count;
        if (!send(socket, std::byte{1}, {})) fail("acknowledging static data");
    }
}

Fd open_fd_of(const Offer& owner, int fd) {
    if (fd < 0) return {};
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/fd/%d", owner.pid, fd);
    Fd file(::open(path, O_RDWR | O_CLOEXEC));
    if (!file) {
        fatal(
            "shmem_init: this system forbids abstract sockets, and %s cannot be opened either: %s; "
            "start the program with oshrun, which needs neither",
            path, std::strerror(errno));
    }
    return file;
}

void open_through_proc(Job& job, const Offer& leader, const std::string& key) {
    if (job.local_index != 0) {
        job.node_file = open_fd_of(leader, leader.node_fd);
        job.heap_file = open_fd_of(leader, leader.heap_fd);
    }
    for (std::size_t i = 0; i < job.static_files.size(); ++i) {
        Offer owner = offer_of(job.local_pes[i], key);
        if (!job.static_files[i]) job.static_files[i] = open_fd_of(owner, owner.static_fd);
    }
}

}  // namespace

void share_files(Job& job, Fd node_file, Fd heap_file, int my_static_file) {
    static int generation = 0;  // not every server lets a key get a new value
    std::string key = "tessera.files." + std::to_string(generation++);
    make_room_for_fds(job.nlocal);
    job.static_files.resize(static_cast<std::size_t>(job.nlocal));
    if (my_static_file >= 0) {
        job.static_files[static_cast<std::size_t>(job.local_index)] =
            Fd(::fcntl(my_static_file, F_DUPFD_CLOEXEC, 0));
    }
    Offer offer{.magic = kOfferMagic,
                .pid = ::getpid(),
                .static_fd = my_static_file,
                .node_fd = node_file.get(),
                .heap_fd = heap_file.get(),
                .socket_name = {}};
    Fd listener;
    if (job.local_index == 0) {
        std::string name = random_socket_name();
        listener = listen_at(name, job.nlocal);
        if (listener) std::memcpy(offer.socket_name, name.c_str(), name.size() + 1);
        job.node_file = std::move(node_file);
        job.heap_file = std::move(heap_file);
    }
    directory::put(key, std::as_bytes(std::span(&offer, 1)), directory::Scope::kHost);
    directory::fence();
    Offer leader = offer_of(job.local_pes[0], key);
    if (leader.socket_name[0] == '\0') {
        open_through_proc(job, leader, key);
    } else if (job.local_index == 0) {
        lead(job, listener);
    } else {
        follow(job, leader, my_static_file);
    }
}

}  // namespace tessera::launch
