// SPDX-License-Identifier: BSD-3-Clause
//
// See pmix_gate.hpp. One thread, which sleeps in poll() and looks at arrived bytes with MSG_PEEK:
// the server reads them itself. A connection that sends slowly does not wake the thread, because
// SO_RCVLOWAT holds the event back until enough bytes are there.
#include "pmix_gate.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/fd.hpp"
#include "base/library_thread.hpp"

namespace tessera::oshrun {
namespace {

// Beyond these and one for each client, the gate closes the oldest stranger. No clock does: on a
// busy host a client may need seconds from its connect to its introduction.
constexpr std::size_t kStrangersMax = 128;
constexpr int kNoDescriptorsSleepMs = 10;

struct Door {
    Fd listener;  // the server's socket
    int watched;  // the number under which the server knows it: readable when `ready` has some
    std::deque<Fd> ready;
};

struct Stranger {
    Fd connection;
    Door* door;
};

struct Gate {
    PmixGuests guests;
    PmixGateNote note = nullptr;
    std::deque<Stranger> strangers;  // the oldest first
    bool has_noted = false;
    std::mutex mutex;  // guards the rest; the doors stay as they are once the gate is closed
    std::vector<std::unique_ptr<Door>> doors;
    bool is_closed = false;
};
std::atomic<Gate*> the_gate{nullptr};  // never freed: its thread ends with the process
Gate* gate = nullptr;                  // the same, for the threads of this file

bool is_internet(int fd) {
    sockaddr_storage address{};
    socklen_t bytes = sizeof address;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &bytes) != 0) return false;
    return address.ss_family == AF_INET || address.ss_family == AF_INET6;
}

// From now on `fd`, which the server watches, is an event of the gate.
std::unique_ptr<Door> make_door(int fd) {
    auto door = std::make_unique<Door>();
    door->listener = Fd(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
    door->watched = fd;
    Fd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE));
    if (!door->listener || !event) return nullptr;
    ::fcntl(door->listener.get(), F_SETFL, O_NONBLOCK);
    return ::dup3(event.get(), fd, O_CLOEXEC) == fd ? std::move(door) : nullptr;
}

// The server listens on `fd`. Without descriptors for a door it accepts strangers itself.
void add_door(Gate& at, int fd) {
    std::lock_guard guard(at.mutex);
    if (at.is_closed || !is_internet(fd)) return;
    if (auto door = make_door(fd)) at.doors.push_back(std::move(door));
}

// A connection for the server, or -1 with EAGAIN. RETURNS: nullopt: `watched` is no door.
std::optional<int> take_ready(Gate& at, int watched) {
    std::lock_guard guard(at.mutex);
    const auto is_it = [=](const auto& door) { return door->watched == watched; };
    const auto found = std::ranges::find_if(at.doors, is_it);
    if (found == at.doors.end()) return std::nullopt;
    std::deque<Fd>& ready = (*found)->ready;
    if (ready.empty()) {
        errno = EAGAIN;
        return -1;
    }
    std::uint64_t one;
    const ssize_t got = ::read(watched, &one, sizeof one);
    static_cast<void>(got);
    const int connection = ready.front().release();
    ready.pop_front();
    return connection;
}

// "127.0.0.1:4711" and "4711".
std::string address_text(const sockaddr_storage& address, bool with_host) {
    char host[INET6_ADDRSTRLEN] = "?";
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&address);
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&address);
    const bool is_v4 = address.ss_family == AF_INET;
    const void* number = is_v4 ? static_cast<const void*>(&v4->sin_addr) : &v6->sin6_addr;
    ::inet_ntop(address.ss_family, number, host, sizeof host);
    const std::string port = std::to_string(ntohs(is_v4 ? v4->sin_port : v6->sin6_port));
    return with_host ? std::string(host) + ":" + port : port;
}

