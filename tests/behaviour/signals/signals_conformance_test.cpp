// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a put with signal of any type, form or context delivers something else than put and
// signal, or the signal before the data; and when a signal routine alone does something else
// (OpenSHMEM 1.6, 9.8, and 9.11 for the wait).
#include <span>
#include <vector>

#include "conformance/conditions.hpp"
#include "conformance/routines.hpp"
#include "conformance/values.hpp"
#include "conformance/views.hpp"
#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace tessera::conformance {
namespace {

using test::Bytes;
using test::kGuard;
using test::Region;

struct PutSignal {
    int id;
    bool has_ctx;
    std::size_t element_bytes;
    void (*call)(void* dest, const void* source, std::size_t nelems, std::uint64_t* signal,
                 std::uint64_t value, int op, int pe);
};
#define PUT_SIGNAL(ID, NAME, T, CTX)                                                               \
    PutSignal{ID, IS_##CTX, sizeof(T),                                                             \
              [](void* dest, const void* source, std::size_t nelems, std::uint64_t* signal,        \
                 std::uint64_t value, int op, int pe) {                                            \
                  called(ID);                                                                      \
                  NAME(CTX() static_cast<T*>(dest), static_cast<const T*>(source), nelems, signal, \
                       value, op, pe);                                                             \
              }},
const PutSignal kPuts[] = {EACH_put_signal(PUT_SIGNAL)};
const PutSignal kPutsNbi[] = {EACH_put_signal_nbi(PUT_SIGNAL)};

// Each count is sent with a signal that is set, then with one that is added to.
constexpr std::size_t kCounts[] = {0, 1, 3, 0, 40};
constexpr std::size_t kCases = 2 * sizeof kCounts / sizeof kCounts[0];
constexpr std::size_t kCaseBytes = 704;
constexpr std::size_t kSlotBytes = kCases * kCaseBytes;

int op_of(std::size_t k) { return k % 2 == 0 ? SHMEM_SIGNAL_SET : SHMEM_SIGNAL_ADD; }

// The signals of one PE: a word for each message that sets, set words first, then one for each
// sender that all its added values come together in. All 64 bits matter.
std::uint64_t value_of_message(int id, int from, int to, std::size_t k) {
    std::uint64_t value = mix(static_cast<unsigned>(id) * 16U + k, static_cast<unsigned>(from),
                              static_cast<unsigned>(to));
    return k % 2 == 0 ? value | 1 : value >> 4 | 1;
}

struct Signals {
    std::uint64_t* words;

