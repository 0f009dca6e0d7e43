// SPDX-License-Identifier: BSD-3-Clause
//
// A small complete fabric. The sender sends requests at once, and the target executes them in that
// order, so a fence does nothing; quiet waits until all are answered. One thread at a time reads
// the socket and executes the requests, without waiting: it sends an answer later if the receiver
// has no room for it. README.md lists the changes for another fabric. THREADS: any.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "base/cancellation.hpp"
#include "base/copy.hpp"
#include "base/death_patience.hpp"
#include "base/library_thread.hpp"
#include "base/mutexes.hpp"
#include "transports/loopback/message.hpp"
#include "transports/served_memory.hpp"
#include "transports/token_pool.hpp"

namespace tessera::loopback {
namespace {

using Context = TransportContext;
using Count = std::atomic<std::uint32_t>;  // counts parts that are not answered

struct LoopbackContext final : Context {
    using Context::Context;
    Count pending{0};
};

struct PendingRequest {
    void* result = nullptr;   // where the data of the answer goes
    std::uint32_t bytes = 0;  // length of the answer
    Count* pending = nullptr;
    Count* of_operation = nullptr;  // a count of an Operation, or none
};

Count* pending_of(Context& context) { return &static_cast<LoopbackContext&>(context).pending; }

class LoopbackTransport final : public FabricTransport {
  public:
    explicit LoopbackTransport(FabricSetup setup) : setup_(std::move(setup)) {}
    ~LoopbackTransport() override {
        leave();
        // Pairs with transports/loopback/transport.cpp:start.
        must_stop_.store(true, std::memory_order_release);
        socket_.close_for_reading();
        if (progress_thread_.joinable()) progress_thread_.join();
    }

    // ---- Life of the fabric ----

    const char* name() const override { return "loopback"; }
    std::string description() const override { return "Unix sockets of this host (loopback)"; }
    const std::string& provider() const override { return provider_; }
    std::unique_ptr<Context> make_context(const Context::Options& options) override {
        return std::make_unique<LoopbackContext>(options);
    }
    std::vector<std::byte> endpoint_info() const override {
        const EndpointInfo info{
            .fingerprint = setup_.fingerprint, .key = key_, .name = socket_.name()};
        const auto bytes = std::as_bytes(std::span(&info, 1));
        return {bytes.begin(), bytes.end()};
    }
    bool runs_my_program(int pe) override {
        return peer(pe).fingerprint.program_digest == setup_.fingerprint.program_digest;
    }
    void start() override {
        peers_ = std::vector<Peer>(static_cast<std::size_t>(setup_.npes));
        for (int pe = 0; pe < setup_.npes && !setup_.looks_up_late; ++pe) {
            if (pe != setup_.pe) peer(pe);
        }
        if (!setup_.has_progress_thread) return;
        progress_thread_ = start_library_thread([this] {
            constexpr int kSleepMs = 100;
            constexpr int kRetriesAtOnce = 1000;
            int retries = 0;
            if (setup_.prepare_thread != nullptr) setup_.prepare_thread();
            // Pairs with transports/loopback/transport.cpp:~LoopbackTransport.
            while (!must_stop_.load(std::memory_order_acquire)) {
                // A receiver that waits makes room at once, and one that computes does not.
                const bool retries_answers = has_postponed_.load(std::memory_order_relaxed);
                retries = retries_answers ? retries + 1 : 0;
                socket_.wait(!retries_answers ? kSleepMs : retries < kRetriesAtOnce ? 0 : 1);
                progress();
                if (setup_.background != nullptr) setup_.background();
                ::sched_yield();  // A program that reads the socket itself goes first.
            }
        });
    }
    void leave() override { is_leaving_.store(true, std::memory_order_relaxed); }
    // Readers drop a datagram without a key. If there is no room for it, the thread is awake.
    void wake_thread() override {
        char byte = 0;
        iovec part{.iov_base = &byte, .iov_len = sizeof byte};
        socket_.try_send(socket_.name(), std::span(&part, 1));
    }

    // ---- Operations ----

