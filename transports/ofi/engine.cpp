// SPDX-License-Identifier: BSD-3-Clause
//
// See engine.hpp: the queue, the thread, and what is sent. The execution of messages is in
// execute.cpp.
#include "transports/ofi/engine.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <time.h>

#include <algorithm>
#include <cstring>

#include "base/clock.hpp"
#include "base/fatal.hpp"

namespace tessera::ofi {
namespace {

constexpr int kReceives = 64;
constexpr std::size_t kEntriesAtOnce = 16;
constexpr std::uint32_t kPollsWithCoreEach = 5'000;  // some ms: a large transfer ends within
constexpr std::uint32_t kPollsOversubscribed = 2;
constexpr std::uint32_t kYields = 100;
constexpr std::uint32_t kPacketsInFlightMax = 16;  // per slot: 64 KiB
constexpr int kThreadSleepMs = 100;
// While the program reads the queue the thread naps. A nap is not longer than about half of the
// time that this has gone on: when the program stops, others wait for the thread. Nor shorter than
// that: naps of 0.8 ms on a sender's core take 15 % off its long puts, naps of 6 ms nothing.
constexpr long kStepBackNanoseconds = 100'000;
constexpr int kStepBackDoublingsMax = 6;
// The program has read the queue so lately: the thread is not needed. A waiting PE that naps reads
// it once a millisecond.
constexpr std::uint64_t kPolledNanoseconds = 60'000;
// After a sleep the thread polls for so long: less if it was woken by something that came alone,
// for that time is the program's.
constexpr std::uint64_t kLingerNanoseconds = 50'000;
constexpr std::uint64_t kLingerAloneNanoseconds = 10'000;
constexpr std::uint64_t kBetweenPollsNanoseconds = 4'000;
constexpr std::uint64_t kAnswerNanoseconds = 1'000;  // who waits for us takes longer than that
constexpr std::uint64_t kShortReadNanoseconds = 10'000;
constexpr int kCallsOfStream = 6;
constexpr int kStreamNaps = 16;
constexpr long kStreamNapNanoseconds = 20'000;

void nap(long nanoseconds) {
    const timespec pause{.tv_sec = 0, .tv_nsec = nanoseconds};
    ::nanosleep(&pause, nullptr);
}

std::uint64_t now_ms() {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1000 +
           static_cast<std::uint64_t>(time.tv_nsec) / 1'000'000;
}

std::uint64_t random_key() {
    std::uint64_t key = 0;
    if (::getrandom(&key, sizeof key, 0) != static_cast<ssize_t>(sizeof key)) {
        fatal("shmem_init: the system has no random numbers to protect the PEs' memory with");
    }
    return key;
}

Hints hints_of(const FabricSetup& setup) {
    return {.provider = setup.provider,
            .fabric = setup.fabric,
            .domain = setup.domain,
            .interface = setup.interface,
            .address = setup.address,
            .atomics = setup.provider_atomics,
            .sleeps = setup.has_progress_thread,
            .members_only = setup.members_only,
            .local_index = setup.place_on_host};
}

}  // namespace

Engine::Engine(const FabricSetup& setup)
    : setup_(setup), fabric_(hints_of(setup)), peers_(setup, endpoint_info_, fabric_) {
    describe_myself();
}

Engine::~Engine() {
    leave();
    must_stop_.store(true, std::memory_order_release);
    fabric_.wake();
    if (thread_.joinable()) thread_.join();
}

const FabricMemory& Engine::memory_of(std::size_t segment) const {
    switch (static_cast<Segment>(segment)) {
        case Segment::kHeap: return setup_.heap;
        case Segment::kStatics: return setup_.statics;
        case Segment::kInternal: break;
    }
    return setup_.internal;
}

void Engine::describe_myself() {
    endpoint_info_.settings_digest = setup_.settings_digest;
    endpoint_info_.setting_marks = setup_.setting_marks;
    endpoint_info_.program_digest = setup_.program_digest;
    endpoint_info_.message_key = random_key();
    endpoint_info_.admission_key = fabric_.admission_key();
    capabilities().provider.copy(endpoint_info_.provider, sizeof endpoint_info_.provider - 1);
    for (std::size_t i = 0; i < kSegments; ++i) {
        const FabricMemory& memory = memory_of(i);
        if (memory.bytes == 0) continue;
        regions_[i] = fabric_.register_memory(memory.start, memory.bytes);
        endpoint_info_.keys[i] = regions_[i].key;
        endpoint_info_.bases[i] = regions_[i].remote_base;
    }
    const std::vector<std::byte> address = fabric_.address();
    if (address.size() > EndpointInfo::kAddressBytesMax) {
        fatal("shmem_init: addresses of the provider %s have %zu bytes; at most %zu are expected",
              capabilities().provider.c_str(), address.size(), EndpointInfo::kAddressBytesMax);
    }
    endpoint_info_.address_bytes = static_cast<std::uint32_t>(address.size());
    std::memcpy(endpoint_info_.address, address.data(), address.size());
}

void Engine::start() {
    for (int i = 0; i < kReceives; ++i) {
        receives_.push_back(std::make_unique<Receive>());
        post_receive(*receives_.back());
    }
    pinged_at_ms_ = now_ms();
    if (!setup_.has_progress_thread) return;
    // The program's signals are not for this thread.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run_thread(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Sleeps when there is nothing to do, and steps back while the program polls: two readers would
// only take the lock and the core from each other.
void Engine::run_thread() {
    ::pthread_setname_np(::pthread_self(), "tessera");
    ::prctl(PR_SET_TIMERSLACK, 1000);  // Naps are short.
    std::uint64_t woken_at = 0;
    std::uint64_t linger = kLingerAloneNanoseconds;
    std::uint32_t posts_seen = 0;
    int steps_back = 0;
    int idle = 0;   // rounds in which nothing was found
    int calls = 0;  // in a row, for little, though it had just read: see pause_between_polls()
    while (!must_stop_.load(std::memory_order_acquire)) {
        watch_peers();
        const std::uint64_t start = now_ns();
        const bool is_polled =
            start - polled_at_ns_.load(std::memory_order_relaxed) < kPolledNanoseconds;
        // It hands something over, which for long vectors takes longer than that.
        const std::uint32_t posts = posts_.load(std::memory_order_relaxed);
        const bool is_posting = posts != posts_seen;
        posts_seen = posts;
        bool found = false;
        if (is_polled || is_posting || !try_read_queue(found)) {
            nap(kStepBackNanoseconds << std::min(steps_back++ / 2, kStepBackDoublingsMax));
            continue;
        }
        steps_back = 0;
        idle = found ? 0 : idle + 1;
        if (found) {
            calls = 0;
            continue;
        }
        const std::uint64_t before = now_ns();
        if (before - start > kShortReadNanoseconds) calls = 0;
        if (before - woken_at < linger) {  // Else each sender would have to wake us.
            pause_between_polls(calls);
            continue;
        }
        wait_for_events(kThreadSleepMs, idle);
        posts_seen += kPostsPerPoll;  // These were its own.
        woken_at = now_ns();
        const std::uint64_t slept = woken_at - before;
        linger = slept < kLingerNanoseconds ? kLingerNanoseconds : kLingerAloneNanoseconds;
    }
}

// Who asks and waits for an answer sends after some us. Who sends short messages all the time is
// slowed down by a reader that keeps up, so it is left alone for a while: `calls` counts how often
// there was something again at once, and then the naps.
void Engine::pause_between_polls(int& calls) {
    if (calls >= kCallsOfStream) {
        nap(kStreamNapNanoseconds);
        if (++calls == kCallsOfStream + kStreamNaps) calls = 0;
        return;
    }
    const std::uint64_t before = now_ns();
    while (now_ns() - before < kAnswerNanoseconds) cpu_pause();
    calls = fabric_.is_called() ? calls + 1 : 0;
    if (calls > 0) return;
    while (now_ns() - before < kBetweenPollsNanoseconds) cpu_pause();
}

void Engine::watch_peers() {
    if (setup_.timeout_s == 0 || is_leaving_.load(std::memory_order_relaxed)) return;
    const std::uint64_t interval_ms = std::uint64_t{setup_.timeout_s} * 500;
    const std::uint64_t now = now_ms();
    if (now - pinged_at_ms_ < interval_ms) return;
    {
        std::lock_guard guard(pings_lock_);
        if (!unanswered_pings_.empty()) {
            fatal_lost_peer(
                "PE %d, on another node, has not answered for %u s: its host, or the network "
                "between, may be down (SHMEM_NETWORK_TIMEOUT=%u sets the limit, 0 waits for ever)",
                unanswered_pings_.front(), setup_.timeout_s, setup_.timeout_s);
        }
        unanswered_pings_ = peers_.known();
    }
    pinged_at_ms_ = now;
    for (int pe : peers_.known()) {
        Header ping{.key = peers_[pe].message_key, .source = setup_.pe, .kind = MessageKind::kPing};
        // What cannot be sent remains unanswered: that is silence as well.
        static_cast<void>(send_copy(&ping, sizeof ping, pe));
    }
}

bool Engine::try_read_queue(bool& found) {
    if (queue_lock_.test_and_set(std::memory_order_acquire)) return false;
    found = read_queue();
    queue_lock_.clear(std::memory_order_release);
    return true;
}

bool Engine::progress() {
    polled_at_ns_.store(now_ns(), std::memory_order_relaxed);
    bool found = false;
    return !try_read_queue(found) || found;
}

void Engine::wait_for_events(int timeout_ms, int idle) {
    static_cast<void>(posts_.load(std::memory_order_acquire));  // Pairs with post().
    const bool is_stuck = fabric_.wait_for_events(timeout_ms, idle);
    // Release: the provider may have moved data; pairs with whoever reads the queue next.
    posts_.fetch_add(kPostsPerPoll, std::memory_order_release);
    if (!is_stuck) return;
    while (queue_lock_.test_and_set(std::memory_order_acquire)) ::sched_yield();
    if (const std::optional<fi_cq_msg_entry> entry = fabric_.reset_descriptor()) complete(*entry);
    posts_.fetch_add(kPostsPerPoll, std::memory_order_release);  // As above.
    queue_lock_.clear(std::memory_order_release);
}

void Engine::Patience::step() {
    const bool is_oversubscribed = engine_.setup_.is_oversubscribed;
    const std::uint32_t polls = is_oversubscribed ? kPollsOversubscribed : kPollsWithCoreEach;
    if (engine_.progress()) {
        // As long as something comes nobody sleeps, but others may need the core to go on.
        steps_ = is_oversubscribed ? std::min(steps_, polls) : 0;
    } else if (++steps_ < polls) {
        cpu_pause();
    }
    if (steps_ < polls) return;
    ::sched_yield();
    if (steps_ >= polls + kYields) engine_.wait_for_events(1, 0);
}

bool Engine::read_queue() {
    static_cast<void>(posts_.load(std::memory_order_acquire));  // Pairs with post().
    fi_cq_msg_entry entries[kEntriesAtOnce];
    const ssize_t count = fi_cq_read(fabric_.queue(), entries, kEntriesAtOnce);
    if (count == -FI_EAVAIL) read_error();
    for (ssize_t i = 0; i < count; ++i) complete(entries[i]);
    if (!answers_.empty() || !packets_.empty() || !unposted_.empty()) [[unlikely]]
        send_postponed();
    return count > 0;
}

void Engine::complete(const fi_cq_msg_entry& entry) {
    auto* completion = static_cast<Completion*>(entry.op_context);
    if (completion == nullptr) return;
    switch (completion->kind) {
        case Completion::Kind::kCount:
            static_cast<Counter*>(completion)->pending.fetch_sub(1, std::memory_order_release);
            break;
        case Completion::Kind::kPacket: put_back(static_cast<Packet*>(completion)); break;
        case Completion::Kind::kReceive: receive(*static_cast<Receive*>(completion), entry.len);
    }
}

void Engine::read_error() {
    fi_cq_err_entry error{};
    if (fi_cq_readerr(fabric_.queue(), &error, 0) < 0) return;
    auto* completion = static_cast<Completion*>(error.op_context);
    if (completion != nullptr && completion->kind == Completion::Kind::kReceive) {
        // Too long for any message of ours: junk.
        if (!is_leaving_.load(std::memory_order_relaxed)) {
            post_receive(*static_cast<Receive*>(completion));
        }
        return;
    }
    if (is_leaving_.load(std::memory_order_relaxed)) return;
    char text[128] = "";
    const char* detail =
        fi_cq_strerror(fabric_.queue(), error.prov_errno, error.err_data, text, sizeof text);
    fatal_lost_peer(
        "a transfer to or from another node failed: %s (%s); did a PE or a host die, or the "
        "network go down?",
        error_text(error.err), detail != nullptr ? detail : "no detail");
}

void Engine::post_again(ssize_t (*call)(void*), void* state, ssize_t result, int pe) {
    for (Patience patience(*this); result == -FI_EAGAIN; result = call(state)) patience.step();
    if (result != 0) fail_post(result, pe);
}

void Engine::fail_post(ssize_t result, int pe) const {
    fatal_lost_peer("cannot send to PE %d on another node: %s; did that PE or its host die?", pe,
                    error_text(result));
}

ssize_t Engine::send_copy(const void* message, std::size_t bytes, int pe) {
    const fi_addr_t address = peers_[pe].address;
    if (bytes <= capabilities().inject_message_bytes) {
        return fi_inject(fabric_.endpoint(), message, bytes, address);
    }
    PacketSlot none;
    Packet* packet = take_packet(pe, none);
    std::memcpy(packet->bytes, message, bytes);
    const ssize_t result =
        fi_send(fabric_.endpoint(), packet->bytes, bytes, nullptr, address, packet);
    if (result != 0) put_back(packet);
    return result;
}

void Engine::send_small(Header& header, std::size_t bytes, int pe) {
    header.key = peers_[pe].message_key;
    header.source = setup_.pe;
    post([&] { return send_copy(&header, bytes, pe); }, pe);
}

Packet* Engine::take_packet(int pe, PacketSlot& slot) {
    Packet* packet = nullptr;
    {
        std::lock_guard guard(pool_lock_);
        if (free_packets_.empty()) {
            all_packets_.push_back(std::make_unique<Packet>());
            free_packets_.push_back(all_packets_.back().get());
        }
        packet = free_packets_.back();
        free_packets_.pop_back();
    }
    packet->pe = pe;
    packet->size = sizeof(Header);
    packet->header() = {.key = peers_[pe].message_key,
                        .source = setup_.pe,
                        .kind = MessageKind::kUpdates,
                        .token = reinterpret_cast<std::uintptr_t>(&slot)};
    return packet;
}

void Engine::put_back(Packet* packet) {
    std::lock_guard guard(pool_lock_);
    free_packets_.push_back(packet);
}

PendingFetch* Engine::take_fetch() {
    std::lock_guard guard(pool_lock_);
    if (free_fetches_.empty()) {
        all_fetches_.push_back(std::make_unique<PendingFetch>());
        free_fetches_.push_back(all_fetches_.back().get());
    }
    PendingFetch* fetch = free_fetches_.back();
    free_fetches_.pop_back();
    fetch->is_pooled = true;
    return fetch;
}

void Engine::put_back(PendingFetch* fetch) {
    std::lock_guard guard(pool_lock_);
    free_fetches_.push_back(fetch);
}

void Engine::send_packet(Packet* packet, PacketSlot& slot) {
    wait([&] { return slot.in_flight.load(std::memory_order_relaxed) < kPacketsInFlightMax; });
    wait([&] { return slot.is_all_sent(); });  // What came before goes before.
    slot.in_flight.fetch_add(1, std::memory_order_seq_cst);
    post([&] { return post_packet(*packet); }, packet->pe);
}

ssize_t Engine::post_packet(Packet& packet) {
    const fi_addr_t address = peers_[packet.pe].address;
    if (packet.size > capabilities().inject_message_bytes) {
        return fi_send(fabric_.endpoint(), packet.bytes, packet.size, nullptr, address,
                       static_cast<Completion*>(&packet));
    }
    const ssize_t result = fi_inject(fabric_.endpoint(), packet.bytes, packet.size, address);
    if (result == 0) put_back(&packet);
    return result;
}

}  // namespace tessera::ofi
