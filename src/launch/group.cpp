// SPDX-License-Identifier: BSD-3-Clause
//
// See group.hpp.
#include "launch/group.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "base/fatal.hpp"
#include "base/fd.hpp"
#include "base/library_thread.hpp"
#include "base/mutexes.hpp"
#include "launch/fence_flag.hpp"
#include "launch/meeting_frames.hpp"
#include "launch/meeting_point.hpp"

namespace tessera::launch::group {
namespace {

constexpr int kConnectMs = 5000;
constexpr const char* kHostKey = "tessera.host";

struct Group {
    UniqueId id;
    int pe = 0;
    int npes = 1;
    Fd socket{};
    std::thread reader{};
    FenceFlag answer{};  // ended by a fence or a goodbye of the meeting point
    // This PE expects the end of the connection. Release by leave() and abort(), acquire by reader.
    std::atomic<bool> is_leaving{false};
    std::vector<std::byte> mine{};  // put since the last fence
    ShortMutex values_lock{};
    FenceValues values{};
};

// nullptr: this process is in no group.
Group* current = nullptr;

// ---- What the reader does --------------------------------------------------------------------

[[noreturn]] void end_process(int code) {
    // The meeting point may be a thread of this process: it first tells the other PEs.
    close_meeting_points();
    ::_exit(code);
}

[[noreturn]] void obey(const Abort& abort, int npes) {
    switch (abort.reason) {
        case Abort::Reason::kAsked: break;
        case Abort::Reason::kDied:
            warn("PE %d has ended without shmem_finalize, so this PE ends, too", abort.pe);
            break;
        case Abort::Reason::kGroup:
            warn(
                "shmemx_init_uid: a process came as PE %d of the group, but this number is taken, "
                "or its npes is not that of the other PEs, %d; the job ends",
                abort.pe, npes);
            break;
        case Abort::Reason::kMissing:
            warn(
                "shmemx_init_uid: only %d of the group's %d PEs have come within "
                "SHMEM_NETWORK_TIMEOUT; the job ends",
                abort.pe, npes);
            break;
    }
    end_process(abort.code);
}

void keep_values(Group& group, std::span<const std::byte> all) {
    std::lock_guard guard(group.values_lock);
    read_values(all, group.npes, group.values);
}

// False: there is nothing more to read.
bool read_frame(Group& group) {
    FrameHeader header;
    if (!receive_all(group.socket.get(), std::as_writable_bytes(std::span(&header, 1)))) {
        // Pairs with launch/group.cpp:abort and launch/group.cpp:leave.
        if (group.is_leaving.load(std::memory_order_acquire)) return false;
        warn(
            "the meeting point of the group is gone, so this PE ends, too; the process that called "
            "shmemx_get_uniqueid has ended, or lost its network");
        ::_exit(kFatalExitCode);
    }
    const std::uint64_t bytes_max =
        static_cast<std::uint64_t>(group.npes) * (kFenceBytesMax + sizeof(std::uint64_t));
    if (header.bytes > bytes_max) header.bytes = 0;
    std::vector<std::byte> body(header.bytes);
    if (!receive_all(group.socket.get(), body)) return true;  // The next read finds the cause.
    switch (header.kind) {
        case FrameKind::kFence:
            keep_values(group, body);
            group.answer.end();
            return true;
        case FrameKind::kGoodbye: group.answer.end(); return false;
        case FrameKind::kAbort: {
            Abort abort;
            std::memcpy(&abort, body.data(), std::min(body.size(), sizeof abort));
            obey(abort, group.npes);
        }
    }
    return true;
}

void start_reader(Group& group) {
    group.reader = start_library_thread([&group] {
        while (read_frame(group)) {
        }
    });
}

// ---- The connection --------------------------------------------------------------------------

bool wait_for_connection(int socket) {
    pollfd polled{.fd = socket, .events = POLLOUT, .revents = 0};
    if (::poll(&polled, 1, kConnectMs) <= 0) {
        errno = ETIMEDOUT;
        return false;
    }
    socklen_t bytes = sizeof errno;
    int error = 0;
    ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &bytes);
    errno = error;
    return error == 0;
}

// Empty with errno on failure.
Fd connect_to(const in_addr& host, std::uint16_t port) {
    Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr = host;
    if (!socket) return {};
    const int status =
        ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    if (status != 0 && (errno != EINPROGRESS || !wait_for_connection(socket.get()))) return {};
    ::fcntl(socket.get(), F_SETFL, 0);
    const int is_on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &is_on, sizeof is_on);
    return socket;
}

