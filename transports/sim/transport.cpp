// SPDX-License-Identifier: BSD-3-Clause
//
// The fabric between simulated nodes. The sender sends letters at once, each with a time of its
// own, and the target executes them in the order of these times. A context keeps the latest time
// for each PE; a fence makes it the earliest one for what follows. THREADS: any.
#include <sched.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "base/cancellation.hpp"
#include "base/copy.hpp"
#include "base/death_patience.hpp"
#include "base/library_thread.hpp"
#include "base/mutexes.hpp"
#include "transports/served_memory.hpp"
#include "transports/sim/letter.hpp"
#include "transports/sim/world.hpp"

namespace tessera::sim {
namespace {

using Context = TransportContext;
using Count = std::atomic<std::uint32_t>;  // counts parts that are not answered

// Long transfers travel in pieces of at most so many bytes.
constexpr std::size_t kPieceBytesMax = 4096;

// Times of arrival, by the PEs that letters have been sent to.
struct SimContext final : Context {
    explicit SimContext(const Context::Options& options) : Context(options) {}
    struct Times {
        std::uint64_t latest = 0;    // letters sent so far
        std::uint64_t earliest = 0;  // letters from now on
    };
    Count pending{0};
    ShortMutex lock;
    std::map<int, Times> times;
};

enum class Order : std::uint8_t { kAny, kBehindEarlier };

class SimTransport final : public FabricTransport {
  public:
    explicit SimTransport(FabricSetup setup) : setup_(std::move(setup)) {}
    ~SimTransport() override {
        // Pairs with transports/sim/transport.cpp:start.
        must_stop_.store(true, std::memory_order_release);
        tessera_sim_wake();
        if (progress_thread_.joinable()) progress_thread_.join();
    }

    // ---- Life of the fabric ----

    const char* name() const override { return "sim"; }
    std::string description() const override { return "the simulated network"; }
    const std::string& provider() const override { return provider_; }
    std::unique_ptr<Context> make_context(const Context::Options& options) override {
        return std::make_unique<SimContext>(options);
    }
    std::vector<std::byte> endpoint_info() const override {
        const auto bytes = std::as_bytes(std::span(&setup_.fingerprint, 1));
        return {bytes.begin(), bytes.end()};
    }
    bool runs_my_program(int /*pe*/) override { return true; }
    void start() override {
        if (!setup_.has_progress_thread) return;
        progress_thread_ = start_library_thread([this] {
            constexpr std::uint64_t kSleepNs = 100'000'000;
            if (setup_.prepare_thread != nullptr) setup_.prepare_thread();
            // Pairs with transports/sim/transport.cpp:~SimTransport.
            while (!must_stop_.load(std::memory_order_acquire)) {
                tessera_sim_wait_in_thread(kSleepNs);
                progress();
                if (setup_.background != nullptr) setup_.background();
                ::sched_yield();
            }
        });
    }
    void leave() override {}
    void wake_thread() override { tessera_sim_wake(); }

    // ---- Operations ----

