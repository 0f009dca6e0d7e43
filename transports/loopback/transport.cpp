// SPDX-License-Identifier: BSD-3-Clause
//
// A small complete fabric. The sender sends requests at once, and the target executes them in that
// order, so a fence does nothing; quiet waits until all are answered. One thread at a time reads
// the socket and executes the requests, without waiting: it sends an answer later if the receiver
// has no room for it. README.md lists the changes for another fabric. THREADS: any.
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "base/shared_lock.hpp"
#include "transports/apply_atomic.hpp"
#include "transports/fabric_transport.hpp"
#include "transports/loopback/message.hpp"
#include "transports/token_pool.hpp"

namespace tessera::loopback {
namespace {

using Context = TransportContext;

struct LoopbackContext final : Context {
    std::atomic<std::uint32_t> pending{0};  // requests that are not answered
};

struct PendingRequest {
    void* result = nullptr;   // where the data of the answer goes
    std::uint32_t bytes = 0;  // of it
    std::atomic<std::uint32_t>* pending = nullptr;
};

std::atomic<std::uint32_t>* pending_of(Context& context) {
    return &static_cast<LoopbackContext&>(context).pending;
}

bool is_word(const char* address, std::size_t bytes) {
    return std::has_single_bit(bytes) && bytes <= sizeof(std::uint64_t) &&
           reinterpret_cast<std::uintptr_t>(address) % bytes == 0;
}

// A word is stored whole and once: the program may wait for it, and overwrite it at once.
void store(char* dest, const std::byte* source, std::size_t bytes) {
    if (!is_word(dest, bytes)) {
        std::memcpy(dest, source, bytes);
        return;
    }
    std::uint64_t word = 0;
    std::memcpy(&word, source, bytes);
    apply_atomic(dest, bytes, AtomicOp::kSet, word, 0);
}

class LoopbackTransport final : public FabricTransport {
  public:
    explicit LoopbackTransport(FabricSetup setup) : setup_(std::move(setup)) {}
    ~LoopbackTransport() override {
        leave();
        must_stop_.store(true, std::memory_order_release);  // Pairs with the acquire in start().
        socket_.close_for_reading();
        if (progress_thread_.joinable()) progress_thread_.join();
    }

    // ---- Life of the fabric ----

    const char* name() const override { return "loopback"; }
    std::string description() const override { return "Unix sockets of this host (loopback)"; }
    const std::string& provider() const override { return provider_; }
    std::unique_ptr<Context> make_context(const Context::Options&) override {
        return std::make_unique<LoopbackContext>();
    }
    std::vector<std::byte> endpoint_info() const override {
        const EndpointInfo info{.settings_digest = setup_.settings_digest,
                                .setting_marks = setup_.setting_marks,
                                .program_digest = setup_.program_digest,
                                .key = key_,
                                .name = socket_.name()};
        const auto bytes = std::as_bytes(std::span(&info, 1));
        return {bytes.begin(), bytes.end()};
    }
    bool runs_my_program(int pe) override {
        return peer(pe).program_digest == setup_.program_digest;
    }
    void start() override {
        peers_.resize(static_cast<std::size_t>(setup_.npes));
        for (int pe = 0; pe < setup_.npes; ++pe) {
            if (pe != setup_.pe) read_endpoint_info(pe);
        }
        if (!setup_.has_progress_thread) return;
        // The program's signals are not for this thread.
        sigset_t all;
        sigset_t before;
        sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before);
        progress_thread_ = std::thread([this] {
            constexpr int kSleepMs = 100;
            while (!must_stop_.load(std::memory_order_acquire)) {
                socket_.wait(kSleepMs);
                progress();
                ::sched_yield();  // A program that reads the socket itself goes first.
            }
        });
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    void leave() override { is_leaving_.store(true, std::memory_order_relaxed); }

    // ---- Operations ----