    // The kernel has copied the source when the call returns.
    void put(Context& context, void* dest, const void* source, std::size_t bytes, int pe) override {
        put_nbi(context, dest, source, bytes, pe);
    }
    void put_nbi(Context& context, void* dest, const void* source, std::size_t bytes,
                 int pe) override {
        request(context, message_to(dest, MessageKind::kPut), bytes, source, nullptr, pe);
    }
    void put_tracked(Context& context, void* dest, const void* source, std::size_t bytes, int pe,
                     Operation& operation) override {
        request(context, message_to(dest, MessageKind::kPut), bytes, source, nullptr, pe,
                &operation.remote);
    }
    void get(Context&, void* dest, const void* source, std::size_t bytes, int pe) override {
        LoopbackContext alone;  // Waits for nothing else that is under way.
        get_nbi(alone, dest, source, bytes, pe);
        quiet(alone);
    }
    void get_nbi(Context& context, void* dest, const void* source, std::size_t bytes,
                 int pe) override {
        request(context, message_to(source, MessageKind::kGet), bytes, nullptr, dest, pe);
    }
    void get_tracked(Context& context, void* dest, const void* source, std::size_t bytes, int pe,
                     Operation& operation) override {
        request(context, message_to(source, MessageKind::kGet), bytes, nullptr, dest, pe,
                &operation.local);
    }
    std::uint64_t atomic(Context&, const AtomicRequest& what, int pe) override {
        LoopbackContext alone;
        std::uint64_t old = 0;
        atomic_nbi(alone, what, &old, pe);
        quiet(alone);
        return old;
    }
    void atomic_nbi(Context& context, const AtomicRequest& what, void* result, int pe) override {
        request(context, message_to(what), what.bytes, nullptr, result, pe);
    }
    void atomic_tracked(Context& context, const AtomicRequest& what, void* result, int pe,
                        Operation& operation) override {
        request(context, message_to(what), what.bytes, nullptr, result, pe,
                result != nullptr ? &operation.local : &operation.remote);
    }
    void accumulate(Context& context, const Accumulation& what, int pe) override {
        LoopbackContext alone;
        const bool waits = what.result != nullptr && what.operation == nullptr;
        Message message = message_to(what.dest, MessageKind::kAccumulate);
        message.number = what.result != nullptr ? 1 : 0;
        message.atomic.element = what.element;
        request(waits ? alone : context, message, what.nelems * what.element.kernel()->bytes,
                what.source, what.result, pe,
                what.operation != nullptr ? &what.operation->local : nullptr);
        quiet(alone);
    }
    void put_signal(Context& context, void* dest, const void* source, std::size_t bytes,
                    const AtomicRequest& signal, int pe) override {
        put_nbi(context, dest, source, bytes, pe);
        atomic_nbi(context, signal, nullptr, pe);
    }
    void put_signal_tracked(Context& context, void* dest, const void* source, std::size_t bytes,
                            const AtomicRequest& signal, int pe, Operation& operation) override {
        put_tracked(context, dest, source, bytes, pe, operation);
        atomic_tracked(context, signal, nullptr, pe, operation);
    }
    // The target answers in the order of the requests.
    void track_issued(Context& context, int pe, Operation& operation) override {
        const AtomicRequest nothing{.dest = const_cast<std::uint64_t*>(setup_.confirmation_word)};
        atomic_tracked(context, nothing, nullptr, pe, operation);
    }
    void post_gate(const Gate& gate, std::uint32_t number, int pe) override {
        Message message = message_to(&gate, MessageKind::kGate);
        message.number = number;
        send(message, {}, pe);
    }
    void post_gate_behind(Context&, const Gate& gate, std::uint32_t number, int pe) override {
        post_gate(gate, number, pe);
    }
    void fence(Context&) override {}
    bool is_behind_fence(Context&, int) override { return false; }
    void quiet(Context& context) override {
        // Pairs with transports/loopback/transport.cpp:take_answer.
        drive_until(
            [](void* pending) {
                return static_cast<Count*>(pending)->load(std::memory_order_acquire) == 0;
            },
            pending_of(context));
    }
    void drive_until(bool (*is_done)(void*), void* state) override {
        constexpr int kYields = 100;  // before the waiter sleeps
        const NoCancellation no_cancellation;
        DeathPatience deaths;
        for (int steps = 0; !is_done(state); ++steps) {
            progress();
            ::sched_yield();
            if (steps < kYields) continue;
            deaths.look();
            ::usleep(20);  // The progress thread may read the answer.
        }
    }
    void progress() override {
        check_may_wait("progress between nodes");
        const NoCancellation no_cancellation;
        std::unique_lock guard(reading_, std::try_to_lock);
        if (!guard) return;
        send_postponed();
        alignas(Message) std::byte buffer[sizeof(Message) + kDataBytesMax];
        while (const std::size_t bytes = socket_.try_receive(buffer)) {
            const auto& message = *reinterpret_cast<const Message*>(buffer);
            // A process that does not know the key is no PE of this job.
            if (bytes < sizeof message || message.key != key_) continue;
            if (message.source < 0 || message.source >= setup_.npes) continue;
            execute(message, std::span(buffer).first(bytes).subspan(sizeof message));
        }
    }