    void put(Context& context, void* dest, const void* source, std::size_t bytes, int pe) override {
        put_nbi(context, dest, source, bytes, pe);
    }
    void put_nbi(Context& context, void* dest, const void* source, std::size_t bytes,
                 int pe) override {
        request(context, letter_to(dest, LetterKind::kPut), {}, {source, bytes}, pe);
    }
    void put_tracked(Context& context, void* dest, const void* source, std::size_t bytes, int pe,
                     Operation& operation) override {
        request(context, letter_to(dest, LetterKind::kPut), {.of_operation = &operation.remote},
                {source, bytes}, pe);
    }
    void get(Context& context, void* dest, const void* source, std::size_t bytes, int pe) override {
        Count pending{0};  // Waits for nothing else that is under way.
        Letter letter = letter_to(source, LetterKind::kGet);
        request(context, letter, {.result = dest, .pending = &pending}, {nullptr, bytes}, pe,
                Order::kBehindEarlier);
        wait_for(pending);
    }
    void get_nbi(Context& context, void* dest, const void* source, std::size_t bytes,
                 int pe) override {
        request(context, letter_to(source, LetterKind::kGet), {.result = dest}, {nullptr, bytes},
                pe);
    }
    void get_tracked(Context& context, void* dest, const void* source, std::size_t bytes, int pe,
                     Operation& operation) override {
        request(context, letter_to(source, LetterKind::kGet),
                {.result = dest, .of_operation = &operation.local}, {nullptr, bytes}, pe);
    }
    std::uint64_t atomic(Context& context, const AtomicRequest& what, int pe) override {
        Count pending{0};
        std::uint64_t old = 0;
        request(context, letter_to(what), {.result = &old, .pending = &pending}, {}, pe);
        wait_for(pending);
        return old;
    }
    void atomic_nbi(Context& context, const AtomicRequest& what, void* result, int pe) override {
        request(context, letter_to(what), {.result = result}, {}, pe);
    }
    void atomic_tracked(Context& context, const AtomicRequest& what, void* result, int pe,
                        Operation& operation) override {
        Count* count = result != nullptr ? &operation.local : &operation.remote;
        request(context, letter_to(what), {.result = result, .of_operation = count}, {}, pe);
    }
    void accumulate(Context& context, const Accumulation& what, int pe) override {
        Count alone{0};
        const bool waits = what.result != nullptr && what.operation == nullptr;
        Letter letter = letter_to(what.dest, LetterKind::kAccumulate);
        letter.wants_old = what.result != nullptr;
        letter.atomic.element = what.element;
        request(context, std::move(letter),
                {.result = what.result,
                 .pending = waits ? &alone : nullptr,
                 .of_operation = what.operation != nullptr ? &what.operation->local : nullptr},
                {what.source, what.nelems * what.element.kernel()->bytes}, pe);
        wait_for(alone);
    }
    void put_signal(Context& context, void* dest, const void* source, std::size_t bytes,
                    const AtomicRequest& signal, int pe) override {
        put_nbi(context, dest, source, bytes, pe);
        request(context, letter_to(signal), {}, {}, pe, Order::kBehindEarlier);
    }
    void put_signal_tracked(Context& context, void* dest, const void* source, std::size_t bytes,
                            const AtomicRequest& signal, int pe, Operation& operation) override {
        put_tracked(context, dest, source, bytes, pe, operation);
        request(context, letter_to(signal), {.of_operation = &operation.remote}, {}, pe,
                Order::kBehindEarlier);
    }
    void track_issued(Context& context, int pe, Operation& operation) override {
        const AtomicRequest nothing{.dest = const_cast<std::uint64_t*>(setup_.confirmation_word)};
        request(context, letter_to(nothing), {.of_operation = &operation.remote}, {}, pe,
                Order::kBehindEarlier);
    }
    void post_gate(const Gate& gate, std::uint32_t number, int pe) override {
        auto letter = std::make_unique<Letter>(letter_to(&gate, LetterKind::kGate));
        letter->number = number;
        send(std::move(letter), 0, pe);
    }
    void post_gate_behind(Context& context, const Gate& gate, std::uint32_t number,
                          int pe) override {
        auto letter = std::make_unique<Letter>(letter_to(&gate, LetterKind::kGate));
        letter->number = number;
        send(std::move(letter), earliest(context, pe, Order::kBehindEarlier), pe);
    }
    void fence(Context& context) override {
        auto& mine = static_cast<SimContext&>(context);
        std::lock_guard guard(mine.lock);
        for (auto& [pe, times] : mine.times) times.earliest = times.latest;
    }
    void quiet(Context& context) override { wait_for(static_cast<SimContext&>(context).pending); }
    void drive_until(bool (*is_done)(void*), void* state) override {
        constexpr std::uint64_t kSleepNs = 20'000;
        const NoCancellation no_cancellation;
        DeathPatience deaths;
        while (!is_done(state)) {
            progress();
            if (is_done(state)) return;
            deaths.look();
            tessera_sim_wait(kSleepNs);  // The thread may take the answer.
        }
    }
    void progress() override {
        check_may_wait("progress between nodes");
        const NoCancellation no_cancellation;
        std::unique_lock guard(reading_, std::try_to_lock);
        if (!guard) return;
        while (auto* received = static_cast<Letter*>(tessera_sim_receive())) {
            const std::unique_ptr<Letter> letter(received);
            execute(*letter);
        }
    }