    // The kernel has copied the source when the call returns.
    void put(Context& context, void* dest, const void* source, std::size_t bytes, int pe) override {
        put_nbi(context, dest, source, bytes, pe);
    }
    void put_nbi(Context& context, void* dest, const void* source, std::size_t bytes,
                 int pe) override {
        for (std::size_t at = 0; at < bytes; at += kDataBytesMax) {
            Message message = message_to(static_cast<char*>(dest) + at, MessageKind::kPut,
                                         std::min(bytes - at, kDataBytesMax));
            request(message, static_cast<const char*>(source) + at, nullptr, context, pe);
        }
    }
    void get(Context&, void* dest, const void* source, std::size_t bytes, int pe) override {
        LoopbackContext alone;  // Waits for nothing else that is under way.
        get_nbi(alone, dest, source, bytes, pe);
        quiet(alone);
    }
    void get_nbi(Context& context, void* dest, const void* source, std::size_t bytes,
                 int pe) override {
        for (std::size_t at = 0; at < bytes; at += kDataBytesMax) {
            Message message = message_to(static_cast<const char*>(source) + at, MessageKind::kGet,
                                         std::min(bytes - at, kDataBytesMax));
            request(message, nullptr, static_cast<char*>(dest) + at, context, pe);
        }
    }
    std::uint64_t atomic(Context&, const AtomicRequest& what, int pe) override {
        LoopbackContext alone;
        std::uint64_t old = 0;
        atomic_nbi(alone, what, &old, pe);
        quiet(alone);
        return old;
    }
    void atomic_nbi(Context& context, const AtomicRequest& what, void* result, int pe) override {
        Message message = message_to(what.dest, MessageKind::kAtomic, what.bytes);
        message.op = what.op;
        message.operand = what.operand;
        message.condition = what.condition;
        request(message, nullptr, result, context, pe);
    }
    void put_signal(Context& context, void* dest, const void* source, std::size_t bytes,
                    const AtomicRequest& signal, int pe) override {
        put_nbi(context, dest, source, bytes, pe);
        atomic_nbi(context, signal, nullptr, pe);
    }
    void post_gate(const Gate& gate, std::uint32_t number, int pe) override {
        Message message = message_to(&gate, MessageKind::kGate, sizeof gate);
        message.operand = number;
        send(message, nullptr, pe);
    }
    void post_gate_behind(Context&, const Gate& gate, std::uint32_t number, int pe) override {
        post_gate(gate, number, pe);
    }
    void fence(Context&) override {}
    void quiet(Context& context) override {
        constexpr int kYields = 100;  // before the waiter sleeps
        // Acquire: pairs with take_answer().
        for (int steps = 0; pending_of(context)->load(std::memory_order_acquire) != 0; ++steps) {
            progress();
            ::sched_yield();
            if (steps >= kYields) ::usleep(20);  // The progress thread may read the answer.
        }
    }
    void progress() override {
        std::unique_lock guard(reading_, std::try_to_lock);
        if (!guard) return;
        send_postponed();
        alignas(Message) std::byte buffer[sizeof(Message) + kDataBytesMax];
        while (const std::size_t bytes = socket_.try_receive(buffer)) {
            const auto& message = *reinterpret_cast<const Message*>(buffer);
            // A process that does not know the key is no PE of this job.
            if (bytes < sizeof message || message.key != key_) continue;
            if (message.source < 0 || message.source >= setup_.npes) continue;
            execute(message, bytes - sizeof message, buffer + sizeof message);
        }
    }

  private:
    // ---- Sending ----

    EndpointInfo& peer(int pe) { return peers_[static_cast<std::size_t>(pe)]; }
    void read_endpoint_info(int pe) {
        const std::vector<std::byte> bytes = setup_.endpoint_info_of(pe);
        if (bytes.size() != sizeof(EndpointInfo)) {
            fatal("PE %d uses another fabric, or another version of Tessera", pe);
        }
        std::memcpy(&peer(pe), bytes.data(), sizeof(EndpointInfo));
        if (peer(pe).settings_digest == setup_.settings_digest) return;
        fatal("shmem_init: %s; start all PEs with the same environment",
              setup_.difference(peer(pe).setting_marks, pe).c_str());
    }
    Message message_to(const void* address, MessageKind kind, std::size_t bytes) const {
        const SegmentOffset at = setup_.segments.offset_of(address);
        return {.offset = at.offset,
                .bytes = static_cast<std::uint32_t>(bytes),
                .kind = kind,
                .segment = static_cast<std::uint8_t>(at.segment)};
    }
    void request(Message& message, const void* data, void* result, Context& context, int pe) {
        std::atomic<std::uint32_t>* pending = pending_of(context);
        pending->fetch_add(1, std::memory_order_relaxed);
        auto& entry = requests_.take({result, message.bytes, pending});
        message.token = entry.token.load(std::memory_order_relaxed);
        send(message, data, pe);
    }
    // RETURNS when: the message is sent, with message.bytes of data unless that is nullptr.
    void send(Message& message, const void* data, int pe) {
        while (!try_send(message, data, pe)) {
            progress();  // Else two PEs with full sockets would wait for each other.
            ::sched_yield();
        }
    }
    // False: the receiver has no room.
    bool try_send(Message& message, const void* data, int pe) {
        message.key = peer(pe).key;
        message.source = setup_.pe;
        iovec parts[2] = {{.iov_base = &message, .iov_len = sizeof message},
                          {.iov_base = const_cast<void*>(data), .iov_len = message.bytes}};
        const int error = socket_.try_send(peer(pe).name, {parts, data != nullptr ? 2U : 1U});
        if (error != 0 && error != EAGAIN && !is_leaving_.load(std::memory_order_relaxed)) {
            fatal_lost_peer("cannot send to PE %d on another node: %s; did that PE die?", pe,
                            std::strerror(error));
        }
        return error != EAGAIN;
    }