  private:
    // ---- Sending ----

    struct Peer {
        std::once_flag is_known;
        EndpointInfo info;
    };
    const EndpointInfo& peer(int pe) {
        Peer& peer = peers_[static_cast<std::size_t>(pe)];
        std::call_once(peer.is_known, [&] {
            const std::vector<std::byte> bytes = setup_.endpoint_info_of(pe);
            if (bytes.size() != sizeof peer.info)
                fatal("PE %d uses another fabric, or another version of Tessera", pe);
            std::memcpy(&peer.info, bytes.data(), sizeof peer.info);
            setup_.check_settings(peer.info.fingerprint, pe);
        });
        return peer.info;
    }
    Message message_to(const void* address, MessageKind kind) const {
        const SegmentOffset at = setup_.segments.offset_of(address);
        return {
            .offset = at.offset, .kind = kind, .segment = static_cast<std::uint8_t>(at.segment)};
    }
    Message message_to(const AtomicRequest& what) const {
        Message message = message_to(what.dest, MessageKind::kAtomic);
        message.atomic = what;
        return message;
    }
    // Sends a request of `bytes` bytes in pieces that fit datagrams. `data` goes with it, the
    // answers go to `result`; each may be nullptr. `of_operation`: a count of it, or nullptr.
    void request(Context& context, Message message, std::size_t bytes, const void* data,
                 void* result, int pe, Count* of_operation = nullptr) {
        const auto* from = static_cast<const std::byte*>(data);
        auto* to = static_cast<std::byte*>(result);
        for (std::size_t rest = bytes; rest > 0; rest -= message.bytes) {
            message.bytes = static_cast<std::uint32_t>(std::min(rest, kDataBytesMax));
            Count* const pending = pending_of(context);
            for (Count* count : {pending, of_operation}) {
                if (count != nullptr) count->fetch_add(1, std::memory_order_relaxed);
            }
            auto& entry = requests_.take({to, message.bytes, pending, of_operation});
            message.token = entry.token.load(std::memory_order_relaxed);
            send(message, {from, from != nullptr ? message.bytes : 0}, pe);
            message.offset += message.bytes;
            if (from != nullptr) from += message.bytes;
            if (to != nullptr) to += message.bytes;
        }
    }
    // RETURNS when: the message is sent.
    void send(Message& message, std::span<const std::byte> data, int pe) {
        const NoCancellation no_cancellation;
        DeathPatience deaths;
        while (!try_send(message, data, pe)) {
            progress();  // Else two PEs with full sockets would wait for each other.
            deaths.look();
            ::sched_yield();
        }
    }
    // False: the receiver has no room.
    bool try_send(Message& message, std::span<const std::byte> data, int pe) {
        message.key = peer(pe).key;
        message.source = setup_.pe;
        iovec parts[] = {{.iov_base = &message, .iov_len = sizeof message},
                         {.iov_base = const_cast<std::byte*>(data.data()), .iov_len = data.size()}};
        const int error = socket_.try_send(peer(pe).name, parts);
        if (error != 0 && error != EAGAIN && !is_leaving_.load(std::memory_order_relaxed))
            fatal_lost_peer("cannot send to PE %d: %s; did that PE die?", pe, std::strerror(error));
        return error != EAGAIN;
    }

    // ---- Serving other PEs, with the reading lock ----

