// SPDX-License-Identifier: BSD-3-Clause
//
// What moves: posts operations, reads the completion queue, receives active messages, and the
// thread that does so while the program computes. One per PE. The queue is read by one thread at a
// time, which executes the messages it finds in the order in which they came: where the provider
// keeps the order of messages, those that a thread sends to a PE on one context are executed in the
// order in which it called. A waiter reads the queue, too, and may find the completion of another
// one's operation: each carries the address of what waits for it.
// THREADS: any.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "transports/ofi/fabric.hpp"
#include "transports/ofi/peers.hpp"

namespace tessera::ofi {

// What a completion belongs to: the context of an operation points to one.
struct Completion {
    enum class Kind : std::uint8_t { kCount, kPacket, kReceive };
    explicit Completion(Kind what) : kind(what) {}
    Kind kind;
};

// Operations that complete into a number.
struct Counter : Completion {
    Counter() : Completion(Kind::kCount) {}
    // Release in the engine pairs with acquire in whoever waits: the data is there.
    std::atomic<std::uint32_t> pending{0};
    std::uint32_t load() const { return pending.load(std::memory_order_acquire); }
};

struct PacketSlot;

// A kUpdates or kScatter message that is being filled or sent.
struct Packet : Completion {
    Packet() : Completion(Kind::kPacket) {}
    int pe = 0;
    std::uint32_t size = sizeof(Header);
    alignas(8) std::byte bytes[kPacketBytes];
    Header& header() { return *reinterpret_cast<Header*>(bytes); }
    bool is_full() const { return size + sizeof(Update) > kPacketBytes; }
    void append(const Update& update) {
        std::memcpy(bytes + size, &update, sizeof update);
        size += sizeof update;
        ++header().count;
    }
};

// A context's packet for some of the PEs. The packet belongs to the thread that has taken it out of
// `open`: the one that uses the context, or the reader of the queue, which sends it when the last
// acknowledgement has come. Acks carry the address of the slot.
struct PacketSlot {
    std::atomic<Packet*> open{nullptr};
    std::atomic<std::uint32_t> in_flight{0};        // packets sent and not acknowledged
    std::atomic<std::uint32_t> held{0};             // the reader may have one that it has not sent
    std::atomic<bool> is_fenced{false};             // see OfiTransport::fence()
    std::atomic<std::uint32_t>* unacked = nullptr;  // updates of the context

    // Whether what is no longer in `open` has been sent. Acquire: pairs with the releases of `held`
    // in execute.cpp.
    bool is_all_sent() const { return held.load(std::memory_order_acquire) == 0; }
    // Whether the targets have executed everything. The reader changes the three in this order, so
    // that it cannot have a packet unseen.
    bool is_idle() const {
        return open.load(std::memory_order_seq_cst) == nullptr &&
               held.load(std::memory_order_seq_cst) == 0 &&
               in_flight.load(std::memory_order_seq_cst) == 0;
    }
};

// A fetching atomic that waits for its reply.
struct PendingFetch {
    void* result = nullptr;
    std::size_t bytes = 8;
    std::atomic<std::uint32_t>* pending = nullptr;
    bool is_pooled = false;
};

class Engine {
  public:
    explicit Engine(const FabricSetup& setup);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    // Posts receives and starts the thread.
    void start();
    // From here on nobody is asked for signs of life: the job ends.
    void leave() { is_leaving_.store(true, std::memory_order_relaxed); }

    Fabric& fabric() { return fabric_; }
    const Capabilities& capabilities() const { return fabric_.capabilities(); }
    Peers& peers() { return peers_; }
    const EndpointInfo& endpoint_info() const { return endpoint_info_; }
    int pe() const { return setup_.pe; }

    // What one call of post() counts for.
    static constexpr std::uint32_t kPost = 4, kInjection = 1;

    // Repeats `call`, an fi_* function, while the provider is busy. The one place for EAGAIN.
    template <class Call>
    void post(Call call, int pe, std::uint32_t weight = kPost) {
        // A stream of operations reads the queue as it goes, so that the thread need not.
        // Release: the program's stores come before what others do when they hear from us, which
        // another thread of ours may serve. Pairs with read_queue() and wait_for_events().
        if (posts_.fetch_add(weight, std::memory_order_release) % kPostsPerPoll < weight) {
            progress();
        }
        ssize_t result = call();
        if (result != 0) [[unlikely]]
            post_again(&call_again<Call>, &call, result, pe);
    }