// Closes the oldest stranger. Printed once: strangers may come back for ever.
void make_room() {
    const Stranger stranger = std::move(gate->strangers.front());
    gate->strangers.pop_front();
    if (std::exchange(gate->has_noted, true)) return;
    sockaddr_storage theirs{};
    sockaddr_storage ours{};
    socklen_t bytes = sizeof theirs;
    ::getpeername(stranger.connection.get(), reinterpret_cast<sockaddr*>(&theirs), &bytes);
    bytes = sizeof ours;
    ::getsockname(stranger.connection.get(), reinterpret_cast<sockaddr*>(&ours), &bytes);
    gate->note("a connection from " + address_text(theirs, true) + " to the PMIx port " +
               address_text(ours, false) + ", the oldest of " +
               std::to_string(gate->strangers.size() + 1) +
               " that have not introduced themselves, is closed to make room; others like it are "
               "closed without a word, and a PE among them finds PMIx unreachable");
}

void wait_for_bytes(const Stranger& stranger, std::size_t bytes) {
    const int number = static_cast<int>(bytes);
    ::setsockopt(stranger.connection.get(), SOL_SOCKET, SO_RCVLOWAT, &number, sizeof number);
}

void accept_stranger(Door& door) {
    Fd connection(::accept4(door.listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    const bool is_full = !connection && (errno == EMFILE || errno == ENFILE);
    const bool is_refused = !connection && (errno == EPERM || errno == ENOSYS);
    if (is_full && gate->strangers.empty()) ::poll(nullptr, 0, kNoDescriptorsSleepMs);
    const std::size_t most = kStrangersMax + gate->guests.npes;
    if ((is_full || gate->strangers.size() >= most) && !gate->strangers.empty()) make_room();
    if (is_refused) {
        // The event would come back for ever. A closed port refuses the PEs.
        gate->note(
            "the system refuses accept4, perhaps by a filter of system calls (seccomp), so PEs "
            "cannot reach PMIx");
        door.listener.reset();
    }
    if (!connection) return;
    gate->strangers.push_back({std::move(connection), &door});
    wait_for_bytes(gate->strangers.back(), PmixIntroduction::kHeaderBytes);
}

void let_in(Stranger& stranger) {
    wait_for_bytes(stranger, 1);
    std::lock_guard guard(gate->mutex);
    stranger.door->ready.push_back(std::move(stranger.connection));
    const std::uint64_t one = 1;
    const ssize_t written = ::write(stranger.door->watched, &one, sizeof one);
    static_cast<void>(written);
}

// RETURNS: whether to keep the stranger waiting.
bool look_at(Stranger& stranger, bool has_hung_up) {
    static char bytes[PmixIntroduction::kBytesMax];
    const ssize_t got = ::recv(stranger.connection.get(), bytes, sizeof bytes, MSG_PEEK);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    const auto count = static_cast<std::size_t>(got);
    std::size_t wanted = PmixIntroduction::kHeaderBytes;
    if (count >= wanted) wanted = PmixIntroduction::wanted_bytes({bytes, count});
    if (wanted > sizeof bytes) return false;
    if (count < wanted) {
        wait_for_bytes(stranger, wanted);
        return !has_hung_up;
    }
    if (PmixIntroduction::is_welcome({bytes, wanted}, gate->guests)) let_in(stranger);
    return false;
}

void guard_once(std::vector<pollfd>& polled) {
    polled.clear();
    for (const auto& door : gate->doors) polled.push_back({door->listener.get(), POLLIN, 0});
    for (const Stranger& stranger : gate->strangers)
        polled.push_back({stranger.connection.get(), POLLIN | POLLRDHUP, 0});
    if (::poll(polled.data(), polled.size(), -1) < 0) return;
    std::deque<Stranger> kept;
    std::size_t index = gate->doors.size();
    for (Stranger& stranger : gate->strangers) {
        const short events = polled[index++].revents;
        const bool has_hung_up = (events & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
        if (events == 0 || look_at(stranger, has_hung_up)) kept.push_back(std::move(stranger));
    }
    gate->strangers = std::move(kept);
    for (std::size_t i = 0; i < gate->doors.size(); ++i) {
        if (polled[i].revents != 0) accept_stranger(*gate->doors[i]);
    }
}

[[noreturn]] void guard() {
    std::vector<pollfd> polled;
    while (true) guard_once(polled);
}

// Takes an introduction apart. Each step fails when the bytes end before it does.
class Reader {
  public:
    explicit Reader(std::span<const char> bytes) : rest_(bytes.data(), bytes.size()) {}
    bool is_right() const { return is_right_; }

    std::string_view text() {
        const std::size_t end = rest_.find('\0');
        if (end == std::string_view::npos) return fail();
        return take(end + 1).substr(0, end);
    }
    std::uint32_t number() {
        std::uint32_t value = 0;
        const std::string_view bytes = take(sizeof value);
        if (is_right_) std::memcpy(&value, bytes.data(), sizeof value);
        return ntohl(value);
    }
    std::string_view take(std::size_t count) {
        if (count > rest_.size()) return fail();
        const std::string_view taken = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return taken;
    }

  private:
    std::string_view fail() {
        is_right_ = false;
        return {};
    }

    std::string_view rest_;
    bool is_right_ = true;
};

}  // namespace

std::size_t PmixIntroduction::wanted_bytes(std::span<const char> bytes) {
    std::uint32_t following;  // behind the client's index and a tag
    std::memcpy(&following, bytes.data() + 8, sizeof following);
    return kHeaderBytes + following;
}

bool PmixIntroduction::is_welcome(std::span<const char> bytes, const PmixGuests& guests) {
    constexpr char kClient = 0;  // others are tools, which oshrun does not serve
    Reader reader(bytes.subspan(kHeaderBytes));
    reader.text();                 // the security module
    reader.take(reader.number());  // and its data
    const std::string_view kind = reader.take(1);
    const bool is_client = reader.is_right() && kind[0] == kClient;
    const std::string_view nspace = reader.text();
    const std::uint32_t rank = reader.number();
    reader.text();   // version
    reader.text();   // format of packed data
    reader.take(1);  // and whether the data describes its types
    reader.text();   // the module that stores data
    return reader.is_right() && is_client && nspace == guests.nspace && rank < guests.npes;
}

void build_pmix_gate() {
    gate = new Gate;
    // Pairs with tools/oshrun/pmix_gate.cpp:listen and tools/oshrun/pmix_gate.cpp:accept.
    the_gate.store(gate, std::memory_order_release);
}

void close_pmix_gate(PmixGuests guests, PmixGateNote note) {
    gate->guests = std::move(guests);
    gate->note = note;
    {
        std::lock_guard guard(gate->mutex);
        gate->is_closed = true;
    }
    if (!gate->doors.empty()) start_thread(guard).detach();
}

}  // namespace tessera::oshrun

// In place of the C library's, for the PMIx library, too. Pairs with
// tools/oshrun/pmix_gate.cpp:build_pmix_gate.
extern "C" [[gnu::visibility("default")]] int listen(int fd, int backlog) noexcept {
    const auto result = static_cast<int>(::syscall(SYS_listen, fd, backlog));
    auto* const gate = tessera::oshrun::the_gate.load(std::memory_order_acquire);
    if (result == 0 && gate != nullptr) tessera::oshrun::add_door(*gate, fd);
    return result;
}

// Likewise. Pairs with tools/oshrun/pmix_gate.cpp:build_pmix_gate.
extern "C" [[gnu::visibility("default")]] int accept(int fd, sockaddr* address, socklen_t* bytes) {
    auto* const gate = tessera::oshrun::the_gate.load(std::memory_order_acquire);
    const std::optional<int> ready =
        gate == nullptr ? std::nullopt : tessera::oshrun::take_ready(*gate, fd);
    if (!ready) return ::accept4(fd, address, bytes, 0);
    if (*ready >= 0 && address != nullptr) ::getpeername(*ready, address, bytes);
    return *ready;
}