    std::uint64_t* set_word(int from, std::size_t k) const {
        return words + static_cast<std::size_t>(from) * (kCases + 1) + k;
    }
    std::uint64_t* sum_word(int from) const { return set_word(from, kCases); }
    std::size_t bytes() const {
        return static_cast<std::size_t>(shmem_n_pes()) * (kCases + 1) * sizeof(std::uint64_t);
    }
};

std::size_t place_of(int from, std::size_t k, const PutSignal& put) {
    return static_cast<std::size_t>(from) * kSlotBytes + k * kCaseBytes + put.element_bytes;
}

Bytes message(const PutSignal& put, int from, int to, std::size_t k) {
    Bytes data(kCounts[k / 2] * put.element_bytes);
    test::fill(data.data(), data.size(), from, to, static_cast<std::size_t>(put.id) * 16 + k);
    return data;
}

void send_all(const PutSignal& put, const View& view, unsigned char* dest, const Signals& signals,
              std::vector<Bytes>& sources) {
    const int me = shmem_my_pe();
    for (std::size_t number = 0; number < view.pes.size(); ++number) {
        for (std::size_t k = 0; k < kCases; ++k) {
            const int pe = view.pes[number];
            sources.push_back(message(put, me, pe, k));
            const Bytes& source = sources.back();
            std::uint64_t* word = k % 2 == 0 ? signals.set_word(me, k) : signals.sum_word(me);
            put.call(source.empty() ? nullptr : dest + place_of(me, k, put),
                     source.empty() ? nullptr : source.data(), kCounts[k / 2], word,
                     value_of_message(put.id, me, pe, k), op_of(k), static_cast<int>(number));
        }
    }
}

// As soon as a message's signal is there, so is its data.
void receive_all(const PutSignal& put, const View& view, const unsigned char* dest,
                 const Signals& signals) {
    const int me = shmem_my_pe();
    const auto check = [&](int from, std::size_t k) {
        Bytes expected = message(put, from, me, k);
        std::string wrong =
            test::difference(dest + place_of(from, k, put), expected.data(), expected.size());
        EXPECT_EQ(wrong, "") << name_of(put.id) << ", " << view.name << ", message " << k
                             << " of PE " << from << " after its signal";
    };
    for (int from : view.pes) {
        std::uint64_t sum = 0;
        for (std::size_t k = 1; k < kCases; k += 2) sum += value_of_message(put.id, from, me, k);
        shmem_signal_wait_until(signals.sum_word(from), SHMEM_CMP_EQ, sum);
        for (std::size_t k = 1; k < kCases; k += 2) check(from, k);
        for (std::size_t k = 0; k < kCases; k += 2) {
            std::uint64_t value = value_of_message(put.id, from, me, k);
            shmem_signal_wait_until(signals.set_word(from, k), SHMEM_CMP_EQ, value);
            check(from, k);
        }
    }
}

// All else is as it was: data of no message, signals of no sender.
void expect_no_more(const PutSignal& put, const View& view, const Region& data,
                    const Signals& signals) {
    const int me = shmem_my_pe();
    Bytes expected(static_cast<std::size_t>(shmem_n_pes()) * kSlotBytes, kGuard);
    std::vector<std::uint64_t> words(signals.bytes() / sizeof(std::uint64_t));
    Signals copy{words.data()};
    for (int from : view.pes) {
        for (std::size_t k = 0; k < kCases; ++k) {
            Bytes bytes = message(put, from, me, k);
            std::copy(bytes.begin(), bytes.end(),
                      expected.begin() + static_cast<std::ptrdiff_t>(place_of(from, k, put)));
            std::uint64_t value = value_of_message(put.id, from, me, k);
            if (k % 2 == 0) *copy.set_word(from, k) = value;
            if (k % 2 == 1) *copy.sum_word(from) += value;
        }
    }
    EXPECT_EQ(test::difference(data.data, expected.data(), expected.size()), "")
        << name_of(put.id) << ", " << view.name << ", " << data.kind;
    for (std::size_t i = 0; i < words.size(); ++i) {
        EXPECT_EQ(signals.words[i], words[i])
            << name_of(put.id) << ", " << view.name << ", signal word " << i;
    }
}

void check(std::span<const PutSignal> puts, bool is_nbi) {
    for (const PutSignal& put : puts) {
        for (const View& view : views_of(put.id, put.has_ctx)) {
            // Data and signals in memory of different kinds every other time.
            const Region& data = next_region();
            const Region& other = put.id % 4 < 2 ? data : next_region();
            Signals signals{reinterpret_cast<std::uint64_t*>(other.data + test::kRegionBytes / 2)};
            std::memset(data.data, kGuard, static_cast<std::size_t>(shmem_n_pes()) * kSlotBytes);
            std::memset(static_cast<void*>(signals.words), 0, signals.bytes());
            shmem_barrier_all();
            view.use();
            std::vector<Bytes> sources;
            send_all(put, view, data.data, signals, sources);
            if (!is_nbi) {
                for (Bytes& source : sources) std::fill(source.begin(), source.end(), kGuard);
            }
            receive_all(put, view, data.data, signals);
            if (!view.pes.empty()) view.quiet();
            shmem_barrier_all();
            expect_no_more(put, view, data, signals);
        }
    }
}

TEST(PutSignal, every_type) { check(kPuts, false); }
TEST(PutSignal, nonblocking) { check(kPutsNbi, true); }

struct Update {
    int id;
    bool has_ctx;
    bool adds;
    void (*call)(std::uint64_t* signal, std::uint64_t value, int pe);
};
#define UPDATE(ID, NAME, CTX, ADDS)                                                     \
    Update{ID, IS_##CTX, ADDS, [](std::uint64_t* signal, std::uint64_t value, int pe) { \
               called(ID);                                                              \
               NAME(CTX() signal, value, pe);                                           \
           }},