  private:
    // ---- Sending ----

    struct Bytes {
        const void* start = nullptr;  // nullptr: none go with the request
        std::size_t count = 0;
    };

    void check_settings_of(int pe) const {
        const std::vector<std::byte> bytes = setup_.endpoint_info_of(pe);
        Fingerprint theirs;
        if (bytes.size() != sizeof theirs) fatal("PE %d uses another fabric", pe);
        std::memcpy(&theirs, bytes.data(), sizeof theirs);
        setup_.check_settings(theirs, pe);
    }
    Letter letter_to(const void* address, LetterKind kind) const {
        const SegmentOffset at = setup_.segments.offset_of(address);
        return {.kind = kind,
                .source = setup_.pe,
                .segment = static_cast<std::size_t>(at.segment),
                .offset = at.offset};
    }
    Letter letter_to(const AtomicRequest& what) const {
        Letter letter = letter_to(what.dest, LetterKind::kAtomic);
        letter.atomic = what;
        return letter;
    }
    std::uint64_t earliest(Context& context, int pe, Order order) const {
        auto& mine = static_cast<SimContext&>(context);
        std::unique_lock guard(mine.lock);
        auto known = mine.times.find(pe);
        if (known == mine.times.end()) {
            guard.unlock();
            check_settings_of(pe);
            guard.lock();
            known = mine.times.try_emplace(pe).first;
        }
        return order == Order::kAny ? known->second.earliest : known->second.latest;
    }
    static void note_arrival(Context& context, int pe, std::uint64_t arrival) {
        auto& mine = static_cast<SimContext&>(context);
        std::lock_guard guard(mine.lock);
        std::uint64_t& latest = mine.times[pe].latest;
        latest = std::max(latest, arrival);
    }
    // Sends the request, in pieces, each of which is answered. `what.pending`: nullptr for the
    // context's.
    void request(Context& context, Letter letter, Request what, Bytes bytes, int pe,
                 Order order = Order::kAny) {
        if (what.pending == nullptr) what.pending = &static_cast<SimContext&>(context).pending;
        const bool is_word = letter.kind == LetterKind::kAtomic;
        const auto* from = static_cast<const std::byte*>(bytes.start);
        std::size_t rest = is_word ? letter.atomic.bytes : bytes.count;
        const std::uint64_t not_before = earliest(context, pe, order);
        while (rest > 0) {
            const std::size_t piece = std::min(rest, kPieceBytesMax);
            auto copy = std::make_unique<Letter>(letter);
            copy->request = new Request(what);
            copy->bytes = piece;
            if (from != nullptr) copy->data.assign(from, from + piece);
            for (Count* count : {what.pending, what.of_operation}) {
                if (count != nullptr) count->fetch_add(1, std::memory_order_relaxed);
            }
            note_arrival(context, pe, send(std::move(copy), not_before, pe));
            letter.offset += piece;
            if (from != nullptr) from += piece;
            if (what.result != nullptr) what.result = static_cast<std::byte*>(what.result) + piece;
            rest -= piece;
        }
    }
    // RETURNS: when it arrives.
    std::uint64_t send(std::unique_ptr<Letter> letter, std::uint64_t not_before, int pe) {
        const NoCancellation no_cancellation;
        DeathPatience deaths;
        const std::size_t bytes = sizeof(Letter) + letter->data.size();
        for (;;) {
            const std::uint64_t arrival =
                tessera_sim_send(pe, letter.get(), bytes, not_before, false);
            if (arrival != 0) {
                static_cast<void>(letter.release());
                return arrival;
            }
            progress();
            deaths.look();
            ::sched_yield();
        }
    }
    // Pairs with transports/sim/transport.cpp:take_answer.
    void wait_for(Count& pending) {
        drive_until(
            [](void* count) {
                return static_cast<Count*>(count)->load(std::memory_order_acquire) == 0;
            },
            &pending);
    }

    // ---- Serving other PEs, with the reading lock ----

