// SPDX-License-Identifier: BSD-3-Clause
//
// See fabric_promises.hpp. Each check uses two endpoints of one process. Where a promise is about
// two operations of which the second one may overtake the first, a thread of the target looks at
// the memory while another one makes its progress.
#include "tools/osh_info/fabric_promises.hpp"

#include <rdma/fi_atomic.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

namespace tessera::osh_info {
namespace {

using ofi::Capabilities;
using ofi::FabricPair;
using ofi::PairSide;
using ofi::ProviderError;

constexpr auto kRaceTime = std::chrono::milliseconds(500);  // for each check that looks for one
constexpr auto kRefusalTime = std::chrono::seconds(3);
constexpr std::size_t kWordAt = PairSide::kBytes - 64;  // flags and words; data lies below

template <class... Values>
std::string text(const char* format, Values... values) {
    char line[256];
    std::snprintf(line, sizeof line, format, values...);
    return line;
}

std::vector<unsigned char> pattern(std::size_t bytes, unsigned seed) {
    std::vector<unsigned char> result(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
        result[i] = static_cast<unsigned char>(i * 131 + i / 251 + seed);
    return result;
}

// Whether all bytes have this value; the target may be storing to them.
bool all_are(const unsigned char* from, std::size_t bytes, unsigned char value) {
    const volatile unsigned char* const at = from;
    for (std::size_t i = 0; i < bytes; ++i) {
        if (at[i] != value) return false;
    }
    return true;
}

// A thread that does something again and again. An error of the provider comes back by stop().
class Loop {
  public:
    template <class Body>
    explicit Loop(Body body)
        : thread_([this, body] {
              try {
                  while (!is_over_.load(std::memory_order_relaxed)) body();
              } catch (const ProviderError& error) {
                  error_ = error.what();
              }
          }) {}
    ~Loop() { end(); }
    void stop() {
        end();
        if (!error_.empty()) throw ProviderError(error_);
    }

  private:
    void end() {
        is_over_.store(true, std::memory_order_relaxed);
        if (thread_.joinable()) thread_.join();
    }
    std::atomic<bool> is_over_{false};
    std::string error_;
    std::thread thread_;
};

template <class Round>
int rounds_in_time(Round round) {
    int rounds = 0;
    const auto end = std::chrono::steady_clock::now() + kRaceTime;
    while (std::chrono::steady_clock::now() < end && round(++rounds)) {
    }
    return rounds;
}

// ---- The checks ----

Seen moves_data(FabricPair& pair) {
    unsigned seed = 0;
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{8}, std::size_t{4097}, kWordAt}) {
        const auto source = pattern(bytes, ++seed);
        pair.run([&](int* done) { return pair.start_write(source.data(), bytes, 0, done); });
        std::vector<unsigned char> back(bytes);
        // Without order of the two the write may still be under way.
        for (int tries = 0; tries < 1000 && back != source; ++tries)
            pair.read(back.data(), bytes, 0);
        if (back != source) return {text("%zu bytes came back as others", bytes), ""};
    }
    return {"", "1 B to 1 MiB"};
}

Seen tells_delivery(FabricPair& pair) {
    unsigned seed = 0;
    for (std::size_t bytes = 1; bytes < kWordAt; bytes *= 2) {
        const auto source = pattern(bytes, ++seed);
        pair.write_delivered(source.data(), bytes, 0);
        // The target's queue is not read in between.
        if (std::memcmp(pair.there.memory.data(), source.data(), bytes) != 0)
            return {text("%zu bytes were told delivered, and had not arrived", bytes), ""};
    }
    return {"", "1 B to 512 KiB"};
}

Seen moves_vectors(FabricPair& pair) {
    constexpr std::size_t kPiece = 24;
    constexpr std::size_t kStride = 1000;
    const Capabilities& facts = pair.here.fabric.capabilities();
    const std::size_t pieces = std::min(facts.iov_max, facts.rma_iov_max);
    const auto source = pattern(pieces * kPiece * 2, 7);
    iovec local[ofi::kPiecesMax];
    fi_rma_iov remote[ofi::kPiecesMax];
    for (std::size_t i = 0; i < pieces; ++i) {
        local[i] = {.iov_base = const_cast<unsigned char*>(source.data()) + 2 * i * kPiece,
                    .iov_len = kPiece};
        remote[i] = {.addr = pair.there.region.remote_base + kStride * i,
                     .len = kPiece,
                     .key = pair.there.region.key};
    }
    fi_msg_rma message{};
    message.msg_iov = local;
    message.iov_count = pieces;
    message.addr = pair.here.other;
    message.rma_iov = remote;
    message.rma_iov_count = pieces;
    pair.run([&](int* done) {
        return pair.here.fabric.start(done, [&](void* context) {
            message.context = context;
            return fi_writemsg(pair.here.fabric.endpoint(), &message, FI_COMPLETION);
        });
    });
    std::vector<unsigned char> back(kStride * pieces);
    for (int tries = 0; tries < 1000; ++tries) {
        pair.read(back.data(), back.size(), 0);
        const auto is_there = [&](std::size_t i) {
            return std::memcmp(back.data() + kStride * i, local[i].iov_base, kPiece) == 0;
        };
        std::size_t arrived = 0;
        for (std::size_t i = 0; i < pieces; ++i) arrived += is_there(i) ? 1 : 0;
        if (arrived == pieces) return {"", text("%zu pieces", pieces)};
    }
    return {"pieces did not arrive where they should", ""};
}

Seen orders_get_behind_put(FabricPair& pair) {
    const std::size_t limit =
        std::min({pair.here.fabric.capabilities().inject_write_bytes, kWordAt, std::size_t{4096}});
    unsigned broken = 0;
    const int rounds = rounds_in_time([&](int round) {
        const std::size_t bytes =
            1 + static_cast<std::size_t>(round) % std::max<std::size_t>(limit, 8);
        const auto source = pattern(bytes, static_cast<unsigned>(round));
        int written = 0;
        pair.post([&] { return pair.start_write(source.data(), bytes, 0, &written); });
        std::vector<unsigned char> back(bytes);
        pair.read(back.data(), bytes, 0);
        if (back != source) ++broken;
        while (written == 0) pair.progress();
        return true;
    });
    if (broken != 0)
        return {text("%u of %d reads passed the write before them", broken, rounds), ""};
    return {"", text("%d pairs", rounds)};
}

// Blocks of one byte's value, and behind each a word with its number, which the target awaits.
Seen orders_puts(FabricPair& pair) {
    const std::size_t ordered = pair.here.fabric.capabilities().ordered_write_bytes;
    const std::size_t limit = std::clamp<std::size_t>(ordered, 8, std::size_t{64} << 10);
    unsigned char* const memory = pair.there.memory.data();
    const auto flag =
        std::atomic_ref(*reinterpret_cast<std::uint64_t*>(pair.there.memory.data() + kWordAt));
    Loop target([&] { pair.there.progress(); });
    unsigned broken = 0;
    std::vector<unsigned char> source(limit);
    const int rounds = rounds_in_time([&](int round) {
        const std::size_t bytes = std::size_t{1} << (static_cast<unsigned>(round) % 17);
        const std::size_t length = std::min(bytes, limit);
        const auto value = static_cast<unsigned char>(round);
        std::fill_n(source.begin(), length, value);
        const auto number = static_cast<std::uint64_t>(round);
        int done = 0;
        const auto write = [&](const void* from, std::size_t count, std::size_t at) {
            FabricPair::post([&] { return pair.start_write(from, count, at, &done); },
                             [&] { pair.here.progress(); });
        };
        write(source.data(), length, 0);
        write(&number, sizeof number, kWordAt);
        // The provider stores the flag, behind the block if it keeps its promise. Acquire, because
        // all_are() must not load the block before.
        while (flag.load(std::memory_order_acquire) != number) pair.here.progress();
        if (!all_are(memory, length, value)) ++broken;
        while (done < 2) pair.here.progress();
        return true;
    });
    target.stop();
    if (broken != 0)
        return {text("%u of %d words passed the block before them", broken, rounds), ""};
    return {"", text("%d pairs of up to %zu B", rounds, limit)};
}

Seen orders_message_behind_put(FabricPair& pair) {
    unsigned broken = 0;
    const int rounds = rounds_in_time([&](int round) {
        const std::size_t bytes = std::size_t{1} << (static_cast<unsigned>(round) % 17);
        const auto source = pattern(bytes, static_cast<unsigned>(round));
        unsigned char message[64] = {};
        int written = 0;
        int received = 0;
        int sent = 0;
        pair.post([&] { return pair.start_receive(message, sizeof message, &received); });
        pair.post([&] { return pair.start_write(source.data(), bytes, 0, &written); });
        pair.post([&] { return pair.start_send("done", 4, &sent); });
        while (received == 0) pair.progress();
        if (std::memcmp(pair.there.memory.data(), source.data(), bytes) != 0) ++broken;
        while (written == 0 || sent == 0) pair.progress();
        return true;
    });
    if (broken != 0)
        return {text("%u of %d messages passed the write before them", broken, rounds), ""};
    return {"", text("%d pairs", rounds)};
}

Seen orders_messages(FabricPair& pair) {
    constexpr int kAtOnce = 8;
    unsigned broken = 0;
    const int rounds = rounds_in_time([&](int round) {
        int numbers[kAtOnce];
        int received[kAtOnce] = {};
        int counts[kAtOnce] = {};
        int sent = 0;
        for (int i = 0; i < kAtOnce; ++i) {
            numbers[i] = round * kAtOnce + i;
            pair.post(
                [&] { return pair.start_receive(&received[i], sizeof received[i], &counts[i]); });
        }
        for (int& number : numbers)
            pair.post([&] { return pair.start_send(&number, sizeof number, &sent); });
        while (sent < kAtOnce || std::accumulate(std::begin(counts), std::end(counts), 0) < kAtOnce)
            pair.progress();
        if (!std::equal(std::begin(numbers), std::end(numbers), std::begin(received))) ++broken;
        return true;
    });
    if (broken != 0)
        return {text("%u of %d rows of messages changed their order", broken, rounds), ""};
    return {"", text("%d rows of %d", rounds, kAtOnce)};
}

// The target takes each word away as soon as it sees it. A word that comes again was stored twice.
template <class Word>
Seen stores_once(FabricPair& pair) {
    const auto word = std::atomic_ref(*reinterpret_cast<Word*>(pair.there.memory.data() + kWordAt));
    constexpr auto kValue = static_cast<Word>(0x5a5a5a5a5a5a5a5a);
    std::atomic<unsigned> seen{0};
    std::atomic<unsigned> torn{0};
    word.store(0, std::memory_order_relaxed);
    Loop target([&] { pair.there.progress(); });
    Loop observer([&] {
        if (word.load(std::memory_order_relaxed) == 0) return;
        const Word value = word.exchange(0, std::memory_order_relaxed);
        if (value != 0 && value != kValue) torn.fetch_add(1, std::memory_order_relaxed);
        if (value != 0) seen.fetch_add(1, std::memory_order_relaxed);
    });
    const int rounds = rounds_in_time([&](int) {
        const unsigned before = seen.load(std::memory_order_relaxed);
        int done = 0;
        FabricPair::post([&] { return pair.start_write(&kValue, sizeof kValue, kWordAt, &done); },
                         [&] { pair.here.progress(); });
        while (done == 0 || seen.load(std::memory_order_relaxed) == before) pair.here.progress();
        return true;
    });
    observer.stop();
    target.stop();
    const unsigned extra = seen.load(std::memory_order_relaxed) +
                           (word.load(std::memory_order_relaxed) != 0 ? 1 : 0) -
                           static_cast<unsigned>(rounds);
    const unsigned parts = torn.load(std::memory_order_relaxed);
    if (parts != 0)
        return {text("%u of %d words of %zu B arrived in parts", parts, rounds, sizeof(Word)), ""};
    if (extra != 0)
        return {text("%u of %d words of %zu B were stored twice", extra, rounds, sizeof(Word)), ""};
    return {"", text("%d words of %zu B", rounds, sizeof(Word))};
}

Seen stores_words_once(FabricPair& pair) {
    for (const auto& check : {stores_once<std::uint64_t>, stores_once<std::uint32_t>,
                              stores_once<std::uint16_t>, stores_once<std::uint8_t>}) {
        Seen seen = check(pair);
        if (!seen.broken.empty()) return seen;
    }
    return {"", "words of 8, 4, 2 and 1 B"};
}

// `others(word)` also adds 1 and counts that, at the same time.
template <class Others>
Seen count_together(FabricPair& pair, Others others) {
    const auto word =
        std::atomic_ref(*reinterpret_cast<std::uint64_t*>(pair.there.memory.data() + kWordAt));
    word.store(0, std::memory_order_relaxed);
    std::uint64_t theirs = 0;
    std::uint64_t one = 1;
    std::uint64_t old = 0;
    Loop target([&] { pair.there.progress(); });
    Loop other([&] { theirs += others(word); });
    const int rounds = rounds_in_time([&](int) {
        int done = 0;
        FabricPair::post(
            [&] {
                return pair.here.fabric.start(&done, [&](void* context) {
                    return fi_fetch_atomic(pair.here.fabric.endpoint(), &one, 1, nullptr, &old,
                                           nullptr, pair.here.other,
                                           pair.there.region.remote_base + kWordAt,
                                           pair.there.region.key, FI_UINT64, FI_SUM, context);
                });
            },
            [&] { pair.here.progress(); });
        while (done == 0) pair.here.progress();
        return true;
    });
    other.stop();
    target.stop();
    const std::uint64_t wanted = theirs + static_cast<std::uint64_t>(rounds);
    if (word.load(std::memory_order_relaxed) == wanted) return {"", text("%d additions", rounds)};
    return {text("of %llu additions %llu were lost", static_cast<unsigned long long>(wanted),
                 static_cast<unsigned long long>(wanted - word.load(std::memory_order_relaxed))),
            ""};
}

Seen adds(FabricPair& pair) {
    return count_together(pair, [](auto) { return std::uint64_t{0}; });
}
Seen adds_with_cpu(FabricPair& pair) {
    return count_together(pair, [](auto word) {
        word.fetch_add(1, std::memory_order_relaxed);
        return std::uint64_t{1};
    });
}

// An access behind the end of the region, and one with another key.
Seen refuses_strangers(FabricPair& pair) {
    const ofi::Region& region = pair.there.region;
    const std::pair<std::uint64_t, std::uint64_t> wrong[] = {
        {region.remote_base + PairSide::kBytes, region.key}, {region.remote_base, region.key ^ 1}};
    const char* const names[] = {"behind the end of the region", "with a wrong key"};
    for (int i = 0; i < 2; ++i) {
        std::uint64_t back = 0;
        int done = 0;
        const auto end = std::chrono::steady_clock::now() + kRefusalTime;
        try {
            pair.post([&] {
                return pair.here.fabric.start(&done, [&](void* context) {
                    return fi_read(pair.here.fabric.endpoint(), &back, sizeof back, nullptr,
                                   pair.here.other, wrong[i].first, wrong[i].second, context);
                });
            });
            while (done == 0 && std::chrono::steady_clock::now() < end) pair.progress();
        } catch (const ProviderError&) {
            continue;
        }
        if (done == 0) return {text("a read %s was not refused", names[i]), ""};
        return {text("a read %s was granted", names[i]), ""};
    }
    return {"", "reads behind the end and with a wrong key"};
}

// A message ends the sleep of its receiver, who sleeps again afterwards.
Seen wakes(FabricPair& pair) {
    constexpr int kRounds = 20;
    constexpr int kLongMs = 5000;
    auto slept = std::chrono::steady_clock::duration::zero();
    for (int round = 0; round < kRounds; ++round) {
        unsigned char message[64];
        int received = 0;
        int sent = 0;
        pair.post([&] { return pair.start_receive(message, sizeof message, &received); });
        std::atomic<bool> is_over{false};
        Loop sender([&] {
            if (sent == 0 && !is_over.exchange(true, std::memory_order_relaxed)) {
                FabricPair::post([&] { return pair.start_send("hi", 2, &sent); },
                                 [&] { pair.here.progress(); });
            }
            pair.here.progress();
        });
        const auto begin = std::chrono::steady_clock::now();
        for (int idle = 0; received == 0; ++idle) {
            if (pair.there.progress()) continue;
            const auto event = pair.there.fabric.wait_for_events(kLongMs, idle);
            if (event == ofi::Fabric::Event::kStuck && pair.there.fabric.reset_descriptor()) break;
        }
        slept = std::max(slept, std::chrono::steady_clock::now() - begin);
        sender.stop();
    }
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(slept).count();
    if (ms >= kLongMs) return {text("a message did not end a sleep of %d ms", kLongMs), ""};
    return {"",
            text("%d messages, the longest after %lld ms", kRounds, static_cast<long long>(ms))};
}

constexpr Promise kPromises[] = {
    {"data", "writes and reads move data", moves_data, [](const Capabilities&) { return true; }},
    {"vectors", "one write stores several pieces", moves_vectors,
     [](const Capabilities& facts) { return std::min(facts.iov_max, facts.rma_iov_max) > 1; }},
    {"delivery", "a write tells when it is in the target's memory", tells_delivery,
     [](const Capabilities& facts) { return facts.delivery_complete; }},
    {"put-put", "a write does not pass the write before it", orders_puts,
     [](const Capabilities& facts) { return facts.write_after_write; }},
    {"put-get", "a read does not pass the write before it", orders_get_behind_put,
     [](const Capabilities& facts) { return facts.read_after_write; }},
    {"put-message", "a message does not pass the write before it", orders_message_behind_put,
     [](const Capabilities& facts) { return facts.send_after_write; }},
    {"message-message", "messages stay in order", orders_messages,
     [](const Capabilities& facts) { return facts.send_after_send; }, false, false},
    {"words", "a word is stored whole and once", stores_words_once,
     [](const Capabilities& facts) { return facts.writes_words_whole; }},
    {"atomics", "atomics lose no update", adds,
     [](const Capabilities& facts) { return facts.atomics; }, true},
    {"cpu-atomics", "nor beside atomics of the target's CPU", adds_with_cpu,
     [](const Capabilities& facts) { return facts.atomics_are_cpu_atomics; }, true},
    {"bounds", "accesses beyond registered memory are refused", refuses_strangers,
     [](const Capabilities&) { return true; }},
    {"wake", "a message wakes its receiver", wakes,
     [](const Capabilities& facts) { return facts.cq_has_fd || facts.sockets_tell; }, false, false},
};

}  // namespace

std::span<const Promise> promises() { return kPromises; }

}  // namespace tessera::osh_info
