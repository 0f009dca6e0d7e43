// SPDX-License-Identifier: BSD-3-Clause
//
// The transports that contract_test.cpp and contract_sections_test.cpp go through. "The owner" is
// the PE whose memory the transport reaches: this process for `self`, a forked child for the
// others. A new transport adds a World, and a type to Worlds.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "transports/fabric_transport.hpp"
#include "transports/node_transports.hpp"

namespace tessera {

inline constexpr std::size_t kBytes = std::size_t{1} << 18;
// The symmetric memory as this process sees it. In the owner it lies kShift bytes further on, so
// that an address that is not translated hits the wrong place.
inline constexpr std::size_t kShift = 8192;
alignas(4096) inline unsigned char memory[kBytes + kShift];

inline std::atomic<std::uint32_t>* make_lock() {
    void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return static_cast<std::atomic<std::uint32_t>*>(page);
}

// A transport, and the owner's own view of its memory.
class World {
  public:
    explicit World(std::atomic<std::uint32_t>* lock) : lock_(lock) {}
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    virtual ~World() { ::munmap(lock_, 4096); }

    virtual void owner_writes(std::size_t offset, const void* source, std::size_t bytes) = 0;
    virtual void owner_reads(std::size_t offset, void* dest, std::size_t bytes) = 0;
    // From here on the first page can be read, but not written.
    virtual void owner_protects_first_page() = 0;
    // The owner adds 1 to a word of 8 bytes `count` times, by its own transport, while `meanwhile`
    // runs here.
    virtual void owner_adds(std::size_t offset, int count,
                            const std::function<void()>& meanwhile) = 0;

    std::unique_ptr<Transport> transport;
    std::unique_ptr<TransportContext> context;
    int pe = 0;
    int adds = 20000;  // By each thread, beside the owner's adds; fewer where each is a round trip.

  protected:
    std::atomic<std::uint32_t>* lock_;
};

inline void add(Transport& transport, TransportContext& context, unsigned char* word, int count,
                int pe) {
    AtomicRequest request{.dest = word, .op = AtomicOp::kAdd, .operand = 1};
    for (int i = 0; i < count; ++i) transport.atomic(context, request, pe);
}

class SelfWorld final : public World {
  public:
    SelfWorld() : World(make_lock()) {
        transport = make_self_transport(*lock_);
        context = transport->make_context({});
    }
    ~SelfWorld() override { ::mprotect(memory, 4096, PROT_READ | PROT_WRITE); }
    void owner_writes(std::size_t offset, const void* source, std::size_t bytes) override {
        std::memcpy(memory + offset, source, bytes);
    }
    void owner_reads(std::size_t offset, void* dest, std::size_t bytes) override {
        std::memcpy(dest, memory + offset, bytes);
    }
    void owner_protects_first_page() override { ::mprotect(memory, 4096, PROT_READ); }
    void owner_adds(std::size_t offset, int count,
                    const std::function<void()>& meanwhile) override {
        std::thread owner([&] { add(*transport, *context, memory + offset, count, 0); });
        meanwhile();
        owner.join();
    }
};

// Requests to the owner, over a socket pair.
struct Order {
    enum Kind : int { kWrite, kRead, kAdd, kProtect } kind;
    std::size_t offset;
    std::size_t bytes;  // kAdd: count
};

inline void send_all(int socket, const void* bytes, std::size_t count) {
    const char* rest = static_cast<const char*>(bytes);
    while (count > 0) {
        ssize_t sent = ::write(socket, rest, count);
        if (sent <= 0) ::_exit(2);
        rest += sent;
        count -= static_cast<std::size_t>(sent);
    }
}

// False: the other side has closed.
inline bool receive_all(int socket, void* bytes, std::size_t count) {
    char* rest = static_cast<char*>(bytes);
    while (count > 0) {
        ssize_t got = ::read(socket, rest, count);
        if (got <= 0) return false;
        rest += got;
        count -= static_cast<std::size_t>(got);
    }
    return true;
}

// The owner's life: does what it is told, until the test closes the socket. `add_own` adds 1 to a
// word of its own, so often, as the owner does that.
[[noreturn]] inline void serve(int socket,
                               const std::function<void(unsigned char*, int)>& add_own) {
    unsigned char* base = memory + kShift;
    Order order;
    while (receive_all(socket, &order, sizeof order)) {
        if (order.kind == Order::kWrite) {
            if (!receive_all(socket, base + order.offset, order.bytes)) break;
        } else if (order.kind == Order::kAdd) {
            add_own(base + order.offset, static_cast<int>(order.bytes));
        } else if (order.kind == Order::kProtect) {
            ::mprotect(base, 4096, PROT_READ);
        }
        char done = 1;
        send_all(socket, &done, 1);
        if (order.kind == Order::kRead) send_all(socket, base + order.offset, order.bytes);
    }
    ::_exit(0);
}

// The owner is a child.
class ChildWorld : public World {
  public:
    ChildWorld() : World(make_lock()) { pe = 1; }
    ~ChildWorld() override { end_owner(); }

    void end_owner() {
        if (socket_ < 0) return;
        ::close(socket_);
        socket_ = -1;
        ::waitpid(owner_, nullptr, 0);
    }
    void owner_writes(std::size_t offset, const void* source, std::size_t bytes) override {
        order({Order::kWrite, offset, bytes}, source);
        wait();
    }
    void owner_reads(std::size_t offset, void* dest, std::size_t bytes) override {
        order({Order::kRead, offset, bytes});
        wait();
        EXPECT_TRUE(receive_all(socket_, dest, bytes));
    }
    void owner_protects_first_page() override {
        order({Order::kProtect, 0, 0});
        wait();
    }
    void owner_adds(std::size_t offset, int count,
                    const std::function<void()>& meanwhile) override {
        order({Order::kAdd, offset, static_cast<std::size_t>(count)});
        meanwhile();
        wait();
    }