bool is_loopback(const in_addr& address) { return ntohl(address.s_addr) >> 24 == 127; }

// On the meeting point's own host the loopback is surest; on others it leads to a stranger.
Fd connect_to_meeting_point(const UniqueId& id) {
    const bool is_same_host = id.host == host_digest();
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < id.addresses; ++i) {
            const in_addr& address = id.address[static_cast<std::size_t>(i)];
            if (is_loopback(address) && !is_same_host) continue;
            if (is_same_host && is_loopback(address) != (round == 0)) continue;
            if (!is_same_host && round == 1) continue;
            if (Fd socket = connect_to(address, id.port)) return socket;
        }
    }
    return {};
}

}  // namespace

void choose(const UniqueId& id, int pe, int npes) {
    current = new Group{.id = id, .pe = pe, .npes = npes};
}

bool is_chosen() { return current != nullptr; }

Member connect() {
    Group& group = *current;
    group.socket = connect_to_meeting_point(group.id);
    if (!group.socket) {
        fatal(
            "shmemx_init_uid: the meeting point of the unique id cannot be reached at port %u of "
            "its host: %s; has the process that called shmemx_get_uniqueid ended, does a firewall "
            "stand between, was the id used before?",
            group.id.port, std::strerror(errno));
    }
    const Hello hello{.pe = group.pe, .npes = group.npes, .key = group.id.key};
    if (!send_all(group.socket.get(), std::as_bytes(std::span(&hello, 1)))) {
        fatal("shmemx_init_uid: the meeting point of the unique id has closed the connection: %s",
              std::strerror(errno));
    }
    start_reader(group);
    return {.pe = group.pe, .npes = group.npes};
}

void put(const std::string& key, std::span<const std::byte> bytes) {
    const std::uint32_t sizes[2] = {static_cast<std::uint32_t>(key.size()),
                                    static_cast<std::uint32_t>(bytes.size())};
    const auto add = [](std::span<const std::byte> part) {
        current->mine.insert(current->mine.end(), part.begin(), part.end());
    };
    add(std::as_bytes(std::span(sizes)));
    add(std::as_bytes(std::span(key)));
    add(bytes);
}

void fence(void (*progress)()) {
    Group& group = *current;
    group.answer.begin();
    // A failure: the reader sees it as well, and ends this PE.
    send_frame(group.socket.get(), FrameKind::kFence, group.mine);
    group.mine.clear();
    group.answer.wait(progress);
}

std::vector<std::byte> get(int pe, const std::string& key) {
    std::lock_guard guard(current->values_lock);
    const auto found = current->values.find({pe, key});
    if (found == current->values.end()) {
        fatal_lost_peer("shmem_init: PE %d has not said what it is asked for (%s)", pe,
                        key.c_str());
    }
    return found->second;
}

std::vector<std::vector<int>> hosts() {
    const std::uint64_t mine = host_digest();
    put(kHostKey, std::as_bytes(std::span(&mine, 1)));
    fence(nullptr);
    std::map<std::uint64_t, std::vector<int>> by_host;
    for (int pe = 0; pe < current->npes; ++pe) {
        const std::vector<std::byte> value = get(pe, kHostKey);
        std::uint64_t host = 0;
        std::memcpy(&host, value.data(), std::min(value.size(), sizeof host));
        by_host[host].push_back(pe);
    }
    std::vector<std::vector<int>> result;
    for (auto& [host, pes] : by_host) result.push_back(std::move(pes));
    return result;
}

void abort(int code) {
    Group* group = current;
    if (group == nullptr || !group->socket) return;
    // Pairs with launch/group.cpp:read_frame.
    group->is_leaving.store(true, std::memory_order_release);
    const Abort abort{.pe = group->pe, .code = code};
    send_frame(group->socket.get(), FrameKind::kAbort, std::as_bytes(std::span(&abort, 1)));
    close_meeting_points();
}

void leave() {
    Group* group = current;
    if (group == nullptr) return;
    // Pairs with launch/group.cpp:read_frame.
    group->is_leaving.store(true, std::memory_order_release);
    group->answer.begin();
    send_frame(group->socket.get(), FrameKind::kGoodbye, {});
    group->reader.join();
    delete std::exchange(current, nullptr);
    close_meeting_points();
}

}  // namespace tessera::launch::group