    // ---- Serving other PEs, with the reading lock ----

    void execute(const Message& message, std::size_t data_bytes, const std::byte* data) {
        const std::size_t bytes = message.bytes;
        const bool has_data =
            message.kind == MessageKind::kPut || message.kind == MessageKind::kAnswer;
        if (bytes > kDataBytesMax || (has_data && bytes != data_bytes)) return;
        if (message.kind == MessageKind::kAnswer) return take_answer(message, data);
        char* address = setup_.segments.checked_address(message.segment, message.offset, bytes);
        if (address == nullptr) return;
        if (message.kind == MessageKind::kGet) return answer(message, address, bytes);
        if (message.kind == MessageKind::kPut) {
            store(address, data, bytes);
            answer(message, nullptr, 0);
        } else if (message.kind == MessageKind::kAtomic && is_word(address, bytes)) {
            const std::uint64_t old = execute_atomic(message, address);
            answer(message, &old, bytes);
        } else if (message.kind == MessageKind::kGate && bytes == sizeof(Gate) &&
                   message.offset % alignof(Gate) == 0) {
            const auto number = static_cast<std::uint32_t>(message.operand);
            auto* gate = reinterpret_cast<Gate*>(address);
            if (!gate->has_reached(number)) gate->post(number);
        }
        if (setup_.sleeper->is_sleeping()) setup_.sleeper->wake();
    }
    std::uint64_t execute_atomic(const Message& message, char* address) {
        const bool is_static = static_cast<Segment>(message.segment) == Segment::kStatics;
        auto apply = [&] {
            return apply_atomic(address, message.bytes, message.op, message.operand,
                                message.condition);
        };
        if (setup_.static_lock == nullptr || !is_static) return apply();
        SharedLock guard(*setup_.static_lock, "an atomic on static data");
        return apply();
    }
    void answer(const Message& request, const void* data, std::size_t bytes) {
        Message reply{.token = request.token,
                      .bytes = static_cast<std::uint32_t>(bytes),
                      .kind = MessageKind::kAnswer};
        if (postponed_.empty() && try_send(reply, data, request.source)) return;
        const auto* start = static_cast<const std::byte*>(data);
        postponed_.push_back({request.source, reply, {start, start + bytes}});
    }
    void send_postponed() {
        while (!postponed_.empty()) {
            Postponed& next = postponed_.front();
            if (!try_send(next.reply, next.data.data(), next.pe)) return;
            postponed_.pop_front();
        }
    }
    void take_answer(const Message& message, const std::byte* data) {
        auto* entry = requests_.find(message.token);
        if (entry == nullptr) {
            fatal(
                "PE %d, on another node, answered an operation that this PE does not have under "
                "way (token %#llx): its memory or a message has been damaged",
                message.source, static_cast<unsigned long long>(message.token));
        }
        const PendingRequest request = entry->object;
        if (request.result != nullptr && message.bytes == request.bytes) {
            std::memcpy(request.result, data, message.bytes);
        }
        requests_.put_back(*entry);
        // Release: the data is there. Pairs with the acquire in quiet().
        request.pending->fetch_sub(1, std::memory_order_release);
    }

    struct Postponed {
        int pe;
        Message reply;
        std::vector<std::byte> data;
    };
    const FabricSetup setup_;
    const std::string provider_ = "loopback";
    const Socket socket_;
    const std::uint64_t key_ = random_number();
    std::vector<EndpointInfo> peers_;
    TokenPool<PendingRequest> requests_;
    std::mutex reading_;
    std::deque<Postponed> postponed_;
    std::atomic<bool> is_leaving_{false};
    std::atomic<bool> must_stop_{false};
    std::thread progress_thread_;
};

}  // namespace

extern const FabricEntry kFabric;
const FabricEntry kFabric = {
    .name = "loopback",
    .probe = [](const FabricSetup& setup) { return setup.is_one_host; },
    .make = [](FabricSetup setup) -> std::unique_ptr<FabricTransport> {
        if (!setup.is_one_host) fatal("shmem_init: SHMEM_FABRIC=loopback reaches one host only");
        return std::make_unique<LoopbackTransport>(std::move(setup));
    }};

}  // namespace tessera::loopback