  protected:
    // `live` is the owner's life.
    void fork_owner(const std::function<void(int socket)>& live) {
        int ends[2];
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        owner_ = ::fork();
        if (owner_ == 0) {
            ::close(ends[0]);
            live(ends[1]);
            ::_exit(0);
        }
        ::close(ends[1]);
        socket_ = ends[0];
    }
    pid_t owner_ = -1;
    int socket_ = -1;

  private:
    void order(const Order& what, const void* source = nullptr) const {
        send_all(socket_, &what, sizeof what);
        if (source != nullptr) send_all(socket_, source, what.bytes);
    }
    void wait() const {
        char done = 0;
        EXPECT_TRUE(receive_all(socket_, &done, 1));
    }
};

class CmaWorld final : public ChildWorld {
  public:
    CmaWorld() {
        fork_owner([this](int socket) {
            std::unique_ptr<Transport> own = make_self_transport(*lock_);
            std::unique_ptr<TransportContext> none = own->make_context({});
            serve(socket,
                  [&](unsigned char* word, int count) { add(*own, *none, word, count, 0); });
        });
        auto base = reinterpret_cast<std::uintptr_t>(memory);
        std::vector<CmaTarget> targets(2);
        targets[1] = {.pid = owner_, .base = base + kShift, .lock = lock_};
        transport = make_cma_transport(std::move(targets), 0, base);
        context = transport->make_context({});
    }
};

// Over a fabric, to the other process on this host. The owner's own atomics are the processor's.
template <class Fabric>
class FabricWorld final : public ChildWorld {
  public:
    FabricWorld() : endpoint_table_(2 * kEndpointSlotBytes) {
        fork_owner([this](int socket) {
            std::unique_ptr<FabricTransport> own = connect(1, memory + kShift, socket);
            serve(socket, [](unsigned char* word, int count) {
                std::atomic_ref<std::uint64_t> number(*reinterpret_cast<std::uint64_t*>(word));
                for (int i = 0; i < count; ++i) number.fetch_add(1);
            });
        });
        transport = connect(0, memory, socket_);
        context = transport->make_context({});
        adds = 4000;
    }
    ~FabricWorld() override {
        transport->quiet(*context);
        static_cast<FabricTransport&>(*transport).leave();
        context.reset();
        transport.reset();
    }

  private:
    std::unique_ptr<FabricTransport> connect(int me, unsigned char* start, int socket) {
        FabricSetup setup;
        setup.pe = me;
        setup.npes = 2;
        setup.segments = {.heap = {reinterpret_cast<char*>(start), kBytes},
                          .internal = {internal_, sizeof internal_}};
        setup.confirmation_word = reinterpret_cast<std::uint64_t*>(internal_);
        setup.sleeper = &sleeper_;
        setup.element_lock = &element_lock_;
        setup.values = [](std::string_view name) {
            return std::string(name == "SHMEM_OFI_PROVIDER" ? Fabric::kProvider : "");
        };
        setup.address = "127.0.0.1";
        setup.endpoint_table = endpoint_table_.data();
        setup.endpoint_info_of = [this](int) { return endpoint_info_; };
        std::unique_ptr<FabricTransport> made = make_fabric(Fabric::kName, std::move(setup));
        const std::vector<std::byte> mine = made->endpoint_info();
        send_all(socket, mine.data(), mine.size());
        endpoint_info_.resize(mine.size());
        EXPECT_TRUE(receive_all(socket, endpoint_info_.data(), endpoint_info_.size()));
        made->start();
        return made;
    }

    alignas(4096) char internal_[4096] = {};
    Sleeper sleeper_{};
    std::atomic<std::uint32_t> element_lock_{0};
    std::vector<char> endpoint_table_;
    std::vector<std::byte> endpoint_info_;  // endpoint info of the other PE
};
struct Tcp {
    static constexpr const char* kName = "ofi";
    static constexpr const char* kProvider = "tcp;ofi_rxm";
};
struct Net {
    static constexpr const char* kName = "ofi";
    static constexpr const char* kProvider = "net";
};
struct Sockets {
    static constexpr const char* kName = "ofi";
    static constexpr const char* kProvider = "sockets";
};
struct Loopback {
    static constexpr const char* kName = "loopback";
    static constexpr const char* kProvider = "";
};

template <class AnyWorld>
class Contract : public testing::Test {
  protected:
    Contract() {
        std::vector<unsigned char> guard(kBytes, 0xA5);
        world_.owner_writes(0, guard.data(), kBytes);
    }
    std::vector<unsigned char> owners_bytes(std::size_t offset, std::size_t bytes) {
        std::vector<unsigned char> seen(bytes);
        world_.owner_reads(offset, seen.data(), bytes);
        return seen;
    }
    std::uint64_t owners_word(std::size_t offset, std::size_t bytes = 8) {
        std::uint64_t word = 0;
        world_.owner_reads(offset, &word, bytes);
        return word;
    }
    Transport& transport() { return *world_.transport; }
    TransportContext& context() { return *world_.context; }

    AnyWorld world_;
};

using Worlds = testing::Types<SelfWorld, CmaWorld, FabricWorld<Tcp>, FabricWorld<Net>,
                              FabricWorld<Sockets>, FabricWorld<Loopback>>;
TYPED_TEST_SUITE(Contract, Worlds);

inline std::vector<unsigned char> pattern(std::size_t bytes) {
    std::vector<unsigned char> text(bytes);
    for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<unsigned char>(i * 7 + bytes);
    return text;
}

}  // namespace tessera