#define ADD(ID, NAME, T, CTX) UPDATE(ID, NAME, CTX, true)
#define SET(ID, NAME, T, CTX) UPDATE(ID, NAME, CTX, false)
const Update kUpdates[] = {EACH_signal_add(ADD) EACH_signal_set(SET)};

using Fetch = std::uint64_t (*)(const std::uint64_t* signal);
const Fetch kFetches[] = {ROUTINE(shmem_signal_fetch), ROUTINE(pshmem_signal_fetch)};

// Every PE updates a word of its own on every PE, twice.
TEST(Signal, updates) {
    const int npes = shmem_n_pes();
    const int me = shmem_my_pe();
    for (const Update& update : kUpdates) {
        for (const View& view : views_of(update.id, update.has_ctx)) {
            auto* words = reinterpret_cast<std::uint64_t*>(next_region().data);
            const auto value = [&](int from, int to, unsigned round) {
                return mix(static_cast<unsigned>(update.id), static_cast<unsigned>(from),
                           static_cast<unsigned>(to), round);
            };
            for (int pe = 0; pe < npes; ++pe) words[pe] = value(pe, me, 9);
            shmem_barrier_all();
            view.use();
            for (unsigned round = 0; round < 2; ++round) {
                for (std::size_t number = 0; number < view.pes.size(); ++number) {
                    update.call(words + me, value(me, view.pes[number], round),
                                static_cast<int>(number));
                }
                // Two settings of a word must not pass each other.
                if (!view.pes.empty()) view.quiet();
            }
            shmem_barrier_all();
            for (int from = 0; from < npes; ++from) {
                std::uint64_t expected = value(from, me, 9);
                for (unsigned round = 0; round < 2 && view.contains(me) && view.contains(from);
                     ++round) {
                    expected = value(from, me, round) + (update.adds ? expected : 0);
                }
                for (Fetch fetch : kFetches) {
                    EXPECT_EQ(fetch(words + from), expected)
                        << name_of(update.id) << " of PE " << from << ", " << view.name;
                }
            }
        }
    }
}

using Wait = std::uint64_t (*)(std::uint64_t* signal, int cmp, std::uint64_t value);
const Wait kWaits[] = {ROUTINE(shmem_signal_wait_until), ROUTINE(pshmem_signal_wait_until)};

// A word that satisfies the condition ends the wait at once, and is returned. Signals are unsigned.
TEST(Signal, wait_returns_the_value) {
    auto* word = reinterpret_cast<std::uint64_t*>(next_region().data);
    for (Wait wait : kWaits) {
        for (int cmp : kComparisons) {
            for (std::uint64_t now : interesting_values<std::uint64_t>()) {
                for (std::uint64_t value : interesting_values<std::uint64_t>()) {
                    *word = now;
                    if (!holds(now, cmp, value)) continue;
                    EXPECT_EQ(wait(word, cmp, value), now) << "cmp " << cmp;
                }
            }
        }
    }
    shmem_barrier_all();
}

TEST(Signal, wait_lasts_until_the_signal) {
    auto* word = reinterpret_cast<std::uint64_t*>(next_region().data);
    for (Wait wait : kWaits) {
        for (const auto& change : changes<std::uint64_t>()) {
            meeting().run([&] { *word = change.before; },
                          [&] { EXPECT_EQ(wait(word, change.cmp, change.limit), change.after); },
                          [&](int partner) { shmem_signal_set(word, change.after, partner); });
        }
    }
}

}  // namespace
}  // namespace tessera::conformance