    void execute(const Letter& letter) {
        const ServedMemory::Target target{letter.segment, letter.offset};
        switch (letter.kind) {
            case LetterKind::kAnswer: return take_answer(letter);
            case LetterKind::kGet: {
                const char* source = address_of(target, letter.bytes);
                if (source != nullptr) answer(letter, source, letter.bytes);
                return;
            }
            case LetterKind::kPut: execute_put(letter, target); break;
            case LetterKind::kAtomic: {
                const std::uint64_t old = memory_.atomic(target, letter.atomic);
                answer(letter, &old, letter.atomic.bytes);
                break;
            }
            case LetterKind::kAccumulate: execute_accumulate(letter, target); break;
            case LetterKind::kGate: memory_.post_gate(target, letter.number); break;
        }
        // The handler's stores come before its look whether this PE sleeps.
        // Pairs with base/wait.cpp:sleep_unless.
        std::atomic_thread_fence(std::memory_order_seq_cst);
        memory_.wake_program();
    }
    char* address_of(ServedMemory::Target target, std::size_t bytes) const {
        return setup_.segments.checked_address(target.segment, target.offset, bytes);
    }
    void execute_put(const Letter& letter, ServedMemory::Target target) {
        char* dest = address_of(target, letter.data.size());
        if (dest == nullptr) return;
        // A word is stored whole and once: the program may wait for it and overwrite it.
        copy_bytes(dest, letter.data.data(), letter.data.size());
        if (letter.data.size() > sizeof(std::uint64_t) && tessera_sim_random(8) == 0) {
            ::sched_yield();
            copy_bytes(dest, letter.data.data(), letter.data.size());
        }
        answer(letter, nullptr, 0);
    }
    void execute_accumulate(const Letter& letter, ServedMemory::Target target) {
        const ElementKernel* kernel = letter.atomic.element.kernel();
        if (kernel == nullptr) return;
        std::vector<char> old(letter.wants_old ? letter.data.size() : 0);
        const bool is_done =
            memory_.accumulate(target, {.source = letter.data.data(),
                                        .nelems = letter.data.size() / kernel->bytes,
                                        .element = letter.atomic.element,
                                        .result = letter.wants_old ? old.data() : nullptr});
        if (is_done) answer(letter, old.data(), old.size());
    }
    void answer(const Letter& letter, const void* data, std::size_t bytes) const {
        const auto* first = static_cast<const std::byte*>(data);
        auto reply = std::make_unique<Letter>(Letter{.kind = LetterKind::kAnswer,
                                                     .source = setup_.pe,
                                                     .request = letter.request,
                                                     .data = {first, first + bytes}});
        tessera_sim_send(letter.source, reply.release(), sizeof(Letter) + bytes, 0, true);
    }
    static void take_answer(const Letter& letter) {
        const std::unique_ptr<Request> request(letter.request);
        if (request->result != nullptr)
            std::memcpy(request->result, letter.data.data(), letter.data.size());
        // The data is there. Pairs with transports/sim/transport.cpp:wait_for,
        // transports/operation.hpp:is_local and transports/operation.hpp:is_remote.
        for (Count* count : {request->of_operation, request->pending}) {
            if (count != nullptr) count->fetch_sub(1, std::memory_order_release);
        }
    }

    const FabricSetup setup_;
    const ServedMemory memory_{setup_};
    const std::string provider_ = "sim";
    // Both fabrics of a PE take letters from one box, and execute them in their order.
    inline static constinit ShortMutex reading_;
    std::atomic<bool> must_stop_{false};
    std::thread progress_thread_;
};

}  // namespace

extern const FabricEntry kFabric;
constexpr FabricEntry kFabric = {.name = "sim",
                                 .probe = [](const FabricSetup&) { return true; },
                                 .make = [](FabricSetup setup) -> std::unique_ptr<FabricTransport> {
                                     return std::make_unique<SimTransport>(std::move(setup));
                                 },
                                 .look = [](const FabricSetup& setup) -> FabricOutlook {
                                     return {.text = "the simulated network",
                                             .address = setup.address};
                                 }};

}  // namespace tessera::sim

// The PEs of a node reach registered segments by a fabric of this name.
namespace tessera::loopback {
extern const FabricEntry kFabric;
constexpr FabricEntry kFabric = {.name = "loopback",
                                 .probe = sim::kFabric.probe,
                                 .make = sim::kFabric.make,
                                 .look = sim::kFabric.look};
}  // namespace tessera::loopback