    void execute(const Message& message, std::span<const std::byte> data) {
        const ServedMemory::Target target{message.segment, message.offset};
        switch (message.kind) {
            case MessageKind::kAnswer: return take_answer(message, data);
            case MessageKind::kGet: {
                const std::size_t bytes = std::min<std::size_t>(message.bytes, kDataBytesMax);
                const char* source = address_of(target, bytes);
                if (source != nullptr) answer(message, source, bytes);
                return;
            }
            case MessageKind::kPut:
                if (char* dest = address_of(target, data.size())) {
                    // Stores a word whole and once: the program may wait for it and overwrite it.
                    copy_bytes(dest, data.data(), data.size());
                    answer(message, nullptr, 0);
                }
                break;
            case MessageKind::kAtomic: {
                const std::uint64_t old = memory_.atomic(target, message.atomic);
                answer(message, &old, std::min(message.atomic.bytes, sizeof old));
                break;
            }
            case MessageKind::kAccumulate: execute_accumulate(message, target, data); break;
            case MessageKind::kGate: memory_.post_gate(target, message.number); break;
        }
        // Before the look whether this PE sleeps, as an atomic of the processor would be. Pairs
        // with base/wait.cpp:sleep_unless.
        std::atomic_thread_fence(std::memory_order_seq_cst);
        memory_.wake_program();
    }
    char* address_of(ServedMemory::Target target, std::size_t bytes) const {
        return setup_.segments.checked_address(target.segment, target.offset, bytes);
    }
    void execute_accumulate(const Message& message, ServedMemory::Target target,
                            std::span<const std::byte> data) {
        const ElementKernel* kernel = message.atomic.element.kernel();
        if (kernel == nullptr || data.size() > kDataBytesMax) return;
        alignas(16) char old[kDataBytesMax];
        const bool is_get = message.number != 0;
        const bool is_done = memory_.accumulate(target, {.source = data.data(),
                                                         .nelems = data.size() / kernel->bytes,
                                                         .element = message.atomic.element,
                                                         .result = is_get ? old : nullptr});
        if (is_done) answer(message, old, is_get ? data.size() : 0);
    }
    void answer(const Message& request, const void* data, std::size_t bytes) {
        const std::span answered(static_cast<const std::byte*>(data), bytes);
        Message message{.token = request.token, .kind = MessageKind::kAnswer};
        if (postponed_.empty() && try_send(message, answered, request.source)) return;
        postponed_.push_back({request.source, message, {answered.begin(), answered.end()}});
        has_postponed_.store(true, std::memory_order_relaxed);
    }
    void send_postponed() {
        while (!postponed_.empty()) {
            Answer& next = postponed_.front();
            if (!try_send(next.message, next.data, next.pe)) return;
            postponed_.pop_front();
        }
        has_postponed_.store(false, std::memory_order_relaxed);
    }
    void take_answer(const Message& message, std::span<const std::byte> data) {
        auto* entry = requests_.find(message.token);
        if (entry == nullptr) fatal_unknown_token(message.source, message.token);
        const PendingRequest request = entry->object;
        if (request.result != nullptr && data.size() == request.bytes)
            std::memcpy(request.result, data.data(), data.size());
        requests_.put_back(*entry);
        // The data is there. Pairs with transports/loopback/transport.cpp:quiet,
        // transports/operation.hpp:is_local and transports/operation.hpp:is_remote.
        for (Count* count : {request.of_operation, request.pending}) {
            if (count != nullptr) count->fetch_sub(1, std::memory_order_release);
        }
    }

    struct Answer {
        int pe;
        Message message;
        std::vector<std::byte> data;
    };
    const FabricSetup setup_;
    const ServedMemory memory_{setup_};
    const std::string provider_ = "loopback";
    const Socket socket_;
    const std::uint64_t key_ = random_number();
    std::vector<Peer> peers_;
    TokenPool<PendingRequest> requests_;
    ShortMutex reading_;
    std::deque<Answer> postponed_;
    std::atomic<bool> has_postponed_{false};
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
    },
    .look = [](const FabricSetup& setup) -> FabricOutlook {
        return {.text = "loopback, which reaches one host only", .address = setup.address};
    }};

}  // namespace tessera::loopback
