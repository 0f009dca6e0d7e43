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

#include "base/library_thread.hpp"
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
    std::atomic<std::uint32_t>* of_operation = nullptr;  // a count of an Operation, or none
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
        peers_ = std::vector<Peer>(static_cast<std::size_t>(setup_.npes));
        for (int pe = 0; pe < setup_.npes && !setup_.looks_up_late; ++pe) {
            if (pe != setup_.pe) peer(pe);
        }
        if (!setup_.has_progress_thread) return;
        // The program's signals are not for this thread.
        sigset_t all;
        sigset_t before;
        sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before);
        progress_thread_ = std::thread([this] {
            constexpr int kSleepMs = 100;
            is_library_thread = true;
            while (!must_stop_.load(std::memory_order_acquire)) {
                socket_.wait(kSleepMs);
                progress();
                if (setup_.background != nullptr) setup_.background();
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
        send_put(context, dest, source, bytes, pe, nullptr);
    }
    void put_tracked(Context& context, void* dest, const void* source, std::size_t bytes, int pe,
                     Operation& operation) override {
        send_put(context, dest, source, bytes, pe, &operation.remote);
    }
    void get(Context&, void* dest, const void* source, std::size_t bytes, int pe) override {
        LoopbackContext alone;  // Waits for nothing else that is under way.
        get_nbi(alone, dest, source, bytes, pe);
        quiet(alone);
    }
    void get_nbi(Context& context, void* dest, const void* source, std::size_t bytes,
                 int pe) override {
        send_get(context, dest, source, bytes, pe, nullptr);
    }
    void get_tracked(Context& context, void* dest, const void* source, std::size_t bytes, int pe,
                     Operation& operation) override {
        send_get(context, dest, source, bytes, pe, &operation.local);
    }
    std::uint64_t atomic(Context&, const AtomicRequest& what, int pe) override {
        LoopbackContext alone;
        std::uint64_t old = 0;
        atomic_nbi(alone, what, &old, pe);
        quiet(alone);
        return old;
    }
    void atomic_nbi(Context& context, const AtomicRequest& what, void* result, int pe) override {
        send_atomic(context, what, result, pe, nullptr);
    }
    void atomic_tracked(Context& context, const AtomicRequest& what, void* result, int pe,
                        Operation& operation) override {
        send_atomic(context, what, result, pe,
                    result != nullptr ? &operation.local : &operation.remote);
    }
    void put_signal_tracked(Context& context, void* dest, const void* source, std::size_t bytes,
                            const AtomicRequest& signal, int pe, Operation& operation) override {
        put_tracked(context, dest, source, bytes, pe, operation);
        atomic_tracked(context, signal, nullptr, pe, operation);
    }
    // The target answers in the order of the requests.
    void track_issued(Context& context, int pe, Operation& operation) override {
        const AtomicRequest nothing{.dest = const_cast<std::uint64_t*>(setup_.unchanging)};
        atomic_tracked(context, nothing, nullptr, pe, operation);
    }
    void accumulate(Context& context, const Accumulation& what, int pe) override {
        const bool waits = what.result != nullptr && what.operation == nullptr;
        if (!waits) return send_accumulate(context, what, pe);
        LoopbackContext alone;
        send_accumulate(alone, what, pe);
        quiet(alone);
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
        // Acquire: pairs with take_answer().
        drive_until(
            [](void* pending) {
                return static_cast<std::atomic<std::uint32_t>*>(pending)->load(
                           std::memory_order_acquire) == 0;
            },
            pending_of(context));
    }
    void drive_until(bool (*is_done)(void*), void* state) override {
        constexpr int kYields = 100;  // before the waiter sleeps
        for (int steps = 0; !is_done(state); ++steps) {
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

    struct Peer {
        EndpointInfo info;
        std::atomic<bool> is_known{false};
    };
    const EndpointInfo& peer(int pe) {
        Peer& peer = peers_[static_cast<std::size_t>(pe)];
        // Acquire: pairs with the release in read_endpoint_info().
        if (!peer.is_known.load(std::memory_order_acquire)) read_endpoint_info(peer, pe);
        return peer.info;
    }
    void read_endpoint_info(Peer& peer, int pe) {
        std::lock_guard guard(reading_info_);
        if (peer.is_known.load(std::memory_order_relaxed)) return;
        const std::vector<std::byte> bytes = setup_.endpoint_info_of(pe);
        if (bytes.size() != sizeof(EndpointInfo)) {
            fatal("PE %d uses another fabric, or another version of Tessera", pe);
        }
        std::memcpy(&peer.info, bytes.data(), sizeof(EndpointInfo));
        if (peer.info.settings_digest != setup_.settings_digest) {
            fatal("shmem_init: %s; start all PEs with the same environment",
                  setup_.difference(peer.info.setting_marks, pe).c_str());
        }
        peer.is_known.store(true, std::memory_order_release);
    }
    Message message_to(const void* address, MessageKind kind, std::size_t bytes) const {
        const SegmentOffset at = setup_.segments.offset_of(address);
        return {.offset = at.offset,
                .bytes = static_cast<std::uint32_t>(bytes),
                .kind = kind,
                .segment = static_cast<std::uint8_t>(at.segment)};
    }
    // `count`: of an Operation, or nullptr.
    using Count = std::atomic<std::uint32_t>*;
    void send_put(Context& context, void* dest, const void* source, std::size_t bytes, int pe,
                  Count count) {
        for (std::size_t at = 0; at < bytes; at += kDataBytesMax) {
            Message message = message_to(static_cast<char*>(dest) + at, MessageKind::kPut,
                                         std::min(bytes - at, kDataBytesMax));
            request(message, static_cast<const char*>(source) + at, nullptr, context, pe, count);
        }
    }
    void send_get(Context& context, void* dest, const void* source, std::size_t bytes, int pe,
                  Count count) {
        for (std::size_t at = 0; at < bytes; at += kDataBytesMax) {
            Message message = message_to(static_cast<const char*>(source) + at, MessageKind::kGet,
                                         std::min(bytes - at, kDataBytesMax));
            request(message, nullptr, static_cast<char*>(dest) + at, context, pe, count);
        }
    }
    void send_accumulate(Context& context, const Accumulation& what, int pe) {
        const std::size_t bytes = what.nelems * what.element.kernel()->bytes;
        auto* result = static_cast<char*>(what.result);
        const Count count = what.operation != nullptr ? &what.operation->local : nullptr;
        const auto kind =
            result != nullptr ? MessageKind::kGetAccumulate : MessageKind::kAccumulate;
        for (std::size_t at = 0; at < bytes; at += kDataBytesMax) {
            Message message = message_to(static_cast<char*>(what.dest) + at, kind,
                                         std::min(bytes - at, kDataBytesMax));
            message.element = what.element;
            request(message, static_cast<const char*>(what.source) + at,
                    result != nullptr ? result + at : nullptr, context, pe, count);
        }
    }
    void send_atomic(Context& context, const AtomicRequest& what, void* result, int pe,
                     Count count) {
        Message message = message_to(what.dest, MessageKind::kAtomic, what.bytes);
        message.op = what.op;
        message.operand = what.operand;
        message.condition = what.condition;
        message.element = what.element;
        request(message, nullptr, result, context, pe, count);
    }
    void request(Message& message, const void* data, void* result, Context& context, int pe,
                 Count count) {
        std::atomic<std::uint32_t>* pending = pending_of(context);
        if (count != nullptr) count->fetch_add(1, std::memory_order_relaxed);
        pending->fetch_add(1, std::memory_order_relaxed);
        auto& entry = requests_.take({result, message.bytes, pending, count});
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
            fatal_lost_peer("cannot send to PE %d: %s; did that PE die?", pe, std::strerror(error));
        }
        return error != EAGAIN;
    }

    // ---- Serving other PEs, with the reading lock ----

    void execute(const Message& message, std::size_t data_bytes, const std::byte* data) {
        const std::size_t bytes = message.bytes;
        const bool has_data =
            message.kind == MessageKind::kPut || message.kind == MessageKind::kAccumulate ||
            message.kind == MessageKind::kGetAccumulate || message.kind == MessageKind::kAnswer;
        if (bytes > kDataBytesMax || (has_data && bytes != data_bytes)) return;
        if (message.kind == MessageKind::kAnswer) return take_answer(message, data);
        char* address = setup_.segments.checked_address(message.segment, message.offset, bytes);
        if (address == nullptr) return;
        if (message.kind == MessageKind::kGet) return answer(message, address, bytes);
        if (message.kind == MessageKind::kPut) {
            store(address, data, bytes);
            answer(message, nullptr, 0);
        } else if (message.kind == MessageKind::kAccumulate ||
                   message.kind == MessageKind::kGetAccumulate) {
            execute_accumulate(message, address, data);
        } else if (message.kind == MessageKind::kAtomic && is_aligned(message, address)) {
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
    // Elements may need less alignment than words of their size: a complex float that of a float.
    static bool is_aligned(const Message& message, const char* address) {
        if (message.op != AtomicOp::kElement) return is_word(address, message.bytes);
        const ElementKernel* kernel = message.element.kernel();
        return kernel != nullptr &&
               reinterpret_cast<std::uintptr_t>(address) % kernel->alignment == 0;
    }
    bool needs_lock(const Message& message) const {
        return setup_.static_lock != nullptr &&
               static_cast<Segment>(message.segment) == Segment::kStatics;
    }
    std::uint64_t execute_atomic(const Message& message, char* address) {
        auto apply = [&] {
            if (message.op == AtomicOp::kElement) {
                return apply_element(address, message.bytes, message.element, message.operand,
                                     *setup_.element_lock);
            }
            return apply_atomic(address, message.bytes, message.op, message.operand,
                                message.condition);
        };
        if (!needs_lock(message)) return apply();
        SharedLock guard(*setup_.static_lock, "an atomic on static data");
        return apply();
    }
    void execute_accumulate(const Message& message, char* address, const std::byte* data) {
        const ElementKernel* kernel = message.element.kernel();
        if (kernel == nullptr || message.bytes % kernel->bytes != 0 ||
            reinterpret_cast<std::uintptr_t>(address) % kernel->alignment != 0) {
            return;
        }
        const bool is_get = message.kind == MessageKind::kGetAccumulate;
        alignas(16) char old[kDataBytesMax];
        apply_accumulate({.dest = address,
                          .source = data,
                          .nelems = message.bytes / kernel->bytes,
                          .element = message.element,
                          .result = is_get ? old : nullptr},
                         *setup_.element_lock, needs_lock(message) ? setup_.static_lock : nullptr);
        answer(message, old, is_get ? message.bytes : 0);
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
        // Release of both: the data is there. Pairs with the acquire in quiet(), and with
        // Operation::is_local() and is_remote().
        if (request.of_operation != nullptr) {
            request.of_operation->fetch_sub(1, std::memory_order_release);
        }
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
    std::vector<Peer> peers_;
    std::mutex reading_info_;
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