    // Drives progress until `is_done()`.
    template <class Done>
    void wait(Done is_done) {
        if (is_done()) return;
        for (Patience patience(*this); !is_done();) patience.step();
    }

    // Reads the queue once. RETURNS: whether there was anything, or somebody else reads it.
    bool progress();

    // Sends a message of at most kSmallMessageBytes; `header` is its beginning.
    void send_small(Header& header, std::size_t bytes, int pe);

    // For updates.
    Packet* take_packet(int pe, PacketSlot& slot);
    void send_packet(Packet* packet, PacketSlot& slot);
    PendingFetch* take_fetch();

  private:
    struct Receive : Completion {
        Receive() : Completion(Kind::kReceive) {}
        alignas(8) std::byte bytes[kPacketBytes];
    };
    // How long to go on reading the queue before the core is left to others.
    class Patience {
      public:
        explicit Patience(Engine& engine) : engine_(engine) {}
        void step();

      private:
        Engine& engine_;
        std::uint32_t steps_ = 0;
    };

    template <class Call>
    static ssize_t call_again(void* call) {
        return (*static_cast<Call*>(call))();
    }
    void post_again(ssize_t (*call)(void*), void* state, ssize_t result, int pe);
    [[noreturn]] void fail_post(ssize_t result, int pe) const;
    void describe_myself();

    // All of these with the queue lock held.
    bool read_queue();
    void complete(const fi_cq_msg_entry& entry);
    void read_error();
    void receive(Receive& buffer, std::size_t bytes);
    void post_receive(Receive& buffer);
    void execute(const Header& header, std::size_t bytes);
    void execute_updates(const Header& header, std::size_t bytes);
    void execute_scatter(const Header& header, std::size_t bytes);
    void execute_fetch(const Fetch& fetch);
    std::uint64_t execute_atomic(std::uint64_t place, std::uint64_t operand,
                                 std::uint64_t condition);
    void execute_gate(const GateMessage& message);
    void take_reply(const Reply& reply);
    void take_ack(const Header& ack);
    void answer(Header& header, std::size_t bytes, int pe);
    // For messages that have changed memory here: wakes the program if it waits, and acknowledges.
    void finish_updates(const Header& header);
    bool try_send_packet(Packet* packet, PacketSlot& slot);
    void send_postponed();

    const FabricMemory& memory_of(std::size_t segment) const;
    // Sends the packet once; what was injected is in the pool again. RETURNS: fi_send's result.
    ssize_t post_packet(Packet& packet);
    // Injects the message if the provider can, else sends a copy. RETURNS: fi_inject's result.
    ssize_t send_copy(const void* message, std::size_t bytes, int pe);

    // False: somebody else reads it.
    bool try_read_queue(bool& found);
    // Sleeps until something comes, and takes care of it if it is an entry of the queue.
    void wait_for_events(int timeout_ms, int idle);
    void run_thread();
    void pause_between_polls(int& calls);
    // Asks the other PEs for signs of life, and ends the job when one gives none.
    void watch_peers();

    const FabricSetup& setup_;
    Fabric fabric_;
    EndpointInfo endpoint_info_;
    Peers peers_;
    Region regions_[kSegments];

    std::atomic_flag queue_lock_;
    // With the queue lock.
    std::vector<std::unique_ptr<Receive>> receives_;
    std::vector<Receive*> unposted_;
    struct Postponed {
        int pe;
        std::size_t bytes;
        alignas(8) std::byte message[kSmallMessageBytes];
    };
    std::vector<Postponed> answers_;
    std::vector<std::pair<Packet*, PacketSlot*>> packets_;

    std::mutex pool_lock_;  // for a few instructions
    std::vector<Packet*> free_packets_;
    std::vector<std::unique_ptr<Packet>> all_packets_;
    std::vector<PendingFetch*> free_fetches_;
    std::vector<std::unique_ptr<PendingFetch>> all_fetches_;
    void put_back(Packet* packet);
    void put_back(PendingFetch* fetch);

    static constexpr std::uint32_t kPostsPerPoll = 32;
    std::atomic<std::uint32_t> posts_{1};
    std::atomic<std::uint64_t> polled_at_ns_{0};  // by the program: tells the thread to step back
    std::mutex pings_lock_;
    std::vector<int> unanswered_pings_;  // PEs
    std::uint64_t pinged_at_ms_ = 0;
    std::atomic<bool> is_leaving_{false};
    std::atomic<bool> must_stop_{false};
    std::thread thread_;
};

}  // namespace tessera::ofi
